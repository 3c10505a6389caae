// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials are minimax fits of relative error (iteratively reweighted least
// squares on Chebyshev nodes); the stated errors are those of the fit.
#include "lowering/cpu/VectorMath.h"
#include "lowering/EvenFunctions.h"
#include "lowering/cpu/WideMath.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

/// 2^x on [-1/2, 1/2], 8e-8.
static const double exp2Poly[] = {1.00000007,   0.693146967,   0.240221197,
                                  0.0555071328, 0.00967554132, 0.00132764701};
/// e^x on [-ln2/2, ln2/2], 2e-9.
static const double expPoly[] = {1.0,          1.00000004,   0.49999992,
                                 0.166664192,  0.0416682318, 0.00837489836,
                                 0.00138367406};
/// log2(1+r)/r on [sqrt(1/2)-1, sqrt(2)-1], 3e-8.
static const double log2Poly[] = {1.442695,     -0.721347347, 0.480910643,
                                  -0.360703681, 0.287916244,  -0.238944867,
                                  0.21571569,   -0.207269465, 0.125836443};
/// (tanh(n)/n - 1)/z on z <= 0.39, 2e-7.
static const double tanhcPoly[] = {-0.333333289, 0.133327696, -0.0538508866,
                                   0.0209970494, -0.00609650038};
/// d/dz asinh(n)/n on z <= 1, 2e-8.
static const double asinhcPoly[] = {
    -0.166666663, 0.149999194,   -0.133901277, 0.121161663,   -0.109298357,
    0.0934018474, -0.0687211957, 0.0382300443, -0.0135795177, 0.00224085993};

