// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a scan, in three parts:
//  1. the primal scan also yields the states that enter each step; all else of
//     its body is computed again for all T * B rows at once ("lifted");
//  2. a reverse scan carries the cotangents of the states, and stacks those of
//     what else its row programs read (of a shared operand, what each row
//     adds) and of the results of other ops that read such values;
//  3. after it sums, and the rules over the lifted body, give the rest: one
//     product for each weight.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/differentiate/Adjoint.h"

using namespace mlir;
using namespace geo;

namespace {

RankedTensorType getStackedType(int64_t steps, Type slice) {
  auto type = cast<RankedTensorType>(slice);
  SmallVector<int64_t> shape = {steps};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

int64_t getNumSteps(ScanOp op) {
  return cast<RankedTensorType>(op.getInputs().front().getType()).getDimSize(0);
}

/// The sum over rows, of type `wanted`.
Value sumRows(ImplicitLocOpBuilder &b, Value rows, Type wanted) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type sum = type.getElementType();
  if (type.getRank() > 1)
    sum = RankedTensorType::get(type.getShape().drop_front(), sum);
  auto op = RowwiseOp::create(b, TypeRange(sum), rows, ValueRange(),
                              /*numSums=*/1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&op.getBlock());
  YieldOp::create(b, ValueRange(op.getBlock().getArguments()));
  b.setInsertionPointAfter(op);
  Value total = op.getResult(0);
  if (total.getType() != wanted) // a number that is shared as f32
    total = arith::TruncFOp::create(b, wanted, total);
  return total;
}

class ScanAdjoint {
public:
  ScanAdjoint(ImplicitLocOpBuilder &b, Adjoint &outer, ScanOp op)
      : b(b), outer(outer), op(op), body(op.getBlock()) {}

  LogicalResult run();

private:
  void findRows();
  LogicalResult check();
  bool isLiftable(Operation *inner);
  void analyse();
  SmallVector<Value> saveStates();
  void lift(ArrayRef<Value> states);
  LogicalResult makeReverseScan();
  LogicalResult propagateLifted();

  bool isActive(Value v) const { return activity.contains(v); }
  bool dependsOnState(Value v) const { return stateful.contains(v); }
  /// The lifted value as [T, B, ...] again.
  Value unlift(Value original) {
    return unflattenSteps(b, lifted.lookup(original), stepsLike);
  }

