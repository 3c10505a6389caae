// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The use of a formula: its ops with the types of the use, calls resolved.
#include "dialect/Geo.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;

Value geo::castFloat(OpBuilder &b, Location loc, Value v, Type type) {
  unsigned from = v.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to)
    return v;
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, v);
  return arith::TruncFOp::create(b, loc, type, v);
}

void geo::cloneWithTypes(OpBuilder &b, Operation *op, IRMapping &mapping,
                         function_ref<Type(Type)> convert) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Value in = mapping.lookup(op->getOperand(0));
    Type type = convert(op->getResult(0).getType());
    if (in.getType() == type || !isa<FloatType>(type)) {
      mapping.map(op->getResult(0), in);
      return;
    }
    mapping.map(op->getResult(0), castFloat(b, op->getLoc(), in, type));
    return;
  }
  if (isa<vector::BroadcastOp>(op)) {
    auto type = cast<VectorType>(convert(op->getResult(0).getType()));
    Value in = castFloat(b, op->getLoc(), mapping.lookup(op->getOperand(0)),
                         type.getElementType());
    mapping.map(op->getResult(0),
                vector::BroadcastOp::create(b, op->getLoc(), type, in));
    return;
  }
  if (auto own = dyn_cast<WithVjpOp>(op)) {
    SmallVector<Value> arguments;
    for (Value v : own.getArgs())
      arguments.push_back(mapping.lookup(v));
    auto clone =
        WithVjpOp::create(b, op->getLoc(), convert(own.getType()), arguments);
    mapping.map(own.getResult(), clone.getResult());
    for (auto [from, to] : llvm::zip(own->getRegions(), clone->getRegions())) {
      OpBuilder::InsertionGuard guard(b);
      Block &block = to.emplaceBlock();
      IRMapping inner;
      for (BlockArgument argument : from.getArguments())
        inner.map(argument, block.addArgument(convert(argument.getType()),
                                              argument.getLoc()));
      b.setInsertionPointToEnd(&block);
      for (Operation &nested : from.front())
        cloneWithTypes(b, &nested, inner, convert);
    }
    return;
  }
  Operation *clone = b.clone(*op, mapping);
  for (Value result : clone->getResults())
    result.setType(convert(result.getType()));
  auto constant = dyn_cast<arith::ConstantOp>(clone);
  if (!constant)
    return;
  Type type = constant.getType();
  auto toElement = [&](APFloat value) -> Attribute {
    bool ignored;
    value.convert(
        cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(),
        APFloat::rmNearestTiesToEven, &ignored);
    return FloatAttr::get(getElementTypeOrSelf(type), value);
  };
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    constant.setValueAttr(cast<TypedAttr>(toElement(number.getValue())));
  else if (auto row = dyn_cast<SplatElementsAttr>(constant.getValue()))
    if (isa<FloatType>(row.getElementType()))
      constant.setValueAttr(DenseElementsAttr::get(
          cast<ShapedType>(type), toElement(row.getSplatValue<APFloat>())));
}

namespace {
class Instantiation {
public:
  Instantiation(ImplicitLocOpBuilder &b, VectorType rowType)
      : b(b), rowType(rowType), useLoc(b.getLoc()) {}

  /// The result of `formula` as it stands in `page`, whose curvatures it gets
  /// as far as it knows them; null after an error.
  Value run(FormulaOp formula, ManifoldOp page, ArrayRef<Value> arguments,
            ArrayRef<Value> curvatures) {
    if (depth == maxDepth) {
      formula.emitOpError("expects calls to nest at most ")
          << maxDepth << " deep, but got recursion";
      return nullptr;
    }
    if (!verify(formula, page, arguments, curvatures))
      return nullptr;
    ++depth;
    Value result = formula.hasOwnVjp()
                       ? makeWithVjp(formula, page, arguments, curvatures)
                       : inlineBody(formula, page, arguments, curvatures);
    --depth;
    return result;
  }

private:
  static constexpr unsigned maxDepth = 64;
  /// A chain of formulas that call the one before twice would fill any memory.
  /// Code generation takes what a value is made of by recursion, too.
  static constexpr unsigned maxOps = 1024;

