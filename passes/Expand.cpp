// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops -> constructs, and points -> plain tensors.
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"

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

void expandRowFormula(RowFormulaOpInterface op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> rows = toPlain(b, op.getRowOperands());
  SmallVector<Value> shared =
      getCurvatureValues(b, manifold, op.getCurvatureOperands());
  Type resultType = getPlainType(op->getResult(0).getType());
  auto rowwise = RowwiseOp::create(b, resultType, rows, shared);
  fillRegion(b, rowwise.getBlock(), [&](ArrayRef<Ex> arguments) {
    SmallVector<Ex> args(arguments.take_front(rows.size()));
    for (double number : op.getNumberArguments())
      args.push_back(args.front().number(number));
    return SmallVector<Ex>{manifold.emit(op.getFormula(), args,
                                         arguments.drop_front(rows.size()))};
  });
  replaceByPlain(b, op, rowwise.getResult(0));
}

/// The side scalars of every row of `x`: a row program, or nothing.
SmallVector<Value> makeSides(ImplicitLocOpBuilder &b,
                             ManifoldInterface manifold, Value x,
                             ValueRange curvatures) {
  auto type = cast<RankedTensorType>(x.getType());
  auto scalar = RankedTensorType::get({type.getDimSize(0)}, b.getF64Type());
  // How many scalars there are shows once the page has emitted them.
  Block scratch;
  SmallVector<Ex> c;
  ImplicitLocOpBuilder sb(b.getLoc(), b.getContext());
  sb.setInsertionPointToEnd(&scratch);
  Ex row(sb, scratch.addArgument(RowwiseOp::getRowType(type), b.getLoc()));
  for (Value v : curvatures)
    c.emplace_back(sb, scratch.addArgument(v.getType(), b.getLoc()));
  SmallVector<Ex> sides = manifold.emitSide(row, c);
  if (sides.empty())
    return {};
  SmallVector<Type> results(sides.size(), scalar);
  auto rowwise = RowwiseOp::create(b, results, x, curvatures);
  IRMapping mapping;
  mapping.map(scratch.getArguments(), rowwise.getBlock().getArguments());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&rowwise.getBlock());
  for (Operation &op : scratch)
    b.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Ex e : sides)
    yielded.push_back(mapping.lookup(e.get()));
  YieldOp::create(b, yielded);
  return llvm::to_vector(
      llvm::map_range(rowwise.getResults(), [](Value v) { return v; }));
}

/// A pair program over the squared distance. `logit` maps the squared distance
/// and the extra shared number (null without `extra`) to the logit.
PairwiseOp makePairwise(ImplicitLocOpBuilder &b, Reducer reducer,
                        ManifoldInterface manifold, FloatType math, Value x,
                        Value y, ValueRange curvatures, Value extra,
                        Value targets, function_ref<Ex(Ex, Ex)> logit) {
  SmallVector<GramKind> grams = manifold.getGrams();
  SmallVector<Value> xs(grams.size(), x), ys(grams.size(), y);
  SmallVector<Value> rowScalars = makeSides(b, manifold, x, curvatures);
  SmallVector<Value> columnScalars = makeSides(b, manifold, y, curvatures);
  SmallVector<Value> shared(curvatures);
  if (extra)
    shared.push_back(extra);
  auto pairwise =
      PairwiseOp::create(b, reducer, grams, math, xs, ys, rowScalars,
                         columnScalars, shared, targets);
  fillRegion(b, pairwise.getBlock(), [&](ArrayRef<Ex> arguments) {
    auto take = [&](size_t count) {
      ArrayRef<Ex> taken = arguments.take_front(count);
      arguments = arguments.drop_front(count);
      return taken;
    };
    ArrayRef<Ex> g = take(grams.size()), u = take(rowScalars.size()),
                 w = take(columnScalars.size()), c = take(curvatures.size());
    Ex sqdist = manifold.emitPairSqDist(g, u, w, c);
    return SmallVector<Ex>{logit(sqdist, extra ? arguments.front() : Ex())};
  });
  return pairwise;
}

template <class Op> void expandAllPairs(Op op, function_ref<Ex(Ex)> ofSqDist) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  PairwiseOp pairwise = makePairwise(
      b, Reducer::none, manifold, op.getMathType(), toPlain(b, op.getX()),
      toPlain(b, op.getY()), curvatures, nullptr, nullptr,
      [&](Ex sqdist, Ex) { return ofSqDist(sqdist); });
  replaceByPlain(b, op, pairwise.getResult(0));
}

template <class Op> void expandDecoder(Op op, Reducer reducer, Value targets) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  ManifoldInterface manifold = op.getManifold();
  SmallVector<Value> curvatures =
      getCurvatureValues(b, manifold, op.getCurvature());
  PairwiseOp pairwise = makePairwise(
      b, reducer, manifold, op.getMathType(), toPlain(b, op.getH()),
      toPlain(b, op.getE()), curvatures, op.getTau(), targets,
      [](Ex sqdist, Ex tau) { return -(sqdist / tau); });
  replaceByPlain(b, op, pairwise.getResult(0));
}

/// Expands `op` if it is a named op.
void expandNamed(Operation *op) {
  if (auto o = dyn_cast<SqDistOp>(op); o && o.getAllPairs())
    return expandAllPairs(o, [](Ex d2) { return d2; });
  if (auto o = dyn_cast<GeodesicDistOp>(op); o && o.getAllPairs())
    return expandAllPairs(o, [](Ex d2) { return geo::sqrt(d2); });
  if (auto o = dyn_cast<DistanceLogSoftmaxOp>(op))
    return expandDecoder(o, Reducer::softmax, nullptr);
  if (auto o = dyn_cast<DistanceNllOp>(op))
    return expandDecoder(o, Reducer::nll, o.getTargets());
  if (auto o = dyn_cast<RowFormulaOpInterface>(op))
    return expandRowFormula(o);
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
      expandNamed(op);
    stripPoints(getOperation());
  }
};

} // namespace