  ImplicitLocOpBuilder &b;
  Adjoint &outer;
  ScanOp op;
  Block &body;
  Activity activity, stateful;
  /// Values whose leading dimension is the batch.
  llvm::DenseSet<Value> rowLocal;
  IRMapping lifted;
  /// Some [T, B, ...] tensor of the primal.
  Value stepsLike;
  /// Values whose stacked cotangents the reverse scan yields, flat.
  SmallVector<std::pair<Value, Value>> stackedCotangents;
};

LogicalResult ScanAdjoint::check() {
  if (op.getReverse())
    return op.emitOpError("expects a forward scan to differentiate, but got a "
                          "reverse one");
  for (Value v : op.getInit())
    if (auto type = dyn_cast<RankedTensorType>(v.getType());
        !type || type.getRank() == 0)
      return op.emitOpError("expects states that are batches of rows to "
                            "differentiate, but got ")
             << v.getType();
  for (Value v : op.getInputs())
    if (cast<RankedTensorType>(v.getType()).getRank() < 2)
      return op.emitOpError(
                 "expects inputs [T, B, ...] to differentiate, but got ")
             << v.getType();
  for (Operation &inner : body.without_terminator())
    if (!isLiftable(&inner))
      return inner.emitOpError(
          "expects to keep the rows of states and inputs apart in a geo.scan "
          "to differentiate, as geo.rowwise without sums and with all of its "
          "rows from there, geo.matmul and geo.gather by a shared operand do");
  return success();
}

/// Gives for T * B rows what it gives for B rows, T times.
bool ScanAdjoint::isLiftable(Operation *inner) {
  auto isLocal = [&](Value v) { return rowLocal.contains(v); };
  if (llvm::none_of(inner->getOperands(), isLocal))
    return true;
  if (auto rowwise = dyn_cast<RowwiseOp>(inner))
    return rowwise.getNumSums() == 0 &&
           llvm::all_of(rowwise.getRows(), isLocal) &&
           llvm::none_of(rowwise.getShared(), isLocal);
  if (auto matmul = dyn_cast<MatmulOp>(inner))
    return !isLocal(matmul.getB()) && !matmul.getTransposeA();
  if (auto gather = dyn_cast<GatherOp>(inner))
    return !isLocal(gather.getTable());
  if (isa<ConcatColumnsOp>(inner))
    return llvm::all_of(inner->getOperands(), isLocal);
  return isa<ColumnsOp, DetachOp, tensor::DimOp>(inner);
}

void ScanAdjoint::analyse() {
  for (Value v : op.getStateArgs()) {
    activity.seed(v);
    stateful.seed(v);
  }
  for (auto [operand, arg] : llvm::zip(op->getOperands(), body.getArguments()))
    if (outer.isWanted(operand))
      activity.seed(arg);
  activity.propagate(body);
  stateful.propagate(body);
}

void ScanAdjoint::findRows() {
  rowLocal.insert(op.getStateArgs().begin(), op.getStateArgs().end());
  rowLocal.insert(op.getInputArgs().begin(), op.getInputArgs().end());
  for (Operation &inner : body.without_terminator())
    if (llvm::any_of(inner.getOperands(),
                     [&](Value v) { return rowLocal.contains(v); }))
      rowLocal.insert(inner.getResults().begin(), inner.getResults().end());
}

/// Replaces the primal scan by one that also stacks the states that enter each
/// step, where it does not already; returns the stacks.
SmallVector<Value> ScanAdjoint::saveStates() {
  auto primal = outer.getPrimal(op.getResult(0)).getDefiningOp<ScanOp>();
  unsigned numStates = op.getNumStates();
  SmallVector<int64_t> index(numStates, -1);
  for (unsigned i = numStates; i < op.getNumResults(); ++i)
    for (unsigned s = 0; s < numStates; ++s)
      if (op.getYield().getOperand(i) == op.getStateArgs()[s])
        index[s] = i;
  SmallVector<Type> types(primal.getResultTypes());
  SmallVector<Value> extra;
  for (unsigned s = 0; s < numStates; ++s) {
    if (index[s] >= 0)
      continue;
    index[s] = types.size();
    types.push_back(
        getStackedType(getNumSteps(primal), primal.getInit()[s].getType()));
    extra.push_back(primal.getStateArgs()[s]);
  }
  ScanOp saving = primal;
  if (!extra.empty()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(primal);
    saving = ScanOp::create(b, types, primal.getInit(), primal.getInputs(),
                            primal.getShared(), primal.getTruncate());
    saving.getBody().takeBody(primal.getBody());
    saving.getYield()->insertOperands(saving.getYield().getNumOperands(),
                                      extra);
    for (auto [original, result] :
         llvm::zip(op.getResults(), saving.getResults()))
      outer.getPrimalMap().map(original, result);
    primal->replaceAllUsesWith(
        saving.getResults().take_front(primal.getNumResults()));
    primal.erase();
  }
  return llvm::map_to_vector(
      index, [&](int64_t i) -> Value { return saving.getResult(i); });
}

/// Clones the body for all T * B rows.
void ScanAdjoint::lift(ArrayRef<Value> states) {
  for (auto [arg, stack] : llvm::zip(op.getStateArgs(), states))
    lifted.map(arg, flattenSteps(b, stack));
  for (auto [arg, input] : llvm::zip(op.getInputArgs(), op.getInputs()))
    lifted.map(arg, flattenSteps(b, outer.getPrimal(input)));
  for (auto [arg, shared] : llvm::zip(op.getSharedArgs(), op.getShared()))
    lifted.map(arg, outer.getPrimal(shared));
  stepsLike = outer.getPrimal(op.getInputs().front());
  auto flat = cast<RankedTensorType>(
      lifted.lookup(Value(op.getInputArgs().front())).getType());
  for (Operation &inner : body.without_terminator()) {
    Operation *clone = b.clone(inner, lifted);
    for (auto [original, result] :
         llvm::zip(inner.getResults(), clone->getResults())) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !rowLocal.contains(original))
        continue;
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = flat.getDimSize(0);
      result.setType(RankedTensorType::get(shape, type.getElementType()));
    }
  }
}