  Type convert(Type type) {
    auto row = dyn_cast<VectorType>(type);
    if (!row || !row.isScalable())
      return type;
    if (row.getElementType().isFloat())
      return rowType;
    return VectorType::get(rowType.getShape(), row.getElementType());
  }

  /// Formulas of `like` pages and defaults know the first curvatures only.
  static unsigned getNumKnown(FormulaOp formula) {
    auto home = dyn_cast_or_null<ManifoldOp>(formula->getParentOp());
    return home ? home.getNumCurvatures() : 0;
  }

  bool verify(FormulaOp formula, ManifoldOp page, ArrayRef<Value> arguments,
              ArrayRef<Value> curvatures) {
    auto error = [&]() { return mlir::emitError(b.getLoc()); };
    unsigned want = formula.getNumArguments(), known = getNumKnown(formula);
    if (arguments.size() != want) {
      error() << "expects " << want << " arguments of formula "
              << formula.getSymName() << ", but got " << arguments.size();
      return false;
    }
    if (curvatures.size() < known) {
      error() << "expects " << known << " curvatures for formula "
              << formula.getSymName() << ", but got " << curvatures.size();
      return false;
    }
    for (unsigned i = 0; i < want; ++i) {
      Type type = convert(formula.getBlock().getArgument(i).getType());
      if (arguments[i].getType() == type)
        continue;
      error() << "expects argument " << i << " of formula "
              << formula.getSymName() << " to be a " << formula.getKind(i)
              << ", but got " << arguments[i].getType();
      return false;
    }
    return true;
  }

  Value inlineBody(FormulaOp formula, ManifoldOp page,
                   ArrayRef<Value> arguments, ArrayRef<Value> curvatures) {
    SmallVector<Value> all(arguments), yielded;
    llvm::append_range(all, curvatures.take_front(getNumKnown(formula)));
    if (!inlineBlock(formula.getBlock(), page, all, curvatures, yielded))
      return nullptr;
    return yielded.front();
  }

  bool inlineBlock(Block &block, ManifoldOp page, ArrayRef<Value> arguments,
                   ArrayRef<Value> curvatures,
                   SmallVectorImpl<Value> &yielded) {
    IRMapping mapping;
    mapping.map(block.getArguments(), arguments);
    for (Operation &op : block.without_terminator()) {
      b.setLoc(CallSiteLoc::get(op.getLoc(), useLoc));
      if (!emit(&op, page, mapping, curvatures))
        return false;
    }
    b.setLoc(useLoc);
    for (Value v : block.getTerminator()->getOperands())
      yielded.push_back(mapping.lookup(v));
    return true;
  }

  bool emit(Operation *op, ManifoldOp page, IRMapping &mapping,
            ArrayRef<Value> curvatures) {
    if (numOps == maxOps) {
      mlir::emitError(b.getLoc()) << "expects a formula of at most " << maxOps
                                  << " ops, with those that it calls";
      return false;
    }
    ++numOps;
    auto number = [&](double value) {
      mapping.map(op->getResult(0),
                  arith::ConstantOp::create(b, b.getF64FloatAttr(value)));
      return true;
    };
    if (isa<EpsilonOp>(op)) {
      auto type = cast<FloatType>(rowType.getElementType());
      return number(
          std::ldexp(1.0, 1 - static_cast<int>(type.getFPMantissaWidth())));
    }
    if (isa<RowLengthOp>(op))
      return number(static_cast<double>(rowType.getDimSize(0)));
    if (auto call = dyn_cast<CallOp>(op))
      return emitCall(call, page, mapping, curvatures);
    cloneWithTypes(b, op, mapping, [&](Type t) { return convert(t); });
    return true;
  }

