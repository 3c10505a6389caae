// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on rows. On a product every formula goes factor by factor.
#include "dialect/Signatures.h"
#include "passes/expand/Expand.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

//===----------------------------------------------------------------------===//
// Row programs
//===----------------------------------------------------------------------===//

namespace {

/// The operands of a row program in the order they were added, whether they
/// come per row or for all.
struct Operands {
  SmallVector<Value> rows, shared;
  SmallVector<std::pair<bool, unsigned>> places;

  void add(Value v, bool isPerRow) {
    SmallVector<Value> &list = isPerRow ? rows : shared;
    places.emplace_back(isPerRow, list.size());
    list.push_back(v);
  }
  /// Tensors come per row, numbers for all.
  void add(ValueRange values) {
    for (Value v : values)
      add(v, isa<RankedTensorType>(v.getType()));
  }
  SmallVector<Ex> inOrder(ArrayRef<Ex> arguments) const {
    SmallVector<Ex> result;
    for (auto [isPerRow, i] : places)
      result.push_back(arguments[isPerRow ? i : rows.size() + i]);
    return result;
  }
};

/// A row program whose region `build` fills; null after an error.
RowwiseOp makeRowwise(ImplicitLocOpBuilder &b, TypeRange results,
                      const Operands &operands,
                      function_ref<SmallVector<Ex>(ArrayRef<Ex>)> build) {
  auto rowwise = RowwiseOp::create(b, results, operands.rows, operands.shared);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&rowwise.getBlock());
  SmallVector<Ex> arguments;
  for (Value v : rowwise.getBlock().getArguments())
    arguments.emplace_back(b, v);
  SmallVector<Value> yielded;
  for (Ex e : build(operands.inOrder(arguments))) {
    if (!e)
      return nullptr;
    yielded.push_back(e.get());
  }
  YieldOp::create(b, yielded);
  return rowwise;
}

/// A formula of a manifold at plain operands; null after an error.
class FormulaUse {
public:
  FormulaUse(ImplicitLocOpBuilder &b, ManifoldInterface manifold,
             StringRef formula, Operation *scope, ArrayRef<double> numbers = {})
      : b(b), manifold(manifold), formula(formula), scope(scope),
        numbers(numbers), signature(getSignature(formula)) {}

  Value emit(RankedTensorType type, ArrayRef<Value> operands,
             ArrayRef<Value> curvatures) {
    if (manifold.getFactors().empty())
      return emitOn(manifold, type, operands, curvatures);
    SmallVector<Value> parts;
    int64_t width = getWidth(type, operands);
    LogicalResult emitted = forEachFactor(
        manifold, width, curvatures,
        [&](const Factor &factor, int64_t offset, ArrayRef<Value> own) {
          SmallVector<Value> sliced;
          for (auto [v, argument] : llvm::zip(operands, signature->arguments))
            sliced.push_back(argument.role == Role::number
                                 ? v
                                 : takeColumns(b, v, offset, factor.width));
          RankedTensorType part = type;
          if (signature->result != Role::number)
            part = RankedTensorType::get({type.getDimSize(0), factor.width},
                                         type.getElementType());
          parts.push_back(emitOn(factor.getManifold(), part, sliced, own));
          return success(parts.back() != nullptr);
        });
    return succeeded(emitted) ? combine(type, parts) : Value();
  }

private:
  int64_t getWidth(RankedTensorType type, ArrayRef<Value> operands) {
    for (Value v : operands)
      if (auto tensor = dyn_cast<RankedTensorType>(v.getType()))
        if (tensor.getRank() == 2)
          return tensor.getDimSize(1);
    return type.getDimSize(1);
  }

  Value emitOn(ManifoldInterface factor, RankedTensorType type,
               ArrayRef<Value> values, ArrayRef<Value> curvatures) {
    Operands operands;
    operands.add(values);
    operands.add(curvatures);
    RowwiseOp rowwise = makeRowwise(
        b, type, operands, [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
          SmallVector<Ex> args(all.take_front(values.size()));
          for (double number : numbers)
            args.push_back(args.front().number(number));
          return {
              factor.emit(formula, args, all.drop_front(values.size()), scope)};
        });
    return rowwise ? Value(rowwise.getResult(0)) : Value();
  }