LogicalResult ScanAdjoint::makeReverseScan() {
  unsigned numStates = op.getNumStates();
  int64_t steps = getNumSteps(op);
  SmallVector<Value> init;
  for (unsigned s = 0; s < numStates; ++s) {
    Value seed = outer.get(op.getResult(s));
    init.push_back(seed ? seed
                        : makeZeros(b, outer.getPrimal(op.getInit()[s])));
  }
  // Inputs: cotangents of the outputs, then whatever of the lifted body and its
  // arguments the rules may ask for; canonicalization drops what they do not.
  SmallVector<Value> inputs, seeded, available;
  for (unsigned i = numStates; i < op.getNumResults(); ++i)
    if (Value cotangent = outer.get(op.getResult(i))) {
      inputs.push_back(cotangent);
      seeded.push_back(op.getYield().getOperand(i));
    }
  auto offer = [&](Value original) {
    if (!rowLocal.contains(original))
      return;
    available.push_back(original);
    inputs.push_back(unlift(original));
  };
  llvm::for_each(op.getStateArgs(), offer);
  llvm::for_each(op.getInputArgs(), offer);
  for (Operation &inner : body.without_terminator())
    llvm::for_each(inner.getResults(), offer);
  SmallVector<Value> shared = llvm::map_to_vector(
      op.getShared(), [&](Value v) { return outer.getPrimal(v); });

  // The result types are known once the body is there: built in a scan without
  // stacks first.
  auto draft = ScanOp::create(b, TypeRange(ValueRange(init)), init, inputs,
                              shared, op.getTruncate(), /*reverse=*/true);
  IRMapping map;
  for (auto [original, arg] :
       llvm::zip(available, draft.getInputArgs().drop_front(seeded.size())))
    map.map(original, arg);
  for (auto [original, arg] :
       llvm::zip(op.getSharedArgs(), draft.getSharedArgs()))
    map.map(original, arg);

  SmallVector<Value> yielded;
  // Places among the stacks; what is equal is stacked once.
  SmallVector<std::pair<Value, unsigned>> stackedOf;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&draft.getBlock());
    for (Operation &inner : body.without_terminator())
      if (llvm::none_of(inner.getResults(),
                        [&](Value v) { return rowLocal.contains(v); }))
        b.clone(inner, map);
    // Operands of row programs that no state feeds.
    llvm::SetVector<Value> fed;
    bool isRowwise = false;
    Adjoint inner(b, map, [&](Value v) {
      return isActive(v) &&
             (dependsOnState(v) || (isRowwise && fed.contains(v)));
    });
    inner.wantsByRow = [&](Value v) { return fed.contains(v); };
    auto stack = [&](Value v, Value cotangent) {
      auto *at = llvm::find(yielded, cotangent);
      stackedOf.emplace_back(v, at - yielded.begin());
      if (at == yielded.end())
        yielded.push_back(cotangent);
    };
    // Seeds of values that no state feeds go straight to the stacks.
    llvm::MapVector<Value, Value> direct;
    auto seed = [&](Value v, Value cotangent) {
      if (dependsOnState(v))
        return inner.add(v, cotangent);
      if (!isActive(v))
        return;
      Value &sum = direct[v];
      sum = sum ? addValues(b, sum, cotangent) : cotangent;
    };
    for (auto [s, arg] : llvm::enumerate(draft.getStateArgs()))
      seed(op.getYield().getOperand(s), arg);
    for (auto [v, arg] : llvm::zip(seeded, draft.getInputArgs()))
      seed(v, arg);
    for (Operation &o : llvm::reverse(body.without_terminator())) {
      if (llvm::none_of(o.getResults(),
                        [&](Value v) { return dependsOnState(v); }))
        continue;
      auto feeds = [&](Value v) { return isActive(v) && !dependsOnState(v); };
      bool hasOther = llvm::any_of(o.getOperands(), feeds);
      // A row program has what it needs for all operands in the loop. Products
      // and sums of rows wait until after it.
      isRowwise = isa<RowwiseOp>(o);
      if (isRowwise && hasOther) {
        for (Value v : o.getOperands())
          if (feeds(v))
            fed.insert(v);
      } else if (hasOther) {
        for (Value v : o.getResults())
          if (Value cotangent = inner.get(v))
            stack(v, cotangent);
      }
      if (failed(inner.propagate(&o)))
        return failure();
    }
    b.setLoc(op.getLoc());
    for (Value v : fed)
      if (Value cotangent = inner.get(v))
        stack(v, cotangent);
    for (auto [v, cotangent] : direct)
      stack(v, cotangent);
    SmallVector<Value> carried;
    for (Value arg : op.getStateArgs()) {
      Value cotangent = inner.get(arg);
      carried.push_back(cotangent ? cotangent : makeZeros(b, map.lookup(arg)));
    }
    yielded.insert(yielded.begin(), carried.begin(), carried.end());
    YieldOp::create(b, yielded);
  }
  SmallVector<Type> types(draft.getResultTypes());
  for (Value v : ArrayRef(yielded).drop_front(numStates))
    types.push_back(getStackedType(steps, v.getType()));
  auto scan = ScanOp::create(b, types, init, inputs, shared, op.getTruncate(),
                             /*reverse=*/true);
  scan.getBody().takeBody(draft.getBody());
  draft.erase();
  for (auto [s, operand] : llvm::enumerate(op.getInit()))
    outer.add(operand, scan.getResult(s));
  for (auto [v, i] : stackedOf) {
    Value rows = flattenSteps(b, scan.getResult(numStates + i));
    stackedCotangents.emplace_back(
        v, rowLocal.contains(v) ? rows : sumRows(b, rows, v.getType()));
  }
  return success();
}

