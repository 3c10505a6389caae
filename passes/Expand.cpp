// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops -> constructs, and points -> plain tensors.
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/expand/PairSplit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOEXPAND
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// The values of all curvatures, as f64: constants here, labels from operands.
SmallVector<Value> getCurvatureValues(ImplicitLocOpBuilder &b,
                                      ManifoldInterface manifold,
                                      ValueRange operands) {
  SmallVector<Value> values;
  for (Attribute c : manifold.getCurvatures()) {
    if (auto number = dyn_cast<FloatAttr>(c)) {
      values.push_back(arith::ConstantOp::create(b, number));
      continue;
    }
    values.push_back(operands.front());
    operands = operands.drop_front();
  }
  return values;
}

/// Runs `build` with the insertion point at the end of the region of `op`,
/// whose arguments it gets as handles, and yields what it returns.
void fillRegion(ImplicitLocOpBuilder &b, Block &block,
                function_ref<SmallVector<Ex>(ArrayRef<Ex>)> build) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&block);
  SmallVector<Ex> arguments;
  for (Value v : block.getArguments())
    arguments.emplace_back(b, v);
  SmallVector<Value> yielded;
  for (Ex e : build(arguments))
    yielded.push_back(e.get());
  YieldOp::create(b, yielded);
}

/// `v` as a plain tensor. The door folds away when all types are stripped.
Value toPlain(ImplicitLocOpBuilder &b, Value v) {
  if (!getManifold(v.getType()))
    return v;
  return CoordsOp::create(b, getPlainType(v.getType()), v);
}

SmallVector<Value> toPlain(ImplicitLocOpBuilder &b, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return toPlain(b, v); });
}

