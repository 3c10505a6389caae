// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on pairs of rows: pair programs that are split off a formula.
#include "dialect/Signatures.h"
#include "passes/expand/Expand.h"
#include "passes/expand/PairSplit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

namespace {

/// A pair formula, and the builder at its end.
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
  unsigned count = formula.getNumArguments();
  PairBuilder pairs(b);
  SmallVector<Ex> args;
  for (auto [i, v] : llvm::enumerate(toPlain(b, op.getArgs()))) {
    bool isColumn = i < count && formula.getKind(i) == "column";
    PairSide side = !isa<RankedTensorType>(v.getType()) ? PairSide::shared
                    : isColumn                          ? PairSide::column
                                                        : PairSide::row;
    args.push_back(pairs.add(v, side));
  }
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

/// What a pair program over squared distances is made of.
struct Distances {
  Value x, y;
  ValueRange curvature;
  FloatType math;
  Reducer reducer = Reducer::none;
  Value tau = nullptr, targets = nullptr;
};

/// Replaces `op` by the pair program whose logit is `logit` of the squared
/// distance and tau (null without one).
template <class Op>
LogicalResult expandDistances(Op op, const Distances &of,
                              function_ref<Ex(Ex, Ex)> logit) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  Value x = toPlain(b, of.x), y = toPlain(b, of.y);
  PairBuilder pairs(b);
  Ex sum;
  LogicalResult emitted = forEachFactor(
      manifold, cast<RankedTensorType>(x.getType()).getDimSize(1),
      getCurvatureValues(b, manifold, of.curvature),
      [&](const Factor &factor, int64_t offset, ArrayRef<Value> curvatures) {
        SmallVector<Ex> c;
        Ex row =
            pairs.add(takeColumns(b, x, offset, factor.width), PairSide::row);
        Ex column = pairs.add(takeColumns(b, y, offset, factor.width),
                              PairSide::column);
        for (Value v : curvatures)
          c.push_back(pairs.add(v, PairSide::shared));
        ManifoldInterface own = factor.getManifold();
        Ex term =
            own.emit(getPairDistance(own, of.math, op), {row, column}, c, op);
        if (!term)
          return failure();
        sum = sum ? sum + term : term;
        return success();
      });
  if (failed(emitted))
    return failure();
  Ex tau = of.tau ? pairs.add(of.tau, PairSide::shared) : Ex();
  pairs.formula.result = logit(sum, tau).get();
  PairwiseOp pairwise =
      splitPairs(b, pairs.formula, of.reducer, of.math, of.targets);
  if (!pairwise)
    return failure();
  replaceByPlain(b, op, pairwise.getResult(0));
  return success();
}

template <class Op>
LogicalResult expandAllPairs(Op op, function_ref<Ex(Ex)> ofSqDist) {
  Distances of{op.getX(), op.getY(), op.getCurvature(), op.getMathType()};
  return expandDistances(op, of,
                         [&](Ex sqdist, Ex) { return ofSqDist(sqdist); });
}

template <class Op>
LogicalResult expandDecoder(Op op, Reducer reducer, Value targets) {
  Distances of{op.getH(),        op.getE(), op.getCurvature(),
               op.getMathType(), reducer,   op.getTau(),
               targets};
  return expandDistances(op, of,
                         [](Ex sqdist, Ex tau) { return -(sqdist / tau); });
}

} // namespace

bool geo::isOnPairs(Operation *op) {
  if (auto o = dyn_cast<SqDistOp>(op))
    return o.getAllPairs();
  if (auto o = dyn_cast<GeodesicDistOp>(op))
    return o.getAllPairs();
  return isa<DistanceLogSoftmaxOp, DistanceNllOp, ApplyPairsOp>(op);
}

LogicalResult geo::expandPairOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](SqDistOp o) {
        return expandAllPairs(o, [](Ex d2) { return d2; });
      })
      .Case([](GeodesicDistOp o) {
        return expandAllPairs(o, [](Ex d2) { return geo::sqrt(d2); });
      })
      .Case([](DistanceLogSoftmaxOp o) {
        return expandDecoder(o, Reducer::softmax, nullptr);
      })
      .Case([](DistanceNllOp o) {
        return expandDecoder(o, Reducer::nll, o.getTargets());
      })
      .Case([](ApplyPairsOp o) { return expandApplyPairs(o); });
}
