// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Argument reductions and coefficients as in fdlibm (Sun Microsystems, 1993)
// and Cephes (Moshier, 1989), evaluated with fused multiply-adds and without
// branches.
#include "lowering/cpu/WideMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

static constexpr double infinity = std::numeric_limits<double>::infinity();
/// ln 2 in two parts, the first of few bits: an exponent times it is exact.
static constexpr double ln2High = 6.93147180369123816490e-01;
static constexpr double ln2Low = 1.90821492927058770002e-10;

namespace {
/// Numbers and bit patterns of the type of `like`.
struct Wide {
  Gen &g;
  Type type, bits;
  Wide(Gen &g, Value like)
      : g(g), type(like.getType()),
        bits(Gen::withElement(like.getType(), g.b.getI64Type())) {}

  Value real(double x) { return g.real(type, x); }
  Value integer(int64_t v) { return g.integer(bits, v); }
  Value toBits(Value x) { return g.bitcast(x, bits); }
  Value fromBits(Value x) { return g.bitcast(x, type); }
  Value add(Value x, Value y) { return arith::AddIOp::create(g.b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(g.b, x, y); }
  Value shiftLeft(Value x, int64_t by) {
    return arith::ShLIOp::create(g.b, x, integer(by));
  }
  Value equal(Value x, double y) {
    return arith::CmpFOp::create(g.b, arith::CmpFPredicate::OEQ, x, real(y));
  }
  /// c[0] + c[1] x + ...
  Value polynomial(ArrayRef<double> c, Value x) {
    Value r = real(c.back());
    for (double k : llvm::reverse(c.drop_back()))
      r = g.fma(r, x, real(k));
    return r;
  }
};

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)), x positive and normal.
struct Exponent {
  Value m, k, isZero;
  Exponent(Wide w, Value x) {
    Value bits = w.toBits(x);
    // Biased, so that a logical shift will do: there is no other before
    // AVX-512; and converted by the bits of 2^52 + k, for the same reason.
    constexpr int64_t bias = 1024;
    Value shifted = w.add(bits, w.integer((bias << 52) - 0x3fe6a09e667f3bcd));
    Value biased = arith::ShRUIOp::create(w.g.b, shifted, w.integer(52));
    Value exponent = w.sub(biased, w.integer(bias));
    m = w.fromBits(w.sub(bits, w.shiftLeft(exponent, 52)));
    Value pattern =
        arith::OrIOp::create(w.g.b, biased, w.integer(0x4330000000000000));
    k = arith::SubFOp::create(w.g.b, w.fromBits(pattern),
                              w.real(4503599627370496.0 + bias));
    isZero = arith::CmpIOp::create(w.g.b, arith::CmpIPredicate::eq, biased,
                                   w.integer(bias));
  }
};
} // namespace

Value geo::cpu::emitWideExp(Gen &g, Value x) {
  Wide w(g, x);
  // 1 / k!
  static const double inverseFactorials[] = {1.0,
                                             1.0,
                                             1.0 / 2,
                                             1.0 / 6,
                                             1.0 / 24,
                                             1.0 / 120,
                                             1.0 / 720,
                                             1.0 / 5040,
                                             1.0 / 40320,
                                             1.0 / 362880,
                                             1.0 / 3628800,
                                             1.0 / 39916800,
                                             1.0 / 479001600,
                                             1.0 / 6227020800};
  x = g.fmax(w.real(-746.0), x);
  x = g.fmin(w.real(710.0), x);
  // Adding 1.5 * 2^52 leaves the rounded sum in the low bits.
  Value magic = w.real(6755399441055744.0);
  Value shifted = g.fma(x, w.real(1.4426950408889634074), magic);
  Value n = arith::SubFOp::create(g.b, shifted, magic);
  Value r = g.fma(n, w.real(-ln2High), x);
  r = g.fma(n, w.real(-ln2Low), r);
  Value p = w.polynomial(inverseFactorials, r);
  // 2^n in two factors: n reaches -1077 and 1025.
  Value whole = w.sub(w.toBits(shifted), w.toBits(magic));
  Value even = w.add(whole, w.integer(2048));
  Value half =
      w.sub(arith::ShRUIOp::create(g.b, even, w.integer(1)), w.integer(1024));
  auto power = [&](Value k) {
    return w.fromBits(w.shiftLeft(w.add(k, w.integer(1023)), 52));
  };
  return g.fmul(g.fmul(p, power(half)), power(w.sub(whole, half)));
}

