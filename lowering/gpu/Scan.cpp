// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.scan as one kernel: a block goes through all steps with some rows.
#include "lowering/gpu/Scan.h"
#include "lowering/ScanRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

/// Rows of a block. A step takes its time for reading the weights; two rows
/// share that without leaving multiprocessors idle at common batches.
static constexpr int64_t rowsPerBlock = 2;
/// Of a block where rows depend on one another.
static constexpr int64_t mostDependentRows = 32;
/// Workgroup memory for weights, of the 163 KiB that every target has.
static constexpr int64_t weightBytes = 98304;

static bool isRowed(Value v, int64_t rank) {
  auto type = dyn_cast<MemRefType>(v.getType());
  return type && type.getRank() >= rank;
}

namespace {
/// The operands of a scan and its outs, of which rows are split.
class ScanKernel {
public:
  ScanKernel(Gen &g, ScanOp op, const ScanRows &rows, ValueRange args)
      : g(g), op(op), rows(rows), numStates(op.getNumStates()),
        init(args.take_front(numStates)),
        inputs(args.slice(numStates, op.getInputs().size())),
        shared(args.slice(numStates + inputs.size(), op.getShared().size())),
        finals(args.slice(op->getNumOperands(), numStates)),
        stacked(args.drop_front(op->getNumOperands() + numStates)) {}

  LogicalResult emit(BlockConstructs &block, Value first, Value count,
                     ConstructEmitter &emitter,
                     ConstructEmitter::StepFn emitStep);

private:
  bool hasSegments() { return op.getReverse() && op.getTruncate() > 0; }
  Value getVersion(unsigned s, Value parity) {
    return g.slice(states[s], parity);
  }
  void stageWeights(BlockConstructs &block);

  Gen &g;
  ScanOp op;
  const ScanRows &rows;
  unsigned numStates;
  ValueRange init, inputs, shared, finals, stacked;
  Values states;
};
} // namespace

/// Shared operands at the right of products.
void ScanKernel::stageWeights(BlockConstructs &block) {
  int64_t left = weightBytes;
  for (auto [argument, operand] : llvm::zip_equal(op.getSharedArgs(), shared))
    for (Operation *user : argument.getUsers())
      if (auto matmul = dyn_cast<MatmulOp>(user);
          matmul && matmul.getB() == argument)
        left -= block.stageWeight(operand, matmul.getTransposeB(), left);
}

LogicalResult ScanKernel::emit(BlockConstructs &block, Value first, Value count,
                               ConstructEmitter &emitter,
                               ConstructEmitter::StepFn emitStep) {
  auto mine = [&](Value v, unsigned dimension) {
    return isRowed(v, dimension + 1) ? g.window(v, dimension, first, count) : v;
  };
  stageWeights(block);
  // The block's steps.
  Value steps = g.dim(inputs[0], 0), begin = g.idx(0), end = steps;
  Value hasFinals = g.integer(g.b.getI1Type(), 1);
  if (hasSegments()) {
    Value segment = gpu::BlockIdOp::create(g.b, gpu::Dimension::y);
    Value period = g.idx(op.getTruncate());
    begin = g.min(g.mul(segment, period), steps);
    end = g.min(g.add(begin, period), steps);
    hasFinals = g.equal(segment, g.idx(0));
  }
  for (unsigned s = 0; s < numStates; ++s) {
    auto type = dyn_cast<MemRefType>(init[s].getType());
    SmallVector<int64_t> shape = {2};
    if (type)
      append_range(shape, type.getShape());
    if (shape.size() > 1)
      shape[1] = block.getMaxRows();
    states.push_back(block.allocate(MemRefType::get(
        shape, type ? type.getElementType() : init[s].getType())));
    Value start = getVersion(s, g.idx(0));
    if (type)
      block.emitCopy(mine(init[s], 0), start);
    else
      block.storeNumber(init[s], start);
    // A cut before these steps.
    if (hasSegments())
      g.ifThen(g.less(end, steps), [&] { block.emitZero(start); });
  }
  if (numStates == 0) // else the copies of states have ended with one
    emitBarrier(g);
  Values stepOperands(init);
  append_range(stepOperands, inputs);
  append_range(stepOperands, shared);
  if (failed(emitter.allocateStep(g.b, stepOperands)))
    return failure();

  LogicalResult emitted = success();
  Value length = g.sub(end, begin);
  g.forLoop(length, [&](Value index) {
    Value t = op.getReverse() ? g.sub(g.sub(end, g.idx(1)), index) : index;
    Value parity = g.rem(index, g.idx(2));
    Values arguments, outs;
    for (unsigned s = 0; s < numStates; ++s) {
      Value now = getVersion(s, parity);
      arguments.push_back(isa<MemRefType>(init[s].getType()) ? now
                                                             : g.load(now));
      outs.push_back(getVersion(s, g.sub(g.idx(1), parity)));
    }
    for (auto [i, v] : llvm::enumerate(inputs)) {
      Value slice = g.slice(v, t);
      bool isWhole =
          rows.wholeInputs.contains(i) && !rows.yieldedInputs.contains(i);
      arguments.push_back(isWhole ? slice : mine(slice, 0));
    }
    append_range(arguments, shared);
    Values next = outs;
    for (Value v : stacked)
      outs.push_back(mine(g.slice(v, t), 0));
    emitted = emitStep(g.b, arguments, outs);
    if (!hasSegments())
      return;
    Value isCut = g.both(g.equal(g.rem(t, g.idx(op.getTruncate())), g.idx(0)),
                         g.less(g.idx(0), t));
    g.ifThen(isCut, [&] {
      for (Value state : next)
        block.emitZero(state);
    });
  });
  for (unsigned s = 0; s < numStates; ++s) {
    Value state = getVersion(s, g.rem(length, g.idx(2)));
    g.ifThen(hasFinals, [&] {
      if (isa<MemRefType>(init[s].getType()))
        block.emitCopy(state, mine(finals[s], 0));
      else
        g.ifThen(g.equal(first, g.idx(0)),
                 [&] { block.storeNumber(g.load(state), finals[s]); });
    });
  }
  emitter.releaseStep(g.b);
  return emitted;
}

