// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise: strips of rows, whose logits are reduced as they come. The N x
// V table is never stored, unless it is the result.
#include "lowering/cpu/Pairwise.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

Value geo::cpu::getStripRows(Gen &g, const CpuTarget &target,
                             const Tile &tile) {
  return g.idx(target.stripRows / tile.rows * tile.rows);
}

/// The logit of the target among the lanes of `place`, if it is there.
static void emitTargetLogit(PairProgram &program,
                            const PairProgram::Place &place, Value z,
                            Value targetLogits, TileSkips *skips) {
  Gen &g = program.g;
  Value target = arith::IndexCastOp::create(
      g.b, g.index(), g.load(program.pair.targets, place.i));
  Value lane = g.sub(target, place.column);
  Value isHere = arith::CmpIOp::create(g.b, arith::CmpIPredicate::ult, lane,
                                       g.idx(program.lanes));
  g.ifThen(isHere, [&] {
    Value x = vector::ExtractOp::create(g.b, z, OpFoldResult(lane));
    g.store(x, targetLogits, place.row);
    if (skips)
      skips->addTarget();
  });
}

void geo::cpu::emitStripLoss(PairProgram &program, LogSum &sums,
                             Value targetLogits, Value nll, Value lse,
                             TileSkips *skips) {
  Gen &g = program.g;
  sums.startStrip(program.tiledCount);
  if (skips)
    skips->startStrip(program.tiledCount);
  program.forPairs(
      g.idx(0), program.panels, [](Value) {},
      [&](const PairProgram::Place &place, PairProgram::Pairs &pairs) {
        Value z = pairs.region.getYielded(0);
        emitTargetLogit(program, place, z, targetLogits, skips);
        z = program.hideMissing(z, program.getColumnMask(place));
        sums.add(place.row, z);
        if (skips)
          skips->add(place.row, z);
      },
      [&](Value panel) {
        if (skips)
          skips->finishPanel(panel, program.tiledCount, sums);
      },
      [&](Value panel, Value row, function_ref<void()> visit) {
        if (skips)
          skips->startTile();
        visit();
        if (skips)
          skips->finishTile(panel, row);
      });
  g.forLoop(program.count, [&](Value row) {
    Value i = g.add(program.first, row);
    LogSum::Total total = sums.finish(row);
    Value z = g.convert(g.load(targetLogits, row), g.f64());
    g.store(g.fadd(g.fsub(total.max, z), total.tail), nll, i);
    g.store(g.fadd(total.max, total.tail), lse, i);
  });
}

namespace {
class Forward {
public:
  Forward(Work &work, Gen &g, PairwiseOp op, ValueRange operands,
          ValueRange outs)
      : work(work), g(g), reducer(op.getReducer()),
        program(work, g, PairOperands(op, operands)), tile(program.tile),
        sums(work, g, tile), outs(outs) {}

  void emit();

private:
  Value getRowsPerStrip();
  void startThread(Value stripRows);
  void emitStrip();
  /// The strip's logits into the sums, then log probabilities.
  void emitSoftmax();
  void emitTable(function_ref<Value(Value row, Value z)> map);

  Work &work;
  Gen &g;
  const Reducer reducer;
  PairProgram program;
  const Tile &tile;
  LogSum sums;
  ValueRange outs;
  /// Per row of the strip: nll: the logit of the target. softmax: the two parts
  /// of lse.
  Value targetLogits, maxima, tails;
};
} // namespace

/// softmax keeps the logits of a strip, in L2.
Value Forward::getRowsPerStrip() {
  Value rows = getStripRows(g, work.target, tile);
  if (reducer != Reducer::softmax)
    return rows;
  Value bytes = g.mul(program.panels, tile.panel() * tile.bytes());
  Value fit = g.div(g.idx(work.target.stripBytes), g.max(bytes, g.idx(1)));
  Value whole = g.mul(g.div(fit, g.idx(tile.rows)), tile.rows);
  return g.max(g.min(whole, rows), g.idx(tile.rows));
}

void Forward::startThread(Value stripRows) {
  program.startThread(stripRows, g.sub(program.rows, g.idx(1)));
  auto make = [&] {
    return work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic}, tile.element, stripRows);
    });
  };
  if (reducer != Reducer::none)
    sums.startThread(stripRows);
  if (reducer == Reducer::nll)
    targetLogits = make();
  if (reducer == Reducer::softmax) {
    maxima = make();
    tails = make();
    program.keep(program.pair.block->getTerminator()->getOperand(0), stripRows);
  }
}

void Forward::emit() {
  program.prepareColumns();
  Value stripRows = getRowsPerStrip();
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, program.rows, tile.rows, tid, count);
    startThread(stripRows);
    g.forLoop(lower, upper, stripRows, [&, upper = upper](Value first) {
      program.startStrip(first, g.min(stripRows, g.sub(upper, first)));
      emitStrip();
    });
  });
  program.freeColumns();
}

void Forward::emitStrip() {
  switch (reducer) {
  case Reducer::none:
    return emitTable([](Value, Value z) { return z; });
  case Reducer::softmax:
    return emitSoftmax();
  case Reducer::nll:
    return emitStripLoss(program, sums, targetLogits, outs[0], outs[1]);
  }
}

void Forward::emitSoftmax() {
  sums.startStrip(program.tiledCount);
  auto nothing = [](Value) {};
  program.useKept(false);
  program.forPairs(
      g.idx(0), program.panels, nothing,
      [&](const PairProgram::Place &place, PairProgram::Pairs &pairs) {
        Value z = pairs.region.getYielded(0);
        sums.add(place.row,
                 program.hideMissing(z, program.getColumnMask(place)));
      },
      nothing);
  g.forLoop(program.count, [&](Value row) {
    LogSum::Total total = sums.finish(row);
    g.store(g.fadd(total.max, total.tail), outs[1], g.add(program.first, row));
    g.store(g.convert(total.max, tile.element), maxima, row);
    g.store(g.convert(total.tail, tile.element), tails, row);
  });
  program.useKept(true);
  emitTable([&](Value row, Value z) {
    for (Value part : {maxima, tails})
      z = g.fsub(z, g.broadcast(g.load(part, row), program.vector));
    return z;
  });
}

void Forward::emitTable(function_ref<Value(Value row, Value z)> map) {
  auto nothing = [](Value) {};
  program.forPairs(
      g.idx(0), program.panels, nothing,
      [&](const PairProgram::Place &place, PairProgram::Pairs &pairs) {
        Value mask = program.getColumnMask(place);
        Value exists = g.less(place.row, program.count);
        g.storePart(map(place.row, pairs.region.getYielded(0)), outs[0],
                    {place.i, place.column},
                    g.both(mask, g.broadcast(exists, mask.getType())));
      },
      nothing);
}

LogicalResult geo::cpu::emitPairwise(Work &work, Gen &g, PairwiseOp op,
                                     ValueRange operands, ValueRange outs) {
  Forward(work, g, op, operands, outs).emit();
  return success();
}
