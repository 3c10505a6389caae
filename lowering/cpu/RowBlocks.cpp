// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/RowBlocks.h"
#include "lowering/cpu/VectorMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

/// Rows of a block times their operands should stay in L1.
static constexpr int64_t longestRow = 1024;

bool RowBlocks::isWorthwhile(RowwiseOp op) {
  if (op.getRowLength() > longestRow)
    return false;
  bool hasVectors = false, isDear = false;
  DenseSet<Value> ofRows;
  Block &block = op.getBlock();
  for (BlockArgument argument : block.getArguments()) {
    hasVectors |= isVector(argument);
    if (argument.getArgNumber() < op.getRows().size())
      ofRows.insert(argument);
  }
  for (Operation &inner : block.without_terminator()) {
    if (llvm::none_of(inner.getOperands(),
                      [&](Value v) { return ofRows.contains(v); }))
      continue;
    ofRows.insert(inner.getResults().begin(), inner.getResults().end());
    for (Value result : inner.getResults())
      if (isVector(result))
        hasVectors = true;
      else
        isDear |=
            isExpensive(&inner) || isa<arith::DivFOp, math::SqrtOp>(inner);
  }
  return isDear || !hasVectors;
}

RowBlocks::RowBlocks(Gen &g, RowwiseOp op, int64_t lanes)
    : Strips(g, op, lanes), blockRows(lanes / 2) {
  for (Operation &o : block.without_terminator()) {
    if (isReduction(&o))
      exchanged.insert(o.getResult(0));
    if (llvm::none_of(o.getResults(), [](Value v) { return isVector(v); }))
      continue;
    for (Value v : o.getOperands())
      if (!isVector(v) && v.getDefiningOp())
        exchanged.insert(v);
  }
}

SmallVector<Type> RowBlocks::getBufferTypes() {
  return llvm::map_to_vector(exchanged, [&](Value v) -> Type {
    // A byte can be addressed, a bit cannot.
    return v.getType().isInteger(1) ? g.b.getI8Type() : v.getType();
  });
}

void RowBlocks::emitInvariants(ValueRange memory) {
  for (BlockArgument argument :
       block.getArguments().drop_front(op.getRows().size()))
    if (!isVector(argument))
      invariants.map(argument, memory[argument.getArgNumber()]);
  for (Operation &o : block.without_terminator()) {
    if (o.getNumResults() != 1 || isVector(o.getResult(0)) || isReduction(&o) ||
        !llvm::all_of(o.getOperands(), [&](Value v) { return isInvariant(v); }))
      continue;
    Values operands = llvm::map_to_vector(
        o.getOperands(), [&](Value v) { return invariants.lookup(v); });
    invariants.map(o.getResult(0), emitElementwise(g, &o, operands,
                                                   /*isVector=*/false, 1));
  }
}

Value RowBlocks::getWide(Value v) {
  if (Value known = wide.lookupOrNull(v))
    return known;
  return g.broadcast(invariants.lookup(v),
                     Gen::vectorOf(blockRows, v.getType()));
}

void RowBlocks::emitWideNumbers(unsigned level, ValueRange buffers) {
  for (Operation &o : block.without_terminator()) {
    if (o.getNumResults() != 1 || isVector(o.getResult(0)) ||
        isInvariant(o.getResult(0)) || levels.lookup(o.getResult(0)) != level)
      continue;
    Value result = o.getResult(0);
    auto *at = llvm::find(exchanged, result);
    Value buffer =
        at == exchanged.end() ? Value() : buffers[at - exchanged.begin()];
    if (isReduction(&o)) {
      wide.map(result,
               g.loadVector(buffer, g.idx(0),
                            Gen::vectorOf(blockRows, result.getType())));
      continue;
    }
    Values operands;
    for (Value v : o.getOperands())
      operands.push_back(getWide(v));
    Value x = emitElementwise(g, &o, operands, /*isVector=*/true, blockRows);
    wide.map(result, x);
    if (!buffer)
      continue;
    if (result.getType().isInteger(1))
      x = arith::ExtUIOp::create(g.b, Gen::vectorOf(blockRows, g.b.getI8Type()),
                                 x);
    g.storeVector(x, buffer, g.idx(0));
  }
}

void RowBlocks::emitLevelOfRows(unsigned level, Value first, Value count,
                                ValueRange memory, ValueRange outs,
                                ValueRange scratch, ValueRange buffers) {
  if (!hasLoop(level))
    return;
  g.forLoop(count, [&](Value r) {
    Values myScratch;
    for (Value buffer : scratch)
      myScratch.push_back(g.slice(buffer, r));
    startRow(g.add(first, r), memory, outs, myScratch);
    for (auto &[from, to] : invariants.getValueMap())
      numbers.map(from, to);
    for (auto [v, buffer] : llvm::zip_equal(exchanged, buffers)) {
      bool isKnown = levels.lookup(v) <= level && !isInvariant(v);
      if (!isKnown)
        continue;
      Value x = g.load(buffer, r);
      if (v.getType().isInteger(1))
        x = arith::CmpIOp::create(g.b, arith::CmpIPredicate::ne, x,
                                  g.integer(x.getType(), 0));
      numbers.map(v, x);
    }
    emitLevel(level);
    for (auto [v, buffer] : llvm::zip_equal(exchanged, buffers))
      if (isReduction(v.getDefiningOp()) && levels.lookup(v) == level + 1)
        g.store(numbers.lookup(v), buffer, r);
  });
}

Values RowBlocks::emitBlock(Value first, Value count, ValueRange memory,
                            ValueRange outs, ValueRange scratch,
                            ValueRange buffers, ValueRange sums) {
  wide.clear();
  Value mask = g.maskBelow(count, blockRows);
  for (BlockArgument argument :
       block.getArguments().take_front(op.getRows().size()))
    if (!isVector(argument))
      wide.map(argument,
               g.loadMasked(memory[argument.getArgNumber()], first,
                            Gen::vectorOf(blockRows, argument.getType()),
                            mask));
  for (unsigned l = 0; l < numLevels; ++l) {
    emitWideNumbers(l, buffers);
    emitLevelOfRows(l, first, count, memory, outs, scratch, buffers);
  }
  Values next;
  for (auto [i, v] : llvm::enumerate(op.getYield().getValues())) {
    if (isVector(v))
      continue;
    Value x = getWide(v);
    if (isSum(i))
      next.push_back(
          g.fadd(sums[next.size()], g.select(mask, x, g.zero(x.getType()))));
    else
      g.storeMasked(x, outs[i], first, mask);
  }
  return next;
}
