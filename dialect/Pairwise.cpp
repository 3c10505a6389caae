// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise and its adjoint share constraints.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"

using namespace mlir;
using namespace geo;

namespace {
/// `tensor<NxT>`.
RankedTensorType getColumn(int64_t size, Type element) {
  return RankedTensorType::get({size}, element);
}

int64_t getRows(ValueRange tensors) {
  return cast<RankedTensorType>(tensors.front().getType()).getDimSize(0);
}

template <class Op>
Block *addPairBlock(OperationState &state, Type math, unsigned arguments) {
  auto *block = new Block;
  state.addRegion()->push_back(block);
  for (unsigned i = 0; i < arguments; ++i)
    block->addArgument(math, state.location);
  return block;
}

SmallVector<Type> getPairwiseResults(Reducer reducer, ValueRange xs,
                                     ValueRange ys, MLIRContext *context) {
  int64_t n = getRows(xs), v = getRows(ys);
  Type f64 = Float64Type::get(context);
  bool isWide = llvm::any_of(
      xs, [](Value x) { return getElementTypeOrSelf(x.getType()).isF64(); });
  Type storage = isWide ? f64 : Float32Type::get(context);
  switch (reducer) {
  case Reducer::none:
    return {RankedTensorType::get({n, v}, storage)};
  case Reducer::softmax:
    return {RankedTensorType::get({n, v}, storage), getColumn(n, f64)};
  case Reducer::nll:
    return {getColumn(n, f64), getColumn(n, f64)};
  }
  llvm_unreachable("unknown reducer");
}

/// C1..C3, C5, C7 and the number of yielded values, which both ops share.
template <class Op> LogicalResult verifyPair(Op op, unsigned numYielded) {
  if (failed(verifyBody(op, op.getBlock())))
    return failure();
  unsigned k = op.getXs().size();
  if (k == 0 || op.getYs().size() != k || op.getNumGrams() != k) // C1
    return op.emitOpError("expects as many y's as x's and Gram kinds, at least "
                          "one, but got ")
           << k << " x's, " << op.getYs().size() << " y's and "
           << op.getNumGrams() << " kinds";
  for (unsigned i = 0; i < k; ++i) { // C2
    auto x = cast<RankedTensorType>(op.getXs()[i].getType());
    auto y = cast<RankedTensorType>(op.getYs()[i].getType());
    if (!RowwiseOp::getRowType(x) || !RowwiseOp::getRowType(y) ||
        x.getRank() != 2 || y.getRank() != 2 ||
        x.getElementType() != y.getElementType())
      return op.emitOpError("expects plain x and y of one element type, with "
                            "rank 2 and static row length, but got ")
             << x << " and " << y;
    if (x.getDimSize(1) != y.getDimSize(1) ||
        !mayEqual(x.getDimSize(0), getRows(op.getXs())) ||
        !mayEqual(y.getDimSize(0), getRows(op.getYs())))
      return op.emitOpError(
                 "expects x's of one N, y's of one V, and each x and "
                 "y of equal row length, but got ")
             << x << " and " << y;
  }
  auto verifyScalars = [&](OperandRange scalars, StringRef what,
                           int64_t rows) -> LogicalResult {
    for (Value v : scalars) {
      auto t = cast<RankedTensorType>(v.getType());
      if (t.getRank() != 1 || !t.getElementType().isF64() ||
          !mayEqual(t.getDimSize(0), rows))
        return op.emitOpError("expects ")
               << what << " scalars of type "
               << getColumn(rows, Float64Type::get(op.getContext()))
               << ", but got " << t;
    }
    return success();
  };
  if (failed(verifyScalars(op.getRowScalars(), "row", getRows(op.getXs()))) ||
      failed(
          verifyScalars(op.getColumnScalars(), "column", getRows(op.getYs()))))
    return failure();
  Type math = op.getMath(); // C3
  if (!math.isF32() && !math.isF64())
    return op.emitOpError("expects math f32 or f64, but got ") << math;
  for (Value x : op.getXs())
    if (getElementTypeOrSelf(x.getType()).isF64() && math.isF32())
      return op.emitOpError("expects math f64 over rows of f64, but got ")
             << math;
  unsigned arguments = k + op.getRowScalars().size() +
                       op.getColumnScalars().size() + op.getShared().size();
  if (op.getBlock().getNumArguments() != arguments)
    return op.emitOpError("expects ")
           << arguments << " region arguments, but got "
           << op.getBlock().getNumArguments();
  for (BlockArgument argument : op.getBlock().getArguments())
    if (argument.getType() != math)
      return op.emitOpError("expects region arguments of type ")
             << math << ", but got " << argument.getType();
  for (Operation &inner : op.getBlock()) // C7
    if (!isProgramOp(&inner, /*scalarsOnly=*/true))
      return inner.emitOpError("expects to stand outside of ")
             << op->getName()
             << ": it has no derivative rule and lowering there";
  if (op.getYield().getNumOperands() != numYielded) // C4
    return op.emitOpError("expects ")
           << numYielded << " yielded values, but got "
           << op.getYield().getNumOperands();
  for (Value v : op.getYield().getValues())
    if (v.getType() != math)
      return op.emitOpError("expects yielded values of type ")
             << math << ", but got " << v.getType();
  bool isNll = op.getReducer() == Reducer::nll; // C5
  if (isNll != static_cast<bool>(op.getTargets()))
    return op.emitOpError("expects targets iff the reducer is nll, but got ")
           << (op.getTargets() ? "targets" : "none");
  if (isNll) {
    auto t = cast<RankedTensorType>(op.getTargets().getType());
    RankedTensorType want =
        getColumn(getRows(op.getXs()), IntegerType::get(op.getContext(), 32));
    if (t.getElementType() != want.getElementType() ||
        failed(verifyCompatibleShape(t, want)))
      return op.emitOpError("expects targets of type ")
             << want << ", but got " << t;
  }
  return success();
}

template <class Op>
LogicalResult verifyResults(Op op, ArrayRef<Type> want) { // C6
  if (op->getNumResults() != want.size())
    return op.emitOpError("expects ")
           << want.size() << " results, but got " << op->getNumResults();
  for (auto [i, type] : llvm::enumerate(want))
    if (failed(verifyCompatibleShape(op->getResult(i).getType(), type)) ||
        getElementTypeOrSelf(op->getResult(i).getType()) !=
            getElementTypeOrSelf(type))
      return op.emitOpError("expects result ")
             << i << " of type " << type << ", but got "
             << op->getResult(i).getType();
  return success();
}

/// dX.., dY.., du.., dw.., ds..: the types of the `count` first operands, in
/// order; then nll and lse if the op `isFused`.
SmallVector<Type> getPairwiseGradResults(ValueRange operands, unsigned count,
                                         bool isFused) {
  SmallVector<Type> types(operands.take_front(count).getTypes());
  if (isFused)
    types.append(2, getColumn(getRows(operands),
                              Float64Type::get(types[0].getContext())));
  return types;
}
} // namespace

