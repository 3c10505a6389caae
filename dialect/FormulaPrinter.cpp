// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/FormulaPrinter.h"
#include "dialect/Signatures.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include <map>

using namespace mlir;
using namespace geo;

namespace {

/// How tightly the outermost operator of a text binds.
enum Precedence { kChoice, kSum, kProduct, kSign, kAtom };

struct Text {
  std::string text;
  Precedence precedence = kAtom;
};

/// A change of type or of length: not a part of the formula.
Value skipCasts(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp, vector::BroadcastOp, DetachOp>(op))
      break;
    v = op->getOperand(0);
  }
  return v;
}

class Printer {
public:
  explicit Printer(const DenseMap<Value, std::string> &names) {
    for (auto &[value, name] : names)
      nodes[value] = {name, kAtom};
  }

  std::string print(ArrayRef<Value> results, ArrayRef<std::string> resultNames);

private:
  /// The first value that is equal to `v` by construction.
  Value getNode(Value v);
  void countUses(Value v);
  /// The text of `v`, which gets a line first if it is used more than once.
  Text write(Value v);
  Text writeOp(Operation *op);
  /// The text of operand `i`, in parentheses if it binds less than `least`.
  std::string operand(Operation *op, unsigned i, Precedence least);
  Text infix(Operation *op, const char *symbol, Precedence precedence,
             bool isAssociative);
  Text call(StringRef name, Operation *op);

  /// Values with a text that is known: arguments, and what has a line.
  DenseMap<Value, Text> nodes;
  DenseMap<Value, unsigned> uses;
  std::map<std::string, Value> firstOf;
  DenseMap<Value, Value> nodeOf;
  std::string lines;
  unsigned numNames = 0;
};

Value Printer::getNode(Value v) {
  v = skipCasts(v);
  Operation *op = v.getDefiningOp();
  if (!op)
    return v;
  auto known = nodeOf.find(v);
  if (known != nodeOf.end())
    return known->second;
  // Equal operations on equal operands are one node.
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << op->getName() << op->getAttrDictionary() << v.getType();
  if (Attribute properties = op->getPropertiesAsAttribute())
    stream << properties;
  for (Value o : op->getOperands())
    stream << ' ' << getNode(o).getAsOpaquePointer();
  Value node = firstOf.try_emplace(key, v).first->second;
  nodeOf[v] = node;
  return node;
}

void Printer::countUses(Value v) {
  v = getNode(v);
  if (uses[v]++ || !v.getDefiningOp() || nodes.contains(v))
    return;
  // <x, x> and x x show x once.
  llvm::SmallDenseSet<Value> operands;
  for (Value o : v.getDefiningOp()->getOperands())
    if (operands.insert(getNode(o)).second)
      countUses(o);
}

std::string Printer::operand(Operation *op, unsigned i, Precedence least) {
  Text text = write(op->getOperand(i));
  return text.precedence < least ? '(' + text.text + ')' : text.text;
}

Text Printer::infix(Operation *op, const char *symbol, Precedence precedence,
                    bool isAssociative) {
  std::string left = operand(op, 0, precedence);
  // a - (b - c), but a + b + c.
  auto tighter = static_cast<Precedence>(precedence + 1);
  Text right = write(op->getOperand(1));
  Operation *inner = getNode(op->getOperand(1)).getDefiningOp();
  bool isSame = inner && inner->getName() == op->getName();
  bool isFlat =
      isSame && isAssociative && right.text.find('/') == right.text.npos;
  Precedence least = isFlat ? precedence : tighter;
  if (right.precedence < least)
    right.text = '(' + right.text + ')';
  return {left + ' ' + symbol + ' ' + right.text, precedence};
}

Text Printer::call(StringRef name, Operation *op) {
  std::string text = name.str() + '(';
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    text += (i ? ", " : "") + operand(op, i, kChoice);
  return {text + ')', kAtom};
}

Text printConstant(Attribute value) {
  if (auto dense = dyn_cast<DenseFPElementsAttr>(value)) {
    if (!dense.isSplat())
      return {"constants", kAtom};
    value = dense.getSplatValue<Attribute>();
  }
  auto number = dyn_cast<FloatAttr>(value);
  double x = number ? number.getValueAsDouble() : 0;
  return {printShortest(x).str().str(), x < 0 ? kSign : kAtom};
}

StringRef getComparison(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OLT:
    return "<";
  case arith::CmpFPredicate::OLE:
    return "<=";
  case arith::CmpFPredicate::OGT:
    return ">";
  case arith::CmpFPredicate::OGE:
    return ">=";
  case arith::CmpFPredicate::OEQ:
    return "=";
  default:
    return arith::stringifyCmpFPredicate(predicate);
  }
}