  Value combine(RankedTensorType type, ArrayRef<Value> parts) {
    if (signature->combine == Combine::rows)
      return ConcatColumnsOp::create(b, parts);
    bool isRoot = signature->combine == Combine::rootSum;
    Operands operands;
    operands.add(parts);
    return makeRowwise(b, type, operands,
                       [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
                         Ex sum;
                         for (Ex part : all) {
                           Ex term = isRoot ? part * part : part;
                           sum = sum ? sum + term : term;
                         }
                         return {isRoot ? geo::sqrt(sum) : sum};
                       })
        .getResult(0);
  }

  ImplicitLocOpBuilder &b;
  ManifoldInterface manifold;
  StringRef formula;
  Operation *scope;
  ArrayRef<double> numbers;
  const Signature *signature;
};

RankedTensorType getPlainTensor(Value v) {
  return cast<RankedTensorType>(getPlainType(v.getType()));
}

LogicalResult replaceOrFail(ImplicitLocOpBuilder &b, Operation *op, Value v) {
  if (!v)
    return failure();
  replaceByPlain(b, op, v);
  return success();
}

//===----------------------------------------------------------------------===//
// Named ops
//===----------------------------------------------------------------------===//

LogicalResult expandRowFormula(RowFormulaOpInterface op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<double> numbers = op.getNumberArguments();
  FormulaUse use(b, manifold, op.getFormula(), op, numbers);
  SmallVector<Value> operands = toPlain(b, op.getRowOperands());
  Value out =
      use.emit(getPlainTensor(op->getResult(0)), operands,
               getCurvatureValues(b, manifold, op.getCurvatureOperands()));
  return replaceOrFail(b, op, out);
}

/// exp0(f(log0(x))), where `map` is f on plain rows. Row programs that follow
/// each other merge later.
template <class Op>
LogicalResult expandInTangent(Op op, ImplicitLocOpBuilder &b,
                              function_ref<Value(Value)> map) {
  ManifoldInterface from = op.getManifold();
  ManifoldInterface to = getManifold(op.getType());
  SmallVector<Value> curvatures =
      getCurvatureValues(b, from, op.getCurvature());
  Value x = toPlain(b, op.getX());
  Value tangent =
      FormulaUse(b, from, "logmap0", op).emit(getPlainTensor(x), x, curvatures);
  Value mapped = tangent ? map(tangent) : Value();
  if (!mapped)
    return failure();
  return replaceOrFail(
      b, op,
      FormulaUse(b, to, "expmap0", op)
          .emit(getPlainTensor(op.getResult()), mapped, curvatures));
}

LogicalResult expandFnApply(FnApplyOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldOp page;
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    return op.emitOpError("expects a formula, but got ") << op.getCallee();
  if (page && page.getNumCurvatures())
    return op.emitOpError("expects a formula of one row, but got ")
           << op.getCallee() << ", which takes curvatures";
  return expandInTangent(op, b, [&](Value tangent) -> Value {
    Operands operands;
    operands.add(tangent);
    RowwiseOp rowwise =
        makeRowwise(b, tangent.getType(), operands,
                    [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
                      return {instantiate(formula, page, all, {})};
                    });
    return rowwise ? Value(rowwise.getResult(0)) : Value();
  });
}

LogicalResult expandMatvec(MatvecOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  return expandInTangent(op, b, [&](Value tangent) -> Value {
    return MatmulOp::create(b, getPlainTensor(op.getResult()), tangent,
                            op.getM(), UnitAttr(), b.getUnitAttr());
  });
}

