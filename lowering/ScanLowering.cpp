// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step of a geo.scan over buffers.
#include "lowering/LoopUtils.h"
#include "lowering/OpLowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace geo;

/// False for views and constants.
static bool hasBuffer(Operation *op) {
  return !isView(op) && !isa<arith::ConstantOp>(op);
}

namespace {

/// Buffers of one step: yielded values stand in the outs of the step, others in
/// storage that outlives it, or in buffers of the step itself.
class StepBuffers {
public:
  explicit StepBuffers(ScanOp scan) : scan(scan) {
    for (auto [i, v] : llvm::enumerate(scan.getYield().getValues())) {
      Operation *op = v.getDefiningOp();
      if (isa<TensorType>(v.getType()) && op && hasBuffer(op))
        yielded.try_emplace(v, i);
    }
    places =
        findPlaces(scan.getBlock(), [&](Value v) { return !yielded.count(v); });
  }

  LogicalResult allocate(ImplicitLocOpBuilder &b, ConstructEmitter &emitter,
                         ValueRange operands) {
    BufferSizes sizes = step(b, operands);
    for (Operation &op : scan.getBlock().without_terminator())
      for (OpResult result : op.getResults())
        if (isa<TensorType>(result.getType()) && hasBuffer(&op) &&
            !yielded.count(result) && !places.count(result))
          storage[result] = emitter.allocateBuffer(
              b, cast<MemRefType>(getBufferType(result.getType())),
              sizes.get(b, result));
    return success();
  }

  void release(ImplicitLocOpBuilder &b, ConstructEmitter &emitter) {
    for (auto [result, buffer] : storage)
      emitter.releaseBuffer(b, buffer);
    storage.clear();
  }

  LogicalResult emit(ImplicitLocOpBuilder &b, ConstructEmitter &emitter,
                     ValueRange arguments, ValueRange outs);

private:
  /// Sizes inside the region where its operands are `operands`.
  BufferSizes step(ImplicitLocOpBuilder &b, ValueRange operands) {
    BufferSizes sizes([](Value v) { return v; });
    SmallVector<Sizes> operandSizes;
    for (Value v : operands)
      operandSizes.push_back(isa<MemRefType>(v.getType()) ? getMemRefSizes(b, v)
                                                          : Sizes());
    sizes.enter(scan, operandSizes);
    return sizes;
  }

  ScanOp scan;
  /// The first place of each yielded tensor that the step computes.
  DenseMap<Value, unsigned> yielded;
  Places places;
  llvm::MapVector<Value, Value> storage;
};

LogicalResult StepBuffers::emit(ImplicitLocOpBuilder &b,
                                ConstructEmitter &emitter, ValueRange arguments,
                                ValueRange outs) {
  OpLowering inner(emitter);
  inner.places = places;
  for (auto [old, argument] :
       llvm::zip(scan.getBlock().getArguments(), arguments)) {
    inner.values[old] = argument;
    if (isa<TensorType>(old.getType()))
      inner.sizes.set(old, getMemRefSizes(b, argument));
  }
  SmallVector<Value> local;
  inner.bufferOf = [&](ImplicitLocOpBuilder &b, OpResult result) {
    auto it = yielded.find(result);
    if (it != yielded.end())
      return outs[it->second];
    if (Value buffer = storage.lookup(result))
      return buffer;
    return local.emplace_back(emitAlloc(b, getBufferType(result.getType()),
                                        inner.sizes.get(b, result)));
  };
  Location loc = b.getLoc();
  for (Operation &op : scan.getBlock().without_terminator()) {
    b.setLoc(op.getLoc());
    if (failed(inner.lower(b, &op)))
      return failure();
  }
  b.setLoc(loc);
  for (auto [i, v] : llvm::enumerate(scan.getYield().getValues())) {
    Value value = inner.values.lookup(v);
    auto it = yielded.find(v);
    if (!isa<TensorType>(v.getType()))
      emitter.storeNumber(b, value, outs[i]);
    else if (it == yielded.end() || it->second != i)
      emitter.emitCopy(b, value, outs[i]);
  }
  for (Value buffer : local)
    memref::DeallocOp::create(b, buffer);
  return success();
}

} // namespace

Value ConstructEmitter::allocateBuffer(ImplicitLocOpBuilder &b, MemRefType type,
                                       ArrayRef<OpFoldResult> sizes) {
  return emitAlloc(b, type, sizes);
}

void ConstructEmitter::releaseBuffer(ImplicitLocOpBuilder &b, Value buffer) {
  memref::DeallocOp::create(b, buffer);
}

LogicalResult OpLowering::lowerScan(ImplicitLocOpBuilder &b, ScanOp op,
                                    ValueRange operands, ValueRange outs) {
  StepBuffers buffers(op);
  emitter.allocateStep = [&](ImplicitLocOpBuilder &b, ValueRange operands) {
    return buffers.allocate(b, emitter, operands);
  };
  emitter.releaseStep = [&](ImplicitLocOpBuilder &b) {
    buffers.release(b, emitter);
  };
  auto emitStep = [&](ImplicitLocOpBuilder &b, ValueRange arguments,
                      ValueRange outs) {
    bool parallel = std::exchange(emitter.parallel, false);
    LogicalResult emitted = buffers.emit(b, emitter, arguments, outs);
    emitter.parallel = parallel;
    return emitted;
  };
  LogicalResult emitted = emitter.emitScan(b, op, operands, outs, emitStep);
  emitter.allocateStep = nullptr;
  emitter.releaseStep = nullptr;
  return emitted;
}