YieldOp PairwiseOp::getYield() {
  return cast<YieldOp>(getBlock().getTerminator());
}
YieldOp PairwiseGradOp::getYield() {
  return cast<YieldOp>(getBlock().getTerminator());
}

void PairwiseOp::build(OpBuilder &builder, OperationState &state,
                       Reducer reducer, ArrayRef<GramKind> grams,
                       FloatType math, ValueRange xs, ValueRange ys,
                       ValueRange rowScalars, ValueRange columnScalars,
                       ValueRange shared, Value targets) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.reducer = ReducerAttr::get(context, reducer);
  properties.math = TypeAttr::get(math);
  properties.grams = builder.getArrayAttr(
      llvm::map_to_vector(grams, [&](GramKind kind) -> Attribute {
        return GramKindAttr::get(context, kind);
      }));
  for (ValueRange group : {xs, ys, rowScalars, columnScalars, shared})
    state.addOperands(group);
  if (targets)
    state.addOperands(targets);
  properties.operandSegmentSizes = {static_cast<int32_t>(xs.size()),
                                    static_cast<int32_t>(ys.size()),
                                    static_cast<int32_t>(rowScalars.size()),
                                    static_cast<int32_t>(columnScalars.size()),
                                    static_cast<int32_t>(shared.size()),
                                    targets ? 1 : 0};
  state.addTypes(getPairwiseResults(reducer, xs, ys, context));
  addPairBlock<PairwiseOp>(state, math,
                           xs.size() + rowScalars.size() +
                               columnScalars.size() + shared.size());
}

void PairwiseGradOp::build(OpBuilder &builder, OperationState &state,
                           PairwiseOp primal, ValueRange operands, Value lse,
                           Value cotangent) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.reducer = primal.getReducerAttr();
  properties.math = primal.getMathAttr();
  properties.grams = primal.getGramsAttr();
  state.addOperands(operands);
  if (lse)
    state.addOperands(lse);
  state.addOperands(cotangent);
  auto primalSegments = primal.getProperties().operandSegmentSizes;
  llvm::copy(primalSegments, properties.operandSegmentSizes.begin());
  properties.operandSegmentSizes[6] = lse ? 1 : 0;
  properties.operandSegmentSizes[7] = 1;
  unsigned count = operands.size() - (primal.getTargets() ? 1 : 0);
  bool isFused = primal.getReducer() == Reducer::nll && !lse;
  state.addTypes(getPairwiseGradResults(operands, count, isFused));
  addPairBlock<PairwiseGradOp>(state, primal.getMath(),
                               primal.getBlock().getNumArguments());
}

LogicalResult PairwiseOp::verify() {
  if (failed(verifyPair(*this, 1)))
    return failure();
  return verifyResults(
      *this, getPairwiseResults(getReducer(), getXs(), getYs(), getContext()));
}

LogicalResult PairwiseGradOp::verify() {
  if (failed(verifyPair(*this, 1 + getBlock().getNumArguments())))
    return failure();
  bool wantsLse = getReducer() != Reducer::none;
  if (!isFused() && wantsLse != static_cast<bool>(getLse()))
    return emitOpError("expects lse for the reducer softmax, lse or none for "
                       "nll, and none for none, but got ")
           << (getLse() ? "lse" : "none");
  SmallVector<Type> primal = // C8
      getPairwiseResults(getReducer(), getXs(), getYs(), getContext());
  auto verifyType = [&](StringRef what, Value v, Type want) -> LogicalResult {
    if (failed(verifyCompatibleShape(v.getType(), want)) ||
        getElementTypeOrSelf(v.getType()) != getElementTypeOrSelf(want))
      return emitOpError("expects ")
             << what << " of type " << want << ", but got " << v.getType();
    return success();
  };
  if (failed(verifyType("a cotangent", getCotangent(), primal.front())) ||
      (getLse() && failed(verifyType("lse", getLse(), primal.back()))))
    return failure();
  unsigned count = getXs().size() + getYs().size() + getRowScalars().size() +
                   getColumnScalars().size() + getShared().size();
  return verifyResults(*this,
                       getPairwiseGradResults(getOperands(), count, isFused()));
}