LogicalResult ScanAdjoint::propagateLifted() {
  Adjoint flat(b, lifted,
               [&](Value v) { return isActive(v) && !dependsOnState(v); });
  llvm::DenseMap<Value, Value> known;
  for (auto [v, cotangent] : stackedCotangents) {
    if (dependsOnState(v))
      known[v] = cotangent;
    else
      flat.add(v, cotangent);
  }
  for (Operation &o : llvm::reverse(body.without_terminator())) {
    if (llvm::none_of(o.getResults(),
                      [&](Value v) { return known.contains(v); })) {
      if (failed(flat.propagate(&o)))
        return failure();
      continue;
    }
    // The cotangents of its results came out of the loop; its stateful operands
    // have got theirs there.
    Adjoint step(b, lifted, [&, &o = o](Value v) {
      return v.getDefiningOp() == &o || (isActive(v) && !dependsOnState(v));
    });
    for (Value v : o.getResults())
      step.add(v, known.lookup(v));
    if (failed(step.propagate(&o)))
      return failure();
    for (Value v :
         llvm::SmallSetVector<Value, 4>(o.operand_begin(), o.operand_end()))
      if (isActive(v) && !dependsOnState(v))
        flat.add(v, step.get(v));
  }
  for (auto [operand, arg] : llvm::zip(op.getInputs(), op.getInputArgs()))
    if (Value cotangent = flat.get(arg))
      outer.add(operand, unflattenSteps(b, cotangent, stepsLike));
  for (auto [operand, arg] : llvm::zip(op.getShared(), op.getSharedArgs()))
    outer.add(operand, flat.get(arg));
  return success();
}

LogicalResult ScanAdjoint::run() {
  findRows();
  if (failed(check()))
    return failure();
  analyse();
  lift(saveStates());
  if (failed(makeReverseScan()))
    return failure();
  return propagateLifted();
}

} // namespace

LogicalResult Adjoint::propagateScan(ScanOp op) {
  return ScanAdjoint(b, *this, op).run();
}