static Value emitPolynomial(Gen &g, ArrayRef<double> coefficients, Value x) {
  Value r = g.real(x.getType(), coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    r = g.fma(r, x, g.real(x.getType(), c));
  return r;
}

namespace {
/// Bit patterns of f32 as integers.
struct Bits {
  Gen &g;
  Type type;
  Bits(Gen &g, Value like)
      : g(g), type(Gen::withElement(like.getType(), g.i32())) {}
  Value of(Value x) { return g.bitcast(x, type); }
  Value constant(int64_t v) { return g.integer(type, v); }
  Value add(Value x, Value y) { return arith::AddIOp::create(g.b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(g.b, x, y); }
  Value shiftLeft(Value x, int64_t by) {
    return arith::ShLIOp::create(g.b, x, constant(by));
  }
  Value shiftRight(Value x, int64_t by) {
    return arith::ShRSIOp::create(g.b, x, constant(by));
  }
};
} // namespace

/// Adding 1.5 * 2^23 leaves round(x) in the low bits of the sum; unlike a
/// conversion, it is defined for NaN.
static constexpr double roundingMagic = 12582912.0;

Value geo::cpu::emitExp2(Gen &g, Value x) {
  Bits bits(g, x);
  x = g.fmax(g.real(x.getType(), -126.0), x);
  Value magic = g.real(x.getType(), roundingMagic);
  Value shifted = arith::AddFOp::create(g.b, x, magic);
  Value f = g.fsub(x, arith::SubFOp::create(g.b, shifted, magic));
  Value p = emitPolynomial(g, exp2Poly, f);
  Value sum = bits.add(bits.of(p), bits.shiftLeft(bits.of(shifted), 23));
  return g.bitcast(sum, x.getType());
}

Value geo::cpu::emitExp(Gen &g, Value x) {
  Bits bits(g, x);
  Type type = x.getType();
  x = g.fmax(g.real(type, -104.0), x);
  x = g.fmin(g.real(type, 89.0), x);
  Value magic = g.real(type, roundingMagic);
  Value shifted = g.fma(x, g.real(type, 1.44269504088896341), magic);
  Value n = arith::SubFOp::create(g.b, shifted, magic);
  // ln 2 in two parts, the first of few bits: n times it is exact.
  Value r = g.fma(n, g.real(type, -0.693359375), x);
  r = g.fma(n, g.real(type, 2.12194440054690583e-4), r);
  Value p = emitPolynomial(g, expPoly, r);
  // 2^n in two factors: n reaches -150 and 128.
  Value whole = bits.sub(bits.of(shifted), bits.of(magic));
  Value half = bits.shiftRight(whole, 1);
  auto power = [&](Value k) {
    return g.bitcast(bits.shiftLeft(bits.add(k, bits.constant(127)), 23), type);
  };
  return g.fmul(g.fmul(p, power(half)), power(bits.sub(whole, half)));
}

Value geo::cpu::emitExpBelow(Gen &g, Value t) {
  if (Gen::elementOf(t).isF64())
    return emitWideExp(g, t);
  return emitExp2(g, g.fmul(t, g.real(t.getType(), 1.44269504088896341)));
}

Value geo::cpu::emitTanh(Gen &g, Value x) {
  Type type = x.getType();
  Value z = g.fmul(x, x);
  Value small = g.fma(g.fmul(x, z), emitPolynomial(g, tanhcPoly, z), x);
  Value a = math::AbsFOp::create(g.b, x);
  Value e = emitExp2(g, g.fmul(a, g.real(type, -2.88539008177792681)));
  Value one = g.real(type, 1.0);
  Value large = g.fdiv(g.fsub(one, e), g.fadd(one, e));
  Value y = g.select(g.flt(a, g.real(type, 0.625)), small, large);
  // Also for -0, which the sum above has lost.
  return math::CopySignOp::create(g.b, y, x);
}

Value geo::cpu::emitLog2OnePlus(Gen &g, Value z) {
  Bits bits(g, z);
  Value one = g.real(z.getType(), 1.0);
  Value w = bits.of(g.fadd(z, one));
  // The exponent that brings w into [sqrt(1/2), sqrt(2)).
  Value e = bits.shiftRight(bits.sub(w, bits.constant(0x3f3504f3)), 23);
  Value m = g.bitcast(bits.sub(w, bits.shiftLeft(e, 23)), z.getType());
  // Without scaling, z itself is more exact than (1 + z) - 1.
  Value unscaled =
      arith::CmpIOp::create(g.b, arith::CmpIPredicate::eq, e, bits.constant(0));
  Value r = g.select(unscaled, z, g.fsub(m, one));
  Value exponent = arith::SIToFPOp::create(g.b, z.getType(), e);
  return g.fma(r, emitPolynomial(g, log2Poly, r), exponent);
}

/// At 1e-30 everything below has its limit in f32.
static Value emitAbove0(Gen &g, Value z) {
  return g.fmax(g.real(z.getType(), 1e-30), z);
}

/// With n = sqrt(z), q = sqrt(1+z): asinh n = log1p(2n(n + q)) / 2, since
/// (n + q)^2 = 1 + 2n(n + q).
Value geo::cpu::emitAsinhc(Gen &g, Value z) {
  Type type = z.getType();
  Value s = emitAbove0(g, z);
  Value n = g.sqrt(s);
  Value q = g.sqrt(g.fadd(s, g.real(type, 1.0)));
  Value u = g.fmul(g.fadd(n, n), g.fadd(n, q));
  Value log = g.fmul(emitLog2OnePlus(g, u),
                     g.real(type, 0.34657359027997265)); // ln(2)/2
  return g.fdiv(log, n);
}

/// (1/q - f) / (2z), which cancels for small z and is a polynomial there.
Value geo::cpu::emitAsinhcDerivative(Gen &g, Value z, Value asinhc) {
  Type type = z.getType();
  Value s = emitAbove0(g, z), one = g.real(type, 1.0);
  Value q = g.sqrt(g.fadd(s, one));
  Value closed =
      g.fdiv(g.fsub(one, g.fmul(q, asinhc)), g.fmul(g.fadd(s, s), q));
  Value series = emitPolynomial(g, asinhcPoly, z);
  return g.select(g.flt(z, one), series, closed);
}

bool geo::cpu::isExpensive(Operation *op) {
  return op && isa<math::ExpOp, math::LogOp, math::Log1pOp, math::TanhOp,
                   math::SinOp, math::CosOp, math::AsinOp, EvenOp>(op);
}

Value geo::cpu::emitElementwise(Gen &g, Operation *op, ValueRange operands,
                                bool isVector, int64_t lanes, Value value) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Type type = isVector ? Type(Gen::vectorOf(lanes, element)) : element;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.getSplatValue<Attribute>();
    if (isVector)
      return arith::ConstantOp::create(
          g.b, DenseElementsAttr::get(cast<VectorType>(type), value));
    return arith::ConstantOp::create(g.b, cast<TypedAttr>(value));
  }
  if (isa<DetachOp>(op))
    return operands[0];
  if (isVector && element.isF32()) {
    if (isa<math::ExpOp>(op))
      return emitExp(g, operands[0]);
    if (isa<math::TanhOp>(op))
      return emitTanh(g, operands[0]);
    if (auto even = dyn_cast<EvenOp>(op);
        even && even.getFn() == EvenFn::asinhc && even.getOrder() < 2) {
      Value z = operands[0];
      Value positive = value ? value : emitAsinhc(g, z);
      if (even.getOrder() == 1)
        positive = emitAsinhcDerivative(g, z, positive);
      return extendEven(g.b, even.getFn(), z, even.getOrder(), positive);
    }
  }
  OperationState state(g.b.getLoc(), op->getName(), operands, type);
  if (Attribute properties = op->getPropertiesAsAttribute())
    state.propertiesAttr = properties;
  Operation *made = g.b.create(state);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(made))
    made->setAttr(fast.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(
                      g.b.getContext(), arith::FastMathFlags::contract));
  return made->getResult(0);
}