/// The number of rows: of a state, else of an input's slice.
static Value getBatch(Gen &host, ValueRange init, ValueRange inputs,
                      const ScanRows &rows) {
  for (Value state : init)
    if (isRowed(state, 1))
      return host.dim(state, 0);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (isRowed(input, 2) && !rows.wholeInputs.contains(i))
      return host.dim(input, 1);
  return host.idx(1);
}

LogicalResult device::emitScan(KernelBuilder &kernels, ImplicitLocOpBuilder &b,
                               ScanOp op, ValueRange operands, ValueRange outs,
                               BlockConstructs *&inside,
                               ConstructEmitter &emitter,
                               ConstructEmitter::StepFn emitStep) {
  Gen host(b);
  ScanRows rows(op);
  unsigned numStates = op.getNumStates();
  ValueRange inputs = operands.slice(numStates, op.getInputs().size());
  Value batch = getBatch(host, operands.take_front(numStates), inputs, rows);
  int64_t blockRows = rowsPerBlock;
  if (!rows.canSplit || rows.yieldsOthers) {
    // One block has them all.
    std::optional<int64_t> size = getConstantIntValue(batch);
    if (!size || *size > mostDependentRows)
      return op.emitOpError("expects at most ")
             << mostDependentRows
             << " rows, known by type, where steps read rows of others, on a "
                "GPU";
    blockRows = std::max<int64_t>(1, *size);
  }
  Value segments = host.idx(1);
  if (op.getReverse() && op.getTruncate() > 0)
    segments = host.ceilDiv(host.dim(inputs[0], 0), host.idx(op.getTruncate()));
  Values all(operands);
  all.append(outs.begin(), outs.end());
  all.push_back(batch);
  LogicalResult emitted = success();
  kernels.launch(
      host, op.getReverse() ? "scan_reverse" : "scan",
      {host.ceilDiv(batch, host.idx(blockRows)), segments, host.idx(1)},
      BlockConstructs::threads, all, [&](Gen &g, ValueRange args) {
        Workgroup memory(g);
        Value batch = args.back();
        Value first =
            g.mul(gpu::BlockIdOp::create(g.b, gpu::Dimension::x).getResult(),
                  blockRows);
        g.ifThen(g.less(first, batch), [&] {
          Value count = g.min(g.sub(batch, first), g.idx(blockRows));
          BlockConstructs block(g, memory, count, blockRows);
          inside = &block;
          ScanKernel scan(g, op, rows, args.drop_back());
          emitted = scan.emit(block, first, count, emitter, emitStep);
          inside = nullptr;
        });
        return memory.getBytes();
      });
  return emitted;
}
