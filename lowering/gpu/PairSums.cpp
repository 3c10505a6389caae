// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/PairSums.h"
#include "lowering/cpu/VectorMath.h"
#include "lowering/cpu/WideMath.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;
using cpu::Gen;

static Value emitLowest(Gen &g, Type type) {
  bool isWide = getElementTypeOrSelf(type).isF64();
  return g.real(type, isWide ? -std::numeric_limits<double>::max()
                             : -std::numeric_limits<float>::max());
}

LogSum device::emitEmptySum(Gen &g, Type type) {
  return {emitLowest(g, type), g.zero(Gen::withElement(type, g.f64()))};
}

/// A new maximum turns the old one into a term: (s + 1) e^(max - z).
LogSum device::emitAdd(Gen &g, LogSum sum, Value z) {
  Type wide = Gen::withElement(z.getType(), g.f64());
  Value isNew = g.flt(sum.max, z);
  Value below = g.fneg(math::AbsFOp::create(g.b, g.fsub(z, sum.max)));
  Value term = g.convert(cpu::emitExpBelow(g, below), g.f64());
  Value factor = g.select(isNew, term, g.real(wide, 1.0));
  return {g.fmax(sum.max, z), g.fma(sum.sum, factor, term)};
}

/// A function of vectors on a number.
static Value onNumber(Gen &g, Value x,
                      function_ref<Value(Gen &, Value)> function) {
  Value vector = g.broadcast(x, Gen::vectorOf(1, x.getType()));
  return g.extract(function(g, vector), 0);
}

Value device::emitExp(Gen &g, Value x) {
  return onNumber(g, x, cpu::emitWideExp);
}

Value device::emitLog1p(Gen &g, Value x) {
  return onNumber(g, x, cpu::emitWideLog1p);
}

LogSum device::emitMerge(Gen &g, LogSum a, LogSum b) {
  Value one = g.real(g.f64(), 1.0);
  Value isNew = g.flt(a.max, b.max);
  Value term = device::emitExp(
      g, g.fneg(math::AbsFOp::create(g.b, g.fsub(b.max, a.max))));
  // The smaller maximum becomes a term.
  Value winner = g.select(isNew, b.sum, a.sum);
  Value loser = g.select(isNew, a.sum, b.sum);
  return {g.fmax(a.max, b.max), g.fma(g.fadd(loser, one), term, winner)};
}

LogSum device::emitMergeLanes(Gen &g, LogSum sum) {
  int64_t lanes = cast<VectorType>(sum.max.getType()).getNumElements();
  auto lane = [&](int64_t l) {
    return LogSum{g.convert(g.extract(sum.max, l), g.f64()),
                  g.extract(sum.sum, l)};
  };
  LogSum total = lane(0);
  for (int64_t l = 1; l < lanes; ++l)
    total = emitMerge(g, total, lane(l));
  return total;
}

Value device::isAnyCounted(Gen &g, LogSum sum) {
  // Maxima of f32 may have been widened.
  Value lowest = g.real(g.f64(), -std::numeric_limits<float>::max());
  return g.flt(lowest, sum.max);
}
