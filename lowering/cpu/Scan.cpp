// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Scan.h"
#include "lowering/OpLowering.h"
#include "lowering/cpu/Copy.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

namespace {
/// How the ops of a body see a tensor: row by row, or all of it from each row.
struct Uses {
  bool byRow = false, whole = false;
};
} // namespace

static Uses getUses(Value v) {
  Uses uses;
  for (OpOperand &use : v.getUses()) {
    Operation *user = use.getOwner();
    unsigned i = use.getOperandNumber();
    // A view is read as its uses read it; a copy goes row by row.
    if (isView(user)) {
      Uses through = getUses(user->getResult(0));
      uses.byRow |= through.byRow;
      uses.whole |= through.whole;
    } else if (!isa<YieldOp>(user)) {
      bool isRow = true;
      if (auto rowwise = dyn_cast<RowwiseOp>(user))
        isRow = i < rowwise.getRows().size();
      else if (auto matmul = dyn_cast<MatmulOp>(user))
        isRow = i == 0 && !matmul.getTransposeA();
      else if (isa<GatherOp>(user))
        isRow = i == 1;
      (isRow ? uses.byRow : uses.whole) = true;
    }
  }
  return uses;
}

static bool isTensor(Value v) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && type.getRank() > 0;
}

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
        finals(outs.take_front(numStates)),
        stacked(outs.drop_front(numStates)) {}

  LogicalResult emit();

private:
  /// Classifies arguments; false if the rows cannot be split.
  bool canSplit();
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
  /// Inputs whose slice every row sees whole.
  llvm::SmallDenseSet<unsigned> wholeInputs;
  bool isSplit = false;
  Values states;
};
} // namespace

bool Scan::canSplit() {
  for (BlockArgument state : op.getStateArgs())
    if (isTensor(state) && getUses(state).whole)
      return false;
  ArrayRef<BlockArgument> inputArgs = op.getInputArgs();
  for (auto [i, input] : llvm::enumerate(inputArgs)) {
    Uses uses = getUses(input);
    if (uses.byRow && uses.whole)
      return false;
    if (!uses.byRow)
      wholeInputs.insert(i);
  }
  // Rows of a shared operand are the batch's only by coincidence.
  for (BlockArgument argument : op.getSharedArgs())
    if (getUses(argument).byRow)
      return false;
  for (Operation &inner : op.getBlock().without_terminator())
    if (!isView(&inner)) // its operand tells
      for (Value result : inner.getResults())
        if (isTensor(result) && getUses(result).whole)
          return false;
  return llvm::none_of(op.getYield().getValues(), [&](Value v) {
    return isTensor(v) && (llvm::is_contained(op.getSharedArgs(), v) ||
                           llvm::is_contained(inputArgs, v));
  });
}

/// The number of rows that steps work on: of a state, else of an input's slice.
Value Scan::getBatch() {
  for (Value state : init)
    if (auto type = dyn_cast<MemRefType>(state.getType());
        type && type.getRank() > 0)
      return g.dim(state, 0);
  for (auto [i, input] : llvm::enumerate(inputs))
    if (cast<MemRefType>(input.getType()).getRank() > 1 &&
        !wholeInputs.contains(i))
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
    myInputs.push_back(isRowed(v, 2) && !wholeInputs.contains(i)
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
  // Where rows depend on one another, one thread does all of them.
  isSplit = canSplit();
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
