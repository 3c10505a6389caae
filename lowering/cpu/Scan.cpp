// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Scan.h"
#include "lowering/ScanRows.h"
#include "lowering/cpu/Copy.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

namespace {
class Scan {
public:
  Scan(Work &work, Gen &g, ScanOp op, ValueRange operands, ValueRange outs,
       ConstructEmitter &emitter, ConstructEmitter::StepFn emitStep)
      : work(work), g(g), op(op), emitter(emitter), emitStep(emitStep),
        numStates(op.getNumStates()), operands(operands), outs(outs),
        init(operands.take_front(numStates)),
        inputs(operands.slice(numStates, op.getInputs().size())),
        shared(operands.take_back(op.getShared().size())),
        finals(outs.take_front(numStates)), stacked(outs.drop_front(numStates)),
        scanRows(op) {}

  LogicalResult emit();

private:
  bool hasSegments() { return op.getReverse() && op.getTruncate() > 0; }
  Value getBatch();
  /// Rows [lower, upper) of segments [first, last); `hasFinals` where these end
  /// at the final states.
  LogicalResult emitThread(Value tid, Value lower, Value upper, Value first,
                           Value last, Value hasFinals);
  /// The number of parts that segments of the time are split into.
  Value countSegmentParts(Value segments, Value threads, Value batch);
  /// A buffer for two versions of a state that starts as `first`.
  Value makeState(Value first);
  Value getVersion(unsigned s, Value parity);
  void zeroAfterCut(Value t, ValueRange states);

  Work &work;
  Gen &g;
  ScanOp op;
  ConstructEmitter &emitter;
  ConstructEmitter::StepFn emitStep;
  unsigned numStates;
  ValueRange operands, outs, init, inputs, shared, finals, stacked;
  const ScanRows scanRows;
  /// Where rows depend on one another, one thread does all of them.
  const bool isSplit = scanRows.canSplit && !scanRows.yieldsOthers &&
                       scanRows.yieldedInputs.empty();
  Values states;
};
} // namespace

/// The number of rows that steps work on: of a state, else of an input's slice.
Value Scan::getBatch() {
  for (Value state : init)
    if (auto type = dyn_cast<MemRefType>(state.getType());
        type && type.getRank() > 0)
      return g.dim(state, 0);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (cast<MemRefType>(input.getType()).getRank() > 1 &&
        !scanRows.wholeInputs.contains(i))
      return g.dim(input, 1);
  return g.idx(1);
}

Value Scan::makeState(Value first) {
  auto type = dyn_cast<MemRefType>(first.getType());
  SmallVector<int64_t> shape = {2};
  Values sizes;
  Type element = first.getType();
  if (type) {
    element = type.getElementType();
    for (int64_t i = 0; i < type.getRank(); ++i) {
      shape.push_back(type.getDimSize(i));
      if (type.isDynamicDim(i))
        sizes.push_back(g.dim(first, i));
    }
  }
  return g.alloc(shape, element, sizes);
}

Value Scan::getVersion(unsigned s, Value parity) {
  return g.slice(states[s], parity);
}

void Scan::zeroAfterCut(Value t, ValueRange next) {
  Value period = g.idx(op.getTruncate());
  Value isStart = g.equal(g.rem(t, period), g.idx(0));
  g.ifThen(g.both(isStart, g.less(g.idx(0), t)), [&] {
    for (Value state : next)
      g.fillZero(state, work.target.lanes);
  });
}

/// A cut ends the gradient: segments between cuts do not wait for one another.
/// Rows are split first, into parts of whole tiles; segments among the threads
/// that rows leave over.
Value Scan::countSegmentParts(Value segments, Value threads, Value batch) {
  Value rowParts = g.idx(1);
  if (isSplit)
    rowParts = g.min(g.max(g.div(batch, g.idx(work.target.tileRows)), g.idx(1)),
                     threads);
  return g.max(g.min(g.div(threads, rowParts), segments), g.idx(1));
}