void replaceByPlain(ImplicitLocOpBuilder &b, Operation *op, Value plain) {
  Value result = plain;
  if (getManifold(op->getResult(0).getType()))
    result = PointOp::create(b, op->getResult(0).getType(), plain);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// The region's handles for the operands of a row program that come per row,
/// then those that come for all.
struct Operands {
  SmallVector<Value> rows, shared;
  /// For each operand, in the order they were added: is it per row, and which.
  SmallVector<std::pair<bool, unsigned>> places;

  void add(Value v, bool isPerRow) {
    SmallVector<Value> &list = isPerRow ? rows : shared;
    places.emplace_back(isPerRow, list.size());
    list.push_back(v);
  }
  SmallVector<Ex> inOrder(ArrayRef<Ex> arguments) const {
    SmallVector<Ex> result;
    for (auto [isPerRow, i] : places)
      result.push_back(arguments[isPerRow ? i : rows.size() + i]);
    return result;
  }
};

/// A row program that `build` makes; null if that reports an error.
RowwiseOp makeRowwise(ImplicitLocOpBuilder &b, TypeRange results,
                      const Operands &operands,
                      function_ref<SmallVector<Ex>(ArrayRef<Ex>)> build) {
  auto rowwise = RowwiseOp::create(b, results, operands.rows, operands.shared);
  bool failed = false;
  fillRegion(b, rowwise.getBlock(), [&](ArrayRef<Ex> arguments) {
    SmallVector<Ex> yielded = build(operands.inOrder(arguments));
    failed = llvm::any_of(yielded, [](const Ex &e) { return !e; });
    return failed ? SmallVector<Ex>() : yielded;
  });
  return failed ? RowwiseOp() : rowwise;
}

LogicalResult expandRowFormula(RowFormulaOpInterface op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  Operands operands;
  for (Value v : toPlain(b, op.getRowOperands()))
    operands.add(v, isa<RankedTensorType>(v.getType()));
  size_t numArguments = operands.places.size();
  for (Value c : getCurvatureValues(b, manifold, op.getCurvatureOperands()))
    operands.add(c, /*isPerRow=*/false);
  Type resultType = getPlainType(op->getResult(0).getType());
  RowwiseOp rowwise =
      makeRowwise(b, resultType, operands, [&](ArrayRef<Ex> all) {
        SmallVector<Ex> args(all.take_front(numArguments));
        for (double number : op.getNumberArguments())
          args.push_back(args.front().number(number));
        return SmallVector<Ex>{manifold.emit(op.getFormula(), args,
                                             all.drop_front(numArguments), op)};
      });
  if (!rowwise)
    return failure();
  replaceByPlain(b, op, rowwise.getResult(0));
  return success();
}

/// exp0(f(log0(x))) in one program.
LogicalResult expandFnApply(FnApplyOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  ManifoldOp page;
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    return op.emitOpError("expects a formula, but got ") << op.getCallee();
  if (page && page.getNumCurvatures())
    return op.emitOpError("expects a formula of one row, but got ")
           << op.getCallee() << ", which takes curvatures";
  Operands operands;
  operands.add(toPlain(b, op.getX()), /*isPerRow=*/true);
  for (Value c : getCurvatureValues(b, manifold, op.getCurvature()))
    operands.add(c, /*isPerRow=*/false);
  RowwiseOp rowwise = makeRowwise(
      b, getPlainType(op.getType()), operands,
      [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
        ArrayRef<Ex> c = all.drop_front();
        Ex tangent = manifold.emit("logmap0", all.front(), c, op);
        Ex mapped = tangent ? instantiate(formula, page, tangent, {}) : Ex();
        return {mapped ? manifold.emit("expmap0", mapped, c, op) : Ex()};
      });
  if (!rowwise)
    return failure();
  replaceByPlain(b, op, rowwise.getResult(0));
  return success();
}

/// exp0(M log0(x)): two row programs and a product between them.
LogicalResult expandMatvec(MobiusMatvecOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  auto apply = [&](StringRef formula, Value x) -> Value {
    Operands operands;
    operands.add(x, /*isPerRow=*/true);
    for (Value c : curvatures)
      operands.add(c, /*isPerRow=*/false);
    RowwiseOp rowwise =
        makeRowwise(b, x.getType(), operands, [&](ArrayRef<Ex> all) {
          return SmallVector<Ex>{
              manifold.emit(formula, all.front(), all.drop_front(), op)};
        });
    return rowwise ? Value(rowwise.getResult(0)) : Value();
  };
  Value tangent = apply("logmap0", toPlain(b, op.getX()));
  if (!tangent)
    return failure();
  Value moved = MatmulOp::create(b, getPlainType(op.getType()), tangent,
                                 op.getM(), UnitAttr(), b.getUnitAttr());
  Value out = apply("expmap0", moved);
  if (!out)
    return failure();
  replaceByPlain(b, op, out);
  return success();
}

/// drop(W lift(x), W weight(x)).
LogicalResult expandMidpoint(MidpointOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  Value x = toPlain(b, op.getX());
  auto xType = cast<RankedTensorType>(x.getType());
  auto wType = cast<RankedTensorType>(op.getW().getType());
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  Operands lifting;
  lifting.add(x, /*isPerRow=*/true);
  for (Value c : curvatures)
    lifting.add(c, /*isPerRow=*/false);
  auto weightType =
      RankedTensorType::get({wType.getDimSize(1)}, xType.getElementType());
  auto liftedType = RankedTensorType::get(
      {wType.getDimSize(1), xType.getDimSize(1)}, xType.getElementType());
  RowwiseOp lifted =
      makeRowwise(b, {liftedType, weightType}, lifting,
                  [&](ArrayRef<Ex> all) -> SmallVector<Ex> {
                    ArrayRef<Ex> c = all.drop_front();
                    Ex row = manifold.emit("midpoint_lift", all.front(), c, op);
                    Ex weight =
                        manifold.emit("midpoint_weight", all.front(), c, op);
                    if (weight)
                      weight = Ex(b, castFloat(b, b.getLoc(), weight.get(),
                                               xType.getElementType()));
                    return {row, weight};
                  });
  if (!lifted)
    return failure();
  // The weights' sum in f64: a row program over the rows of W.
  Operands summing;
  summing.add(op.getW(), /*isPerRow=*/true);
  summing.add(lifted.getResult(1), /*isPerRow=*/false);
  auto sumType = RankedTensorType::get({wType.getDimSize(0)}, b.getF64Type());
  RowwiseOp sum = makeRowwise(b, {sumType}, summing, [&](ArrayRef<Ex> all) {
    return SmallVector<Ex>{dot(all[0], all[1])};
  });
  Value rows = MatmulOp::create(b, getPlainType(op.getType()), op.getW(),
                                lifted.getResult(0), UnitAttr(), UnitAttr());
  Operands dropping;
  dropping.add(rows, /*isPerRow=*/true);
  dropping.add(sum.getResult(0), /*isPerRow=*/true);
  for (Value c : curvatures)
    dropping.add(c, /*isPerRow=*/false);
  RowwiseOp out = makeRowwise(
      b, getPlainType(op.getType()), dropping, [&](ArrayRef<Ex> all) {
        return SmallVector<Ex>{manifold.emit("midpoint_drop", all.take_front(2),
                                             all.drop_front(2), op)};
      });
  if (!out)
    return failure();
  replaceByPlain(b, op, out.getResult(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Formulas by name
//===----------------------------------------------------------------------===//

LogicalResult expandApply(ApplyOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldOp page;
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    return op.emitOpError("expects a formula, but got ") << op.getCallee();
  Operands operands;
  for (auto [i, v] : llvm::enumerate(toPlain(b, op.getArgs()))) {
    auto tensor = dyn_cast<RankedTensorType>(v.getType());
    bool isNumber =
        i >= formula.getNumArguments() || formula.getKind(i) == "number";
    operands.add(v, tensor && (isNumber || tensor.getRank() == 2));
  }
  RowwiseOp rowwise = makeRowwise(
      b, getPlainType(op.getType()), operands, [&](ArrayRef<Ex> all) {
        return SmallVector<Ex>{instantiate(
            formula, page, all.take_front(formula.getNumArguments()),
            all.drop_front(formula.getNumArguments()))};
      });
  if (!rowwise)
    return failure();
  replaceByPlain(b, op, rowwise.getResult(0));
  return success();
}

/// A scratch block for a pair program, and the formula at its end.
struct PairBuilder {
  PairFormula formula;
  ImplicitLocOpBuilder scratch;

  explicit PairBuilder(ImplicitLocOpBuilder &b)
      : scratch(b.getLoc(), b.getContext()) {
    scratch.setInsertionPointToEnd(&formula.block);
  }
  Ex add(Value operand, PairSide side) {
    return formula.addArgument(scratch, operand, side);
  }
};

LogicalResult expandApplyPairs(ApplyPairsOp op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldOp page;
  FormulaOp formula = resolveFormula(op.getCallee(), op, page);
  if (!formula)
    return op.emitOpError("expects a formula, but got ") << op.getCallee();
  PairBuilder pairs(b);
  SmallVector<Ex> args;
  for (auto [i, v] : llvm::enumerate(toPlain(b, op.getArgs()))) {
    StringRef kind =
        i < formula.getNumArguments() ? formula.getKind(i) : "number";
    PairSide side = !isa<RankedTensorType>(v.getType()) ? PairSide::shared
                    : kind == "column"                  ? PairSide::column
                                                        : PairSide::row;
    args.push_back(pairs.add(v, side));
  }
  unsigned count = formula.getNumArguments();
  Ex logit = instantiate(formula, page, ArrayRef(args).take_front(count),
                         ArrayRef(args).drop_front(count));
  if (!logit)
    return failure();
  pairs.formula.result = logit.get();
  FloatType math =
      op.getMath() ? cast<FloatType>(*op.getMath()) : FloatType(b.getF64Type());
  PairwiseOp pairwise =
      splitPairs(b, pairs.formula, op.getReducer(), math, op.getTargets());
  if (!pairwise)
    return failure();
  op.replaceAllUsesWith(pairwise.getResult(0));
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Distances of all pairs
//===----------------------------------------------------------------------===//

/// A pair program over the squared distance. `logit` maps the squared distance
/// and the extra shared number (null without `extra`) to the logit.
PairwiseOp makePairwise(ImplicitLocOpBuilder &b, Reducer reducer,
                        ManifoldInterface manifold, FloatType math, Value x,
                        Value y, ValueRange curvatures, Value extra,
                        Value targets, Operation *scope,
                        function_ref<Ex(Ex, Ex)> logit) {
  PairBuilder pairs(b);
  SmallVector<Ex> args{pairs.add(x, PairSide::row),
                       pairs.add(y, PairSide::column)};
  SmallVector<Ex> c;
  for (Value v : curvatures)
    c.push_back(pairs.add(v, PairSide::shared));
  Ex sqdist = manifold.emit("pair_sqdist", args, c, scope);
  if (!sqdist)
    return nullptr;
  Ex number = extra ? pairs.add(extra, PairSide::shared) : Ex();
  pairs.formula.result = logit(sqdist, number).get();
  return splitPairs(b, pairs.formula, reducer, math, targets);
}

template <class Op>
LogicalResult expandAllPairs(Op op, function_ref<Ex(Ex)> ofSqDist) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  PairwiseOp pairwise = makePairwise(
      b, Reducer::none, manifold, op.getMathType(), toPlain(b, op.getX()),
      toPlain(b, op.getY()), curvatures, nullptr, nullptr, op,
      [&](Ex sqdist, Ex) { return ofSqDist(sqdist); });
  if (!pairwise)
    return failure();
  replaceByPlain(b, op, pairwise.getResult(0));
  return success();
}

template <class Op>
LogicalResult expandDecoder(Op op, Reducer reducer, Value targets) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  PairwiseOp pairwise = makePairwise(
      b, reducer, manifold, op.getMathType(), toPlain(b, op.getH()),
      toPlain(b, op.getE()), curvatures, op.getTau(), targets, op,
      [](Ex sqdist, Ex tau) { return -(sqdist / tau); });
  if (!pairwise)
    return failure();
  replaceByPlain(b, op, pairwise.getResult(0));
  return success();
}

/// Expands `op` if it is a named op.
LogicalResult expandNamed(Operation *op) {
  if (auto o = dyn_cast<SqDistOp>(op); o && o.getAllPairs())
    return expandAllPairs(o, [](Ex d2) { return d2; });
  if (auto o = dyn_cast<GeodesicDistOp>(op); o && o.getAllPairs())
    return expandAllPairs(o, [](Ex d2) { return geo::sqrt(d2); });
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](DistanceLogSoftmaxOp o) {
        return expandDecoder(o, Reducer::softmax, nullptr);
      })
      .Case([](DistanceNllOp o) {
        return expandDecoder(o, Reducer::nll, o.getTargets());
      })
      .Case([](FnApplyOp o) { return expandFnApply(o); })
      .Case([](MobiusMatvecOp o) { return expandMatvec(o); })
      .Case([](MidpointOp o) { return expandMidpoint(o); })
      .Case([](ApplyOp o) { return expandApply(o); })
      .Case([](ApplyPairsOp o) { return expandApplyPairs(o); })
      .Case([](RowFormulaOpInterface o) { return expandRowFormula(o); })
      .Default([](Operation *) { return success(); });
}

/// Formulas stand in the programs that use them now.
void erasePages(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<ManifoldOp, FormulaOp>(op))
      op.erase();
}

/// Drops encodings everywhere, and the doors with them.
void stripPoints(Operation *module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    if (getManifold(type))
      return getPlainType(type);
    return std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  SmallVector<Operation *> doors;
  module->walk([&](Operation *op) {
    if (isa<CoordsOp, PointOp>(op))
      doors.push_back(op);
  });
  for (Operation *door : doors) {
    door->getResult(0).replaceAllUsesWith(door->getOperand(0));
    door->erase();
  }
}

struct ExpandPass : geo::impl::GeoExpandBase<ExpandPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(expandNamed(op)))
        return signalPassFailure();
    erasePages(getOperation());
    stripPoints(getOperation());
  }
};

} // namespace
