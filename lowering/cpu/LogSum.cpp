// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/LogSum.h"
#include "lowering/cpu/VectorMath.h"
#include "lowering/cpu/WideMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

/// Below every z that counts; finite, so that differences to it are no NaN.
static Value emitLowest(Gen &g, Type type) {
  bool isWide = getElementTypeOrSelf(type).isF64();
  return g.real(type, isWide ? -std::numeric_limits<double>::max()
                             : -std::numeric_limits<float>::max());
}

void LogSum::startThread(Value stripRows) {
  auto make = [&](Type element) {
    return work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, tile.lanes}, element, stripRows);
    });
  };
  maxima = make(tile.element);
  sums = make(g.f64());
}

void LogSum::startStrip(Value rows) {
  g.forLoop(rows, [&](Value row) {
    Values at = {row, g.idx(0)};
    g.storeVector(emitLowest(g, tile.vector()), maxima, at);
    g.storeVector(g.zero(Gen::vectorOf(tile.lanes, g.f64())), sums, at);
  });
}

/// A new maximum turns the old one into a term: (s + 1) e^(max - z).
void LogSum::add(Value row, Value z) {
  VectorType vector = tile.vector();
  VectorType wide = Gen::vectorOf(tile.lanes, g.f64());
  Values at = {row, g.idx(0)};
  Value max = g.loadVector(maxima, at, vector);
  Value sum = g.loadVector(sums, at, wide);
  int64_t lanes = cast<VectorType>(z.getType()).getNumElements();
  for (int64_t first = 0; first < lanes; first += tile.lanes) {
    Value part = g.piece(z, first, tile.lanes);
    Value gap = g.fsub(part, max);
    Value isNew = g.flt(max, part);
    Value below = g.fneg(math::AbsFOp::create(g.b, gap));
    Value term = g.convert(emitExpBelow(g, below), g.f64());
    Value factor = g.select(isNew, term, g.real(wide, 1.0));
    sum = g.fma(sum, factor, term);
    max = g.fmax(max, part);
  }
  g.storeVector(sum, sums, at);
  g.storeVector(max, maxima, at);
}

Value LogSum::getMaximum(Value row) {
  Value max = g.loadVector(maxima, {row, g.idx(0)}, tile.vector());
  return vector::ReductionOp::create(g.b, vector::CombiningKind::MAXNUMF, max);
}

LogSum::Total LogSum::finish(Value row) {
  VectorType wide = Gen::vectorOf(tile.lanes, g.f64());
  Values at = {row, g.idx(0)};
  Value maxV = g.loadVector(maxima, at, tile.vector());
  Value sum = g.loadVector(sums, at, wide);
  Value max = getMaximum(row);
  Value isAny = g.flt(emitLowest(g, tile.element), max);
  Value max64 =
      g.select(isAny, g.convert(max, g.f64()),
               g.real(g.f64(), std::numeric_limits<double>::quiet_NaN()));
  // The tops of the lanes are terms, but for one of the largest.
  Value isTop = arith::CmpFOp::create(g.b, arith::CmpFPredicate::OEQ, maxV,
                                      g.broadcast(max, tile.vector()));
  Value one = g.real(wide, 1.0), zero = g.zero(wide);
  Value weight = emitWideExp(
      g, g.fsub(g.convert(maxV, g.f64()), g.broadcast(max64, wide)));
  Value others = g.fmul(g.fadd(sum, g.select(isTop, zero, one)), weight);
  Value tops = g.sum(g.select(isTop, one, zero));
  Value rest = g.fadd(g.sum(others), g.fsub(tops, g.real(g.f64(), 1.0)));
  return {max64, math::Log1pOp::create(g.b, rest)};
}
