// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise: strips of logits, then their reduction
// row by row. The N x V table is never stored, unless it is the result.
#include "lowering/cpu/Pairwise.h"
#include "lowering/cpu/VectorMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

Value geo::cpu::getStripRows(Work &work, Gen &g, Value rowBytes) {
  int64_t unit = work.target.tileRows;
  Value fit = g.div(g.idx(work.target.stripBytes), g.max(rowBytes, g.idx(1)));
  Value whole = g.mul(g.div(fit, g.idx(unit)), unit);
  return g.max(g.min(whole, g.idx(work.target.stripRows / unit * unit)),
               g.idx(unit));
}

namespace {
class Forward {
public:
  Forward(Work &work, Gen &g, PairwiseOp op, ValueRange operands,
          ValueRange outs)
      : work(work), g(g), op(op), program(work, g, PairOperands(op, operands)),
        tile(program.tile), outs(outs) {}

  void emit();

private:
  void emitStrip();
  /// Reduces row `row` of the strip, row `i` of the op.
  void emitRow(Value row, Value i);
  /// log sum exp(z - max) - log of the largest term: what is added to max.
  Value emitTail(Value row, Value max);
  void emitTable(Value row, Value i, Value max, Value tail);
  Value at(Value j, Value row);

  Work &work;
  Gen &g;
  PairwiseOp op;
  PairProgram program;
  const Tile &tile;
  ValueRange outs;
  Value logits, maxima;
};
} // namespace

void Forward::emit() {
  program.prepareColumns();
  Value rowBytes = g.mul(program.panels, tile.panel() * tile.bytes());
  Value stripRows = getStripRows(work, g, rowBytes);
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, program.rows, tile.rows, tid, count);
    program.startThread(stripRows, g.sub(program.rows, g.idx(1)));
    logits = work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                     tile.element, {program.panels, stripRows});
    });
    maxima = work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, tile.lanes}, tile.element,
                     stripRows);
    });
    g.forLoop(lower, upper, stripRows, [&, upper = upper](Value first) {
      program.startStrip(first, g.min(stripRows, g.sub(upper, first)));
      emitStrip();
    });
  });
  program.freeColumns();
}

void Forward::emitStrip() {
  VectorType vector = program.vector;
  Value minusInf = g.real(vector, -std::numeric_limits<double>::infinity());
  g.forLoop(program.tiledCount, [&](Value row) {
    g.storeVector(minusInf, maxima, {row, g.idx(0)});
  });
  auto nothing = [](Value) {};
  program.forPairs(
      g.idx(0), program.panels, nothing,
      [&](const PairProgram::Place &place, const PairProgram::Pairs &pairs) {
        Value z =
            g.select(program.getColumnMask(place), pairs.yielded[0], minusInf);
        g.storeVector(z, logits, {place.panel, place.row, place.offset});
        Values at = {place.row, g.idx(0)};
        g.storeVector(g.fmax(g.loadVector(maxima, at, vector), z), maxima, at);
      },
      nothing);
  g.forLoop(program.count,
            [&](Value row) { emitRow(row, g.add(program.first, row)); });
}

Value Forward::emitTail(Value row, Value max) {
  // The largest term is left out, so that log1p keeps what is small beside it.
  VectorType vector = program.vector;
  VectorType wide = Gen::vectorOf(tile.lanes, g.f64());
  Value maxV = g.broadcast(max, vector);
  Values sums = g.forLoop(
      g.idx(0), program.panels, g.idx(1), {g.zero(wide), g.zero(vector)},
      [&](Value panel, ValueRange carried) {
        Value sum = carried[0], tops = carried[1];
        for (int64_t v = 0; v < tile.vectors; ++v) {
          Value z =
              g.loadVector(logits, {panel, row, g.idx(v * tile.lanes)}, vector);
          Value t = g.fsub(z, maxV);
          Value isTop =
              arith::CmpFOp::create(g.b, arith::CmpFPredicate::OEQ, z, maxV);
          Value p = g.select(isTop, g.zero(vector), emitExpBelow(g, t));
          sum = g.fadd(sum, g.convert(p, g.f64()));
          tops = g.fadd(tops,
                        g.select(isTop, g.real(vector, 1.0), g.zero(vector)));
        }
        return Values{sum, tops};
      });
  Value tops = g.convert(g.sum(sums[1]), g.f64());
  Value others = g.fadd(g.sum(sums[0]), g.fsub(tops, g.real(g.f64(), 1.0)));
  return math::Log1pOp::create(g.b, others);
}

Value Forward::at(Value j, Value row) {
  Value width = g.idx(tile.panel());
  return g.load(logits, {g.div(j, width), row, g.rem(j, width)});
}

void Forward::emitTable(Value row, Value i, Value max, Value tail) {
  VectorType vector = program.vector;
  g.forMasked(g.idx(0), program.columns, tile.lanes, [&](Value j, Value mask) {
    Value width = g.idx(tile.panel());
    Value z =
        g.loadVector(logits, {g.div(j, width), row, g.rem(j, width)}, vector);
    if (max) {
      z = g.fsub(z, g.broadcast(max, vector));
      z = g.fsub(z, g.broadcast(g.convert(tail, tile.element), vector));
    }
    g.storePart(z, outs[0], {i, j}, mask);
  });
}

void Forward::emitRow(Value row, Value i) {
  if (op.getReducer() == Reducer::none)
    return emitTable(row, i, Value(), Value());
  Value max = vector::ReductionOp::create(
      g.b, vector::CombiningKind::MAXNUMF,
      g.loadVector(maxima, {row, g.idx(0)}, program.vector));
  Value tail = emitTail(row, max);
  Value max64 = g.convert(max, g.f64());
  g.store(g.fadd(max64, tail), outs[1], i);
  if (op.getReducer() == Reducer::softmax)
    return emitTable(row, i, max, tail);
  Value target = arith::IndexCastOp::create(g.b, g.index(),
                                            g.load(program.pair.targets, i));
  Value z = g.convert(at(target, row), g.f64());
  g.store(g.fadd(g.fsub(max64, z), tail), outs[0], i);
}

LogicalResult geo::cpu::emitPairwise(Work &work, Gen &g, PairwiseOp op,
                                     ValueRange operands, ValueRange outs) {
  Forward(work, g, op, operands, outs).emit();
  return success();
}