/// ln((1 + f) 2^k) + c: 1 + f in [sqrt(1/2), sqrt(2)), c tiny.
static Value emitLogOf(Wide w, Value f, Value k, Value c) {
  static const double coefficients[] = {
      6.666666666666735130e-01, 3.999999999940941908e-01,
      2.857142874366239149e-01, 2.222219843214978396e-01,
      1.818357216161805012e-01, 1.531383769920937332e-01,
      1.479819860511658591e-01};
  Gen &g = w.g;
  Value s = g.fdiv(f, g.fadd(f, w.real(2.0)));
  Value z = g.fmul(s, s);
  Value r = g.fmul(z, w.polynomial(coefficients, z));
  Value halfSquare = g.fmul(w.real(0.5), g.fmul(f, f));
  Value low = g.fma(k, w.real(ln2Low), c);
  Value correction = g.fma(s, g.fadd(halfSquare, r), low);
  Value rest = g.fsub(g.fsub(halfSquare, correction), f);
  return g.fsub(g.fmul(k, w.real(ln2High)), rest);
}

/// `y` where x is positive and finite; else the limits at 0 and infinity, and
/// NaN below.
static Value selectLog(Wide w, Value x, Value y) {
  Gen &g = w.g;
  Value isInside = g.both(g.flt(w.real(0.0), x), g.flt(x, w.real(infinity)));
  Value outside = g.select(w.equal(x, infinity), w.real(infinity), w.real(NAN));
  outside = g.select(w.equal(x, 0.0), w.real(-infinity), outside);
  return g.select(isInside, y, outside);
}

Value geo::cpu::emitWideLog(Gen &g, Value x) {
  Wide w(g, x);
  Value isTiny = g.flt(x, w.real(std::numeric_limits<double>::min()));
  Value normal = g.select(isTiny, g.fmul(x, w.real(0x1p54)), x);
  Exponent e(w, normal);
  Value k = g.select(isTiny, g.fsub(e.k, w.real(54.0)), e.k);
  return selectLog(w, x,
                   emitLogOf(w, g.fsub(e.m, w.real(1.0)), k, w.real(0.0)));
}

Value geo::cpu::emitWideLog1p(Gen &g, Value z) {
  Wide w(g, z);
  Value one = w.real(1.0);
  Value x = arith::AddFOp::create(g.b, one, z);
  Exponent e(w, x);
  // What the sum has lost; without scaling, z itself is 1 + z - 1 exactly.
  Value ofLarge =
      arith::SubFOp::create(g.b, one, arith::SubFOp::create(g.b, x, z));
  Value ofSmall =
      arith::SubFOp::create(g.b, z, arith::SubFOp::create(g.b, x, one));
  Value lost = g.select(g.flt(one, z), ofLarge, ofSmall);
  Value c = g.select(e.isZero, w.real(0.0), g.fdiv(lost, x));
  Value f = g.select(e.isZero, z, g.fsub(e.m, one));
  return selectLog(w, x, emitLogOf(w, f, e.k, c));
}

Value geo::cpu::emitWideTanh(Gen &g, Value x) {
  // tanh x = x + x z P(z) / Q(z), z = x^2, below 0.625.
  static const double p[] = {-1.61468768441708447952e3,
                             -9.92877231001918586564e1,
                             -9.64399179425052238628e-1};
  static const double q[] = {4.84406305325125486048e3, 2.23548839060100448583e3,
                             1.12811678491632931402e2, 1.0};
  Wide w(g, x);
  Value z = g.fmul(x, x);
  Value ratio = g.fdiv(w.polynomial(p, z), w.polynomial(q, z));
  Value small = g.fma(g.fmul(x, z), ratio, x);
  Value a = math::AbsFOp::create(g.b, x);
  Value e = emitWideExp(g, g.fmul(a, w.real(-2.0)));
  Value one = w.real(1.0);
  Value large = g.fdiv(g.fsub(one, e), g.fadd(one, e));
  Value y = g.select(g.flt(a, w.real(0.625)), small, large);
  return math::CopySignOp::create(g.b, y, x);
}

void geo::cpu::expandWideMath(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa_and_present<math::MathDialect>(op->getDialect()) ||
        op->getNumResults() != 1)
      return;
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || !type.getElementType().isF64())
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Gen g(b);
    Value x = op->getOperand(0);
    Value y = llvm::TypeSwitch<Operation *, Value>(op)
                  .Case([&](math::ExpOp) { return emitWideExp(g, x); })
                  .Case([&](math::LogOp) { return emitWideLog(g, x); })
                  .Case([&](math::Log1pOp) { return emitWideLog1p(g, x); })
                  .Case([&](math::TanhOp) { return emitWideTanh(g, x); })
                  .Default([](Operation *) { return Value(); });
    if (!y)
      return;
    op->getResult(0).replaceAllUsesWith(y);
    op->erase();
  });
}
