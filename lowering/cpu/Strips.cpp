// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Strips.h"
#include "lowering/cpu/VectorMath.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

bool Strips::isReduction(Operation *op) {
  return op && isa<DotOp, vector::ReductionOp>(op);
}

Strips::Strips(Gen &g, RowwiseOp op, int64_t lanes)
    : g(g), op(op), block(op.getBlock()), lanes(lanes),
      length(op.getRowLength()) {
  for (Operation &o : block.without_terminator()) {
    unsigned l = 0;
    for (Value v : o.getOperands())
      l = std::max(l, levels.lookup(v));
    if (isReduction(&o))
      ++l;
    for (Value v : o.getResults())
      levels[v] = l;
    numLevels = std::max(numLevels, l + 1);
  }
  // Where vectors are computed: at the levels of the reductions and stores that
  // they flow into.
  auto use = [&](Value v, unsigned first, unsigned last) {
    if (!isVector(v))
      return;
    auto &[least, most] = uses.try_emplace(v, first, last).first->second;
    least = std::min(least, first);
    most = std::max(most, last);
  };
  for (Value v : op.getYield().getValues())
    use(v, levels.lookup(v), levels.lookup(v));
  for (Operation &o : llvm::reverse(block.without_terminator())) {
    if (isReduction(&o)) {
      unsigned l = levels.lookup(o.getResult(0)) - 1;
      for (Value v : o.getOperands())
        use(v, l, l);
      continue;
    }
    for (Value result : o.getResults())
      if (auto it = uses.find(result); it != uses.end()) {
        auto [first, last] = it->second;
        for (Value v : o.getOperands())
          use(v, first, last);
      }
  }
  for (Operation &o : block.without_terminator())
    if (o.getNumResults() == 1 && isVector(o.getResult(0)) && isExpensive(&o)) {
      auto [first, last] = uses.lookup(o.getResult(0));
      if (first < last)
        kept.push_back(o.getResult(0));
    }
}

Value Strips::loadArgument(BlockArgument argument, Value j, VectorType type) {
  Values at;
  if (argument.getArgNumber() < op.getRows().size())
    at.push_back(row);
  at.push_back(j);
  return loadVector(memory[argument.getArgNumber()], at, type);
}

bool Strips::isStored(Value v) {
  return level > uses.lookup(v).first && llvm::is_contained(kept, v);
}

Value Strips::emitVector(Value v, Value j, int64_t width) {
  // Not by recursion: programs may be long.
  Values pending = {v};
  while (!pending.empty()) {
    Value next = pending.back();
    size_t before = pending.size();
    if (isVector(next) && !current.contains(next)) {
      Operation *def = next.getDefiningOp();
      if (def && !isStored(next))
        for (Value operand : llvm::reverse(def->getOperands()))
          if (isVector(operand) && !current.contains(operand))
            pending.push_back(operand);
      if (pending.size() > before)
        continue;
      current[next] = emitOne(next, j, width);
    }
    pending.pop_back();
  }
  return find(v);
}