LogicalResult Scan::emitThread(Value tid, Value lower, Value upper, Value first,
                               Value last, Value hasFinals) {
  Value rows = g.sub(upper, lower);
  if (isSplit)
    work.scan->rows = rows;
  auto isRowed = [&](Value memref, int64_t rank) {
    auto type = dyn_cast<MemRefType>(memref.getType());
    return isSplit && type && type.getRank() >= rank;
  };
  // This thread's rows of everything.
  Values myInit, myInputs, myFinals, myStacked;
  for (Value v : init)
    myInit.push_back(isRowed(v, 1) ? g.window(v, 0, lower, rows) : v);
  for (Value v : finals)
    myFinals.push_back(isRowed(v, 1) ? g.window(v, 0, lower, rows) : v);
  for (auto [i, v] : llvm::enumerate(inputs))
    myInputs.push_back(isRowed(v, 2) && !scanRows.wholeInputs.contains(i)
                           ? g.window(v, 1, lower, rows)
                           : v);
  for (Value v : stacked)
    myStacked.push_back(isRowed(v, 2) ? g.window(v, 1, lower, rows) : v);

  // The steps [begin, end) of the segments.
  Value steps = g.dim(inputs[0], 0), begin = g.idx(0), end = steps;
  if (hasSegments()) {
    Value period = g.idx(op.getTruncate());
    begin = g.mul(first, period);
    end = g.min(g.mul(last, period), steps);
  }
  states.clear();
  for (unsigned s = 0; s < numStates; ++s) {
    states.push_back(makeState(myInit[s]));
    Value start = getVersion(s, g.idx(0));
    if (isa<MemRefType>(init[s].getType()))
      emitCopy(work, g, myInit[s], start);
    else
      g.store(init[s], start);
    if (hasSegments())
      g.ifThen(g.less(end, steps),
               [&] { g.fillZero(start, work.target.lanes); });
  }
  Values stepOperands = myInit;
  llvm::append_range(stepOperands, myInputs);
  llvm::append_range(stepOperands, shared);
  if (failed(emitter.allocateStep(g.b, stepOperands)))
    return failure();

  LogicalResult emitted = success();
  Value length = g.sub(end, begin);
  auto loop = scf::ForOp::create(g.b, g.idx(0), length, g.idx(1), ValueRange());
  work.scan->timeLoop = loop;
  {
    OpBuilder::InsertionGuard guard(g.b);
    g.b.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    Value t = op.getReverse() ? g.sub(g.sub(end, g.idx(1)), index) : index;
    Value parity = g.rem(index, g.idx(2));
    Values arguments, next;
    for (unsigned s = 0; s < numStates; ++s) {
      Value now = getVersion(s, parity);
      arguments.push_back(isa<MemRefType>(init[s].getType()) ? now
                                                             : g.load(now));
      next.push_back(getVersion(s, g.sub(g.idx(1), parity)));
    }
    for (Value v : myInputs)
      arguments.push_back(g.slice(v, t));
    llvm::append_range(arguments, shared);
    Values stepOuts = next;
    for (Value v : myStacked)
      stepOuts.push_back(g.slice(v, t));
    emitted = emitStep(g.b, arguments, stepOuts);
    if (hasSegments())
      zeroAfterCut(t, next);
  }
  for (unsigned s = 0; s < numStates; ++s) {
    Value state = getVersion(s, g.rem(length, g.idx(2)));
    if (isa<MemRefType>(init[s].getType()))
      g.ifThen(hasFinals, [&] { emitCopy(work, g, state, myFinals[s]); });
    else
      g.ifThen(g.equal(tid, g.idx(0)),
               [&] { g.store(g.load(state), finals[s]); });
    g.dealloc(states[s]);
  }
  emitter.releaseStep(g.b);
  for (Value buffer : work.scan->threadBuffers)
    g.dealloc(buffer);
  return emitted;
}

LogicalResult Scan::emit() {
  Value threadCount =
      isSplit || hasSegments() ? work.getThreadCount(g) : g.idx(1);
  Value batch = getBatch();
  Value segments = g.idx(1), segmentParts = g.idx(1);
  if (hasSegments()) {
    segments = g.ceilDiv(g.dim(inputs[0], 0), g.idx(op.getTruncate()));
    segmentParts = countSegmentParts(segments, threadCount, batch);
  }
  Value rowParts = isSplit ? g.div(threadCount, segmentParts) : g.idx(1);
  Value count = g.mul(rowParts, segmentParts);
  ScanFrame frame;
  for (Value v : shared)
    if (isa<MemRefType>(v.getType()))
      frame.invariant.insert(v);
  LogicalResult emitted = success();
  work.scan = &frame;
  auto threads = scf::ParallelOp::create(
      g.b, ValueRange{g.idx(0)}, ValueRange{count}, ValueRange{g.idx(1)});
  frame.threads = threads;
  {
    OpBuilder::InsertionGuard guard(g.b);
    g.b.setInsertionPointToStart(threads.getBody());
    Value tid = threads.getInductionVars()[0];
    Value rowPart = g.rem(tid, rowParts), segmentPart = g.div(tid, rowParts);
    auto [lower, upper] = Work::getPart(g, batch, 1, rowPart, rowParts);
    auto [first, last] =
        Work::getPart(g, segments, 1, segmentPart, segmentParts);
    emitted = emitThread(tid, lower, upper, first, last,
                         g.equal(segmentPart, g.idx(0)));
  }
  work.scan = nullptr;
  for (Value buffer : frame.sharedBuffers)
    g.dealloc(buffer);
  return emitted;
}

LogicalResult geo::cpu::emitScan(Work &work, Gen &g, ScanOp op,
                                 ValueRange operands, ValueRange outs,
                                 ConstructEmitter &emitter,
                                 ConstructEmitter::StepFn emitStep) {
  return Scan(work, g, op, operands, outs, emitter, emitStep).emit();
}