Text Printer::writeOp(Operation *op) {
  return TypeSwitch<Operation *, Text>(op)
      .Case([&](arith::ConstantOp c) { return printConstant(c.getValue()); })
      .Case([&](arith::AddFOp) { return infix(op, "+", kSum, true); })
      .Case([&](arith::SubFOp) { return infix(op, "-", kSum, false); })
      .Case([&](arith::DivFOp) { return infix(op, "/", kProduct, false); })
      .Case<arith::MulFOp, ScaleOp>([&](auto) -> Text {
        if (getNode(op->getOperand(0)) == getNode(op->getOperand(1)))
          return {operand(op, 0, kAtom) + "^2", kAtom};
        return infix(op, "*", kProduct, true);
      })
      .Case([&](arith::NegFOp) -> Text {
        return {"-" + operand(op, 0, kSign), kSign};
      })
      .Case([&](DotOp) -> Text {
        if (getNode(op->getOperand(0)) == getNode(op->getOperand(1)))
          return {"|" + operand(op, 0, kChoice) + "|^2", kAtom};
        return {"<" + operand(op, 0, kChoice) + ", " + operand(op, 1, kChoice) +
                    ">",
                kAtom};
      })
      .Case([&](EvenOp even) {
        std::string name = stringifyEvenFn(even.getFn()).str();
        return call(name + std::string(even.getOrder(), '\''), op);
      })
      .Case([&](arith::CmpFOp cmp) -> Text {
        return {operand(op, 0, kSum) + ' ' +
                    getComparison(cmp.getPredicate()).str() + ' ' +
                    operand(op, 1, kSum),
                kChoice};
      })
      .Case([&](arith::SelectOp) -> Text {
        std::string condition = operand(op, 0, kChoice);
        std::string yes = operand(op, 1, kSum);
        return {"if " + condition + " then " + yes + " else " +
                    operand(op, 2, kSum),
                kChoice};
      })
      .Case([&](vector::ReductionOp reduction) {
        return call(vector::stringifyCombiningKind(reduction.getKind()), op);
      })
      .Case([&](arith::MaximumFOp) { return call("max", op); })
      .Case([&](arith::MinimumFOp) { return call("min", op); })
      .Default(
          [&](Operation *) { return call(op->getName().stripDialect(), op); });
}

Text Printer::write(Value v) {
  v = getNode(v);
  auto known = nodes.find(v);
  if (known != nodes.end())
    return known->second;
  Operation *op = v.getDefiningOp();
  if (!op)
    return {"?", kAtom};
  Text text = writeOp(op);
  if (uses.lookup(v) < 2 || isa<arith::ConstantOp>(op))
    return text;
  Text name = {"t" + std::to_string(++numNames), kAtom};
  lines += "  " + name.text + " = " + text.text + '\n';
  nodes[v] = name;
  return name;
}

std::string Printer::print(ArrayRef<Value> results,
                           ArrayRef<std::string> resultNames) {
  for (Value v : results)
    countUses(v);
  for (auto [v, name] : llvm::zip_equal(results, resultNames)) {
    std::string text = write(v).text;
    lines += "  " + name + " = " + text + '\n';
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// A manifold's page
//===----------------------------------------------------------------------===//

/// A block whose arguments have names, for formulas to be emitted into.
class Scratch {
public:
  explicit Scratch(MLIRContext *context)
      : b(UnknownLoc::get(context), context) {
    b.setInsertionPointToEnd(&block);
  }
  ~Scratch() { // users before what they use
    while (!block.empty())
      block.back().erase();
  }

  Ex add(StringRef name, Type type) {
    Value v = block.addArgument(type, b.getLoc());
    names[v] = name.str();
    return Ex(b, v);
  }
  Ex addRow(StringRef name) {
    return add(name, VectorType::get({2}, b.getF32Type()));
  }
  Ex addNumber(StringRef name) { return add(name, b.getF64Type()); }
  SmallVector<Ex> addNumbers(StringRef name, size_t count) {
    SmallVector<Ex> numbers;
    for (size_t i = 0; i < count; ++i)
      numbers.push_back(
          addNumber(count == 1 ? name.str() : name.str() + std::to_string(i)));
    return numbers;
  }
  std::string print(ArrayRef<Ex> results, ArrayRef<std::string> resultNames) {
    SmallVector<Value> values =
        llvm::map_to_vector(results, [](Ex e) { return e.get(); });
    return printExpressions(values, resultNames, names);
  }

private:
  Block block;
  ImplicitLocOpBuilder b;
  DenseMap<Value, std::string> names;
};

std::string printNames(const char *name, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += ", " + std::string(name) + (count == 1 ? "" : std::to_string(i));
  return text;
}

} // namespace

std::string geo::printExpressions(ArrayRef<Value> results,
                                  ArrayRef<std::string> resultNames,
                                  const DenseMap<Value, std::string> &names) {
  return Printer(names).print(results, resultNames);
}

std::string geo::printFormulas(ManifoldInterface manifold) {
  MLIRContext *context = manifold.getContext();
  context->loadDialect<GeoDialect>();
  size_t numCurvatures = manifold.getCurvatures().size();
  std::string page;
  for (const Signature &signature : getSignatures()) {
    if (!manifold.hasFormula(signature.name, nullptr))
      continue;
    Scratch scratch(context);
    SmallVector<Ex> args;
    std::string list;
    for (const Signature::Argument &argument : signature.arguments) {
      args.push_back(argument.role == Role::number
                         ? scratch.addNumber(argument.name)
                         : scratch.addRow(argument.name));
      list += (list.empty() ? "" : ", ") + argument.name.str();
    }
    SmallVector<Ex> curvatures = scratch.addNumbers("c", numCurvatures);
    Ex result = manifold.emit(signature.name, args, curvatures, nullptr);
    page += signature.name.str() + '(' + list + printNames("c", numCurvatures) +
            ")\n" + scratch.print(result, signature.name.str());
  }
  return page;
}