  bool emitCall(CallOp call, ManifoldOp page, IRMapping &mapping,
                ArrayRef<Value> curvatures) {
    ManifoldOp calledPage = page;
    FormulaOp callee = resolveCall(call, calledPage);
    if (!callee) {
      mlir::emitError(b.getLoc())
          << "expects a formula of the manifold, but got " << call.getCallee();
      return false;
    }
    SmallVector<Value> arguments;
    for (Value v : call.getArgs())
      arguments.push_back(mapping.lookup(v));
    ArrayRef<Value> passed = arguments, own = curvatures;
    // Curvatures of another page follow the arguments.
    if (!call.getCallee().getNestedReferences().empty()) {
      own = passed.drop_front(
          std::min<size_t>(callee.getNumArguments(), passed.size()));
      passed = passed.drop_back(own.size());
    }
    Value result = run(callee, calledPage, passed, own);
    if (!result)
      return false;
    if (result.getType() != convert(call.getType())) {
      mlir::emitError(b.getLoc())
          << "expects formula " << call.getCallee() << " to yield "
          << convert(call.getType()) << ", but got " << result.getType();
      return false;
    }
    mapping.map(call.getResult(), result);
    return true;
  }

  /// Both regions get all curvatures, so that calls in them find theirs; those
  /// that the formula does not know have no part in its result.
  Value makeWithVjp(FormulaOp formula, ManifoldOp page,
                    ArrayRef<Value> arguments, ArrayRef<Value> curvatures) {
    SmallVector<Value> operands(arguments);
    llvm::append_range(operands, curvatures);
    unsigned numKnown = arguments.size() + getNumKnown(formula);
    auto op =
        WithVjpOp::create(b, convert(formula.getResult().getType()), operands);
    auto fill = [&](Region &region, Block &source, bool isVjp) {
      OpBuilder::InsertionGuard guard(b);
      Block &block = region.emplaceBlock();
      for (Value v : operands)
        block.addArgument(v.getType(), b.getLoc());
      if (isVjp)
        block.addArgument(op.getType(), b.getLoc());
      b.setInsertionPointToEnd(&block);
      SmallVector<Value> all(block.getArguments()), yielded;
      ArrayRef<Value> own =
          ArrayRef(all).slice(arguments.size(), curvatures.size());
      SmallVector<Value> known(ArrayRef(all).take_front(numKnown));
      if (isVjp)
        known.push_back(all.back());
      bool filled = inlineBlock(source, page, known, own, yielded);
      while (isVjp && yielded.size() < operands.size())
        yielded.push_back(arith::ConstantOp::create(b, b.getF64FloatAttr(0.0)));
      YieldOp::create(b, yielded);
      return filled;
    };
    if (!fill(op.getBody(), formula.getBlock(), /*isVjp=*/false) ||
        !fill(op.getVjp(), formula.getVjp().front(), /*isVjp=*/true))
      return nullptr;
    return op.getResult();
  }

  ImplicitLocOpBuilder &b;
  VectorType rowType;
  Location useLoc;
  unsigned depth = 0, numOps = 0;
};
} // namespace

Ex geo::instantiate(FormulaOp formula, ManifoldOp page, ArrayRef<Ex> args,
                    ArrayRef<Ex> curvatures) {
  VectorType rowType;
  auto toValues = [&](ArrayRef<Ex> list) {
    return llvm::map_to_vector(list, [&](Ex e) {
      if (auto row = dyn_cast<VectorType>(e.get().getType()))
        rowType = row;
      return e.get();
    });
  };
  SmallVector<Value> arguments = toValues(args), numbers = toValues(curvatures);
  ImplicitLocOpBuilder &b =
      (args.empty() ? curvatures.front() : args.front()).getBuilder();
  // Numbers only: no type is converted.
  if (!rowType)
    rowType = VectorType::get({1}, b.getF64Type());
  Value result =
      Instantiation(b, rowType).run(formula, page, arguments, numbers);
  return result ? Ex(b, result) : Ex();
}