Value Strips::emitOne(Value v, Value j, int64_t width) {
  VectorType type = Gen::vectorOf(width, getElementTypeOrSelf(v.getType()));
  Value result;
  auto *keptAt = llvm::find(kept, v);
  bool isKept = keptAt != kept.end();
  Value buffer = isKept ? scratch[keptAt - kept.begin()] : Value();
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    result = loadArgument(argument, j, type);
  } else if (isStored(v)) {
    result = g.loadVector(buffer, j, type);
  } else {
    Operation *def = v.getDefiningOp();
    Values operands;
    for (Value operand : def->getOperands())
      operands.push_back(find(operand));
    if (auto scale = dyn_cast<ScaleOp>(def)) {
      Value s = g.convert(operands[0], type.getElementType());
      result = g.fmul(g.broadcast(s, type), operands[1]);
    } else if (isa<vector::BroadcastOp>(def)) {
      result = isVector(def->getOperand(0)) ? operands[0]
                                            : g.broadcast(operands[0], type);
    } else {
      result = emitElementwise(g, def, operands, /*isVector=*/true, width);
    }
    if (isKept)
      g.storeVector(result, buffer, j);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

bool Strips::isMaximum(Operation *reduction) {
  auto o = dyn_cast<vector::ReductionOp>(reduction);
  return o && o.getKind() == vector::CombiningKind::MAXIMUMF;
}

Values Strips::initial(ArrayRef<Operation *> reductions, int64_t width) {
  return llvm::map_to_vector(reductions, [&](Operation *reduction) {
    Type element = reduction->getResult(0).getType();
    Type type = Gen::vectorOf(width, element);
    return isMaximum(reduction)
               ? g.real(type, -std::numeric_limits<double>::infinity())
               : g.zero(type);
  });
}

Value Strips::accumulate(Operation *reduction, Value carried, Value j,
                         int64_t width) {
  Value x = emitVector(reduction->getOperand(0), j, width);
  if (isa<DotOp>(reduction)) {
    Value y = emitVector(reduction->getOperand(1), j, width);
    x = g.convert(x, g.f64());
    y = reduction->getOperand(0) == reduction->getOperand(1)
            ? x
            : g.convert(y, g.f64());
    return g.fma(x, y, carried);
  }
  if (isMaximum(reduction))
    return arith::MaximumFOp::create(g.b, carried, x);
  return g.fadd(carried, x);
}

Value Strips::finish(Operation *reduction, Value carried) {
  if (isMaximum(reduction))
    return vector::ReductionOp::create(g.b, vector::CombiningKind::MAXIMUMF,
                                       carried);
  return g.sum(carried);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

void Strips::emitNumbers(unsigned level) {
  for (Operation &o : block.without_terminator()) {
    if (o.getNumResults() != 1 || isVector(o.getResult(0)) || isReduction(&o) ||
        levels.lookup(o.getResult(0)) != level)
      continue;
    Values operands;
    for (Value v : o.getOperands())
      operands.push_back(numbers.lookup(v));
    numbers.map(o.getResult(0), emitElementwise(g, &o, operands,
                                                /*isVector=*/false, 1));
  }
}

bool Strips::hasLoop(unsigned l) {
  return llvm::any_of(block.without_terminator(),
                      [&](Operation &o) {
                        return isReduction(&o) &&
                               levels.lookup(o.getResult(0)) == l + 1;
                      }) ||
         llvm::any_of(op.getYield().getValues(), [&](Value v) {
           return isVector(v) && levels.lookup(v) == l;
         });
}

void Strips::emitLevel(unsigned l) {
  level = l;
  SmallVector<Operation *> reductions;
  SmallVector<unsigned> stores;
  for (Operation &o : block.without_terminator())
    if (isReduction(&o) && levels.lookup(o.getResult(0)) == l + 1)
      reductions.push_back(&o);
  OperandRange yielded = op.getYield().getValues();
  for (auto [i, v] : llvm::enumerate(yielded))
    if (isVector(v) && levels.lookup(v) == l)
      stores.push_back(i);
  if (reductions.empty() && stores.empty())
    return;

  auto emitStrip = [&](Value j, int64_t width, ValueRange carried) {
    current.clear();
    Values next;
    for (auto [reduction, c] : llvm::zip_equal(reductions, carried))
      next.push_back(accumulate(reduction, c, j, width));
    for (unsigned i : stores) {
      Value x = emitVector(yielded[i], j, width);
      if (!isSum(i)) {
        storeVector(x, outs[i], {row, j});
        continue;
      }
      x = g.convert(x, g.f64());
      auto type = cast<VectorType>(x.getType());
      storeVector(g.fadd(loadVector(outs[i], j, type), x), outs[i], j);
    }
    return next;
  };
  Values totals = emitStrips(reductions, emitStrip);
  current.clear();
  for (auto [reduction, total] : llvm::zip_equal(reductions, totals))
    numbers.map(reduction->getResult(0), total);
}

Values Strips::emitStrips(ArrayRef<Operation *> reductions, StripFn emitStrip) {
  int64_t whole = length / lanes * lanes;
  Values totals;
  if (whole) {
    Values carried = g.forLoop(
        g.idx(0), g.idx(whole), g.idx(lanes), initial(reductions, lanes),
        [&](Value j, ValueRange c) { return emitStrip(j, lanes, c); });
    for (auto [reduction, c] : llvm::zip_equal(reductions, carried))
      totals.push_back(finish(reduction, c));
  }
  if (int64_t rest = length - whole) {
    Values carried = emitStrip(g.idx(whole), rest, initial(reductions, rest));
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      Value total = finish(reduction, carried[i]);
      if (!whole)
        totals.push_back(total);
      else if (isMaximum(reduction))
        totals[i] = arith::MaximumFOp::create(g.b, totals[i], total);
      else
        totals[i] = g.fadd(totals[i], total);
    }
  }
  return totals;
}

void Strips::startRow(Value atRow, ValueRange memoryOf, ValueRange outsOf,
                      ValueRange scratchOf) {
  row = atRow;
  memory = memoryOf;
  outs = outsOf;
  scratch = scratchOf;
  numbers.clear();
  for (BlockArgument argument : block.getArguments()) {
    if (isVector(argument))
      continue;
    unsigned i = argument.getArgNumber();
    numbers.map(argument,
                i < op.getRows().size() ? g.load(memory[i], row) : memory[i]);
  }
}

Values Strips::emitRow(Value atRow, ValueRange memoryOf, ValueRange outsOf,
                       ValueRange scratchOf, ValueRange sums) {
  startRow(atRow, memoryOf, outsOf, scratchOf);
  for (unsigned l = 0; l < numLevels; ++l) {
    emitNumbers(l);
    emitLevel(l);
  }
  Values next;
  for (auto [i, v] : llvm::enumerate(op.getYield().getValues())) {
    if (isVector(v))
      continue;
    Value x = numbers.lookup(v);
    if (isSum(i))
      next.push_back(addNumber(sums[next.size()], x));
    else
      storeNumber(x, outs[i], row);
  }
  return next;
}
