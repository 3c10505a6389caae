// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOUNROLLSCAN
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// Offsets, sizes and strides of slice `t` of a stack whose slices have
/// `sizes`.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  Slice(ImplicitLocOpBuilder &b, int64_t t, ArrayRef<OpFoldResult> rest) {
    offsets.push_back(b.getIndexAttr(t));
    sizes.push_back(b.getIndexAttr(1));
    sizes.append(rest.begin(), rest.end());
    offsets.append(rest.size(), b.getIndexAttr(0));
    strides.append(sizes.size(), b.getIndexAttr(1));
  }
};

/// Unrolling is for looking at: beyond this, memory is what would run out.
constexpr int64_t mostSteps = 1 << 16;

LogicalResult unroll(ScanOp op) {
  int64_t steps =
      cast<RankedTensorType>(op.getInputs().front().getType()).getDimSize(0);
  if (ShapedType::isDynamic(steps))
    return op.emitOpError(
               "expects a static number of steps to unroll, but got ")
           << op.getInputs().front().getType();
  if (steps > mostSteps)
    return op.emitOpError("expects at most ")
           << mostSteps << " steps to unroll, but got " << steps;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto sizesOf = [&](Value v) {
    return tensor::getMixedSizes(b, op.getLoc(), v);
  };
  unsigned numStates = op.getNumStates();
  SmallVector<Value> states(op.getInit());
  SmallVector<Value> stacks(op.getNumResults() - numStates);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t t = op.getReverse() ? steps - 1 - i : i;
    bool cuts = op.getTruncate() > 0 && t > 0 && t % op.getTruncate() == 0;
    if (cuts && !op.getReverse())
      for (Value &state : states)
        state = DetachOp::create(b, state.getType(), state);
    IRMapping map;
    map.map(op.getStateArgs(), states);
    for (auto [arg, input] : llvm::zip(op.getInputArgs(), op.getInputs())) {
      Slice slice(b, t, ArrayRef(sizesOf(input)).drop_front());
      map.map(arg, tensor::ExtractSliceOp::create(
                       b, cast<RankedTensorType>(arg.getType()), input,
                       slice.offsets, slice.sizes, slice.strides));
    }
    map.map(op.getSharedArgs(), op.getShared());
    for (Operation &inner : op.getBlock().without_terminator())
      b.clone(inner, map);
    for (unsigned r = 0; r < op.getNumResults(); ++r) {
      Value v = map.lookupOrDefault(op.getYield().getOperand(r));
      if (r < numStates) {
        states[r] = v;
        continue;
      }
      Value &stack = stacks[r - numStates];
      SmallVector<OpFoldResult> rest = sizesOf(v);
      if (!stack) {
        SmallVector<OpFoldResult> sizes = {b.getIndexAttr(steps)};
        sizes.append(rest);
        auto type = cast<RankedTensorType>(op.getResult(r).getType());
        stack = tensor::EmptyOp::create(b, sizes, type.getElementType(),
                                        type.getEncoding());
        if (stack.getType() != type)
          stack = tensor::CastOp::create(b, type, stack);
      }
      Slice slice(b, t, rest);
      stack = tensor::InsertSliceOp::create(b, v, stack, slice.offsets,
                                            slice.sizes, slice.strides);
    }
    // A reverse scan is the adjoint of a truncated one: the cotangent stops
    // here.
    if (cuts && op.getReverse())
      for (Value &state : states) {
        auto type = cast<RankedTensorType>(state.getType());
        Value zero = arith::ConstantOp::create(
            b, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
        SmallVector<Value> dynamic;
        for (OpFoldResult size : sizesOf(state))
          if (auto v = dyn_cast<Value>(size))
            dynamic.push_back(v);
        state = tensor::SplatOp::create(b, type, zero, dynamic);
      }
  }
  states.append(stacks);
  for (auto [result, value] : llvm::zip(op.getResults(), states))
    if (!value) // no steps at all
      return op.emitOpError("expects at least one step to unroll, but got 0");
  op->replaceAllUsesWith(states);
  op->erase();
  return success();
}

struct UnrollScanPass : geo::impl::GeoUnrollScanBase<UnrollScanPass> {
  void runOnOperation() override {
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp op) { scans.push_back(op); });
    for (ScanOp op : scans)
      if (failed(unroll(op)))
        return signalPassFailure();
  }
};

} // namespace