/// drop(W lift(x), W weight(x)) of one factor.
Value emitMidpoint(ImplicitLocOpBuilder &b, MidpointOp op,
                   ManifoldInterface manifold, Value x,
                   ArrayRef<Value> curvatures) {
  auto xType = cast<RankedTensorType>(x.getType());
  auto wType = cast<RankedTensorType>(op.getW().getType());
  Type element = xType.getElementType();
  int64_t count = wType.getDimSize(1), width = xType.getDimSize(1);
  Operands lifting;
  lifting.add(x);
  lifting.add(curvatures);
  auto columnOf = [&](int64_t size, Type type) -> Type {
    return RankedTensorType::get({size}, type);
  };
  RowwiseOp lifted = makeRowwise(
      b,
      {RankedTensorType::get({count, width}, element),
       columnOf(count, element)},
      lifting, [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
        ArrayRef<Ex> c = all.drop_front();
        Ex row = manifold.emit("midpoint_lift", all.front(), c, op);
        Ex weight = manifold.emit("midpoint_weight", all.front(), c, op);
        if (weight)
          weight = Ex(b, castFloat(b, b.getLoc(), weight.get(), element));
        return {row, weight};
      });
  if (!lifted)
    return nullptr;
  // The sum of weights in f64: a row program over the rows of W.
  Operands summing;
  summing.add(op.getW());
  summing.add(lifted.getResult(1), /*isPerRow=*/false);
  RowwiseOp sum =
      makeRowwise(b, columnOf(wType.getDimSize(0), b.getF64Type()), summing,
                  [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
                    return {dot(all[0], all[1])};
                  });
  auto rowsType = RankedTensorType::get({wType.getDimSize(0), width}, element);
  Value rows = MatmulOp::create(b, rowsType, op.getW(), lifted.getResult(0),
                                UnitAttr(), UnitAttr());
  return FormulaUse(b, manifold, "midpoint_drop", op)
      .emit(rowsType, {rows, sum.getResult(0)}, curvatures);
}

LogicalResult expandMidpoint(MidpointOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  Value x = toPlain(b, op.getX());
  SmallVector<Value> parts;
  LogicalResult emitted = forEachFactor(
      manifold, getPlainTensor(x).getDimSize(1),
      getCurvatureValues(b, manifold, op.getCurvature()),
      [&](const Factor &factor, int64_t offset, ArrayRef<Value> own) {
        Value part = takeColumns(b, x, offset, factor.width);
        parts.push_back(emitMidpoint(b, op, factor.getManifold(), part, own));
        return success(parts.back() != nullptr);
      });
  if (failed(emitted))
    return failure();
  Value out = parts.front();
  if (parts.size() > 1)
    out = ConcatColumnsOp::create(b, parts);
  return replaceOrFail(b, op, out);
}

LogicalResult expandLift(LiftOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  Value x = toPlain(b, op.getX());
  auto column =
      RankedTensorType::get({getPlainTensor(x).getDimSize(0)}, b.getF64Type());
  Value time =
      FormulaUse(b, manifold, "lift_time", op)
          .emit(column, x, getCurvatureValues(b, manifold, op.getCurvature()));
  if (!time)
    return failure();
  Value ambient = ConcatColumnsOp::create(b, ValueRange{time, x},
                                          getPlainTensor(x).getElementType());
  return replaceOrFail(b, op, ambient);
}

LogicalResult expandDrop(DropOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  int64_t width = getPlainTensor(op.getResult()).getDimSize(1);
  return replaceOrFail(b, op, takeColumns(b, op.getX(), 1, width));
}

LogicalResult expandApply(ApplyOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldOp page;
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    return op.emitOpError("expects a formula, but got ") << op.getCallee();
  unsigned count = formula.getNumArguments();
  Operands operands;
  for (auto [i, v] : llvm::enumerate(toPlain(b, op.getArgs()))) {
    auto tensor = dyn_cast<RankedTensorType>(v.getType());
    bool isNumber = i >= count || formula.getKind(i) == "number";
    operands.add(v, tensor && (isNumber || tensor.getRank() == 2));
  }
  RowwiseOp rowwise =
      makeRowwise(b, getPlainType(op.getType()), operands,
                  [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
                    return {instantiate(formula, page, all.take_front(count),
                                        all.drop_front(count))};
                  });
  return replaceOrFail(b, op, rowwise ? Value(rowwise.getResult(0)) : Value());
}

} // namespace

LogicalResult geo::expandRowOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](FnApplyOp o) { return expandFnApply(o); })
      .Case([](MatvecOp o) { return expandMatvec(o); })
      .Case([](MidpointOp o) { return expandMidpoint(o); })
      .Case([](LiftOp o) { return expandLift(o); })
      .Case([](DropOp o) { return expandDrop(o); })
      .Case([](ApplyOp o) { return expandApply(o); })
      .Case([](RowFormulaOpInterface o) { return expandRowFormula(o); })
      .Default([](Operation *) { return success(); });
}
