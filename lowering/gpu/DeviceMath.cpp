// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of the PTX ISA: div.full.f32 (2 ulp), sqrt.approx.f32 and
// rsqrt.approx.f32 (about 1 ulp) keep subnormal numbers; rcp.approx.ftz.f64 and
// rsqrt.approx.ftz.f64 give 20 bits of normal numbers, for Newton's iteration.
#include "lowering/gpu/DeviceMath.h"
#include "lowering/cpu/VectorMath.h"
#include "lowering/cpu/WideMath.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace geo;
using cpu::Gen;
using cpu::Values;

namespace {

/// Arithmetic on numbers of f64.
struct Math {
  Gen &g;

  Value real(double x) { return g.real(g.f64(), x); }
  /// Rounded once, unlike a contraction that LLVM may or may not do.
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(g.b, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(g.b, x); }
  Value equal(Value x, double y) {
    return arith::CmpFOp::create(g.b, arith::CmpFPredicate::OEQ, x, real(y));
  }
  Value above(Value x, double y) { return g.flt(real(y), x); }
  Value below(Value x, double y) { return g.flt(x, real(y)); }
  Value either(Value x, Value y) { return arith::OrIOp::create(g.b, x, y); }
  Value intrinsic(StringRef name, Value x) {
    return LLVM::CallIntrinsicOp::create(g.b, x.getType(),
                                         g.b.getStringAttr(name), x)
        ->getResult(0);
  }

  Value divide(Value a, Value b);
  Value squareRoot(Value x);
};

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Operands with magnitudes beyond 2^900 or below 2^-900 are scaled by 2^-200
/// or 2^200, so that neither the reciprocal nor the remainder leaves the normal
/// numbers; scaling the quotient back is the last operation.
Value Math::divide(Value a, Value b) {
  Value sizeA = abs(a), sizeB = abs(b);
  auto scale = [&](Value size, double large, double small) {
    return g.select(above(size, 0x1p900), real(large),
                    g.select(below(size, 0x1p-900), real(small), real(1.0)));
  };
  Value x = g.fmul(a, scale(sizeA, 0x1p-200, 0x1p200));
  Value y = g.fmul(b, scale(sizeB, 0x1p-200, 0x1p200));
  Value back =
      g.fmul(scale(sizeA, 0x1p200, 0x1p-200), scale(sizeB, 0x1p-200, 0x1p200));
  Value r = intrinsic("llvm.nvvm.rcp.approx.ftz.d", y);
  Value minusY = g.fneg(y);
  for (int i = 0; i < 2; ++i)
    r = fma(fma(minusY, r, real(1.0)), r, r);
  Value q = g.fmul(x, r);
  // An infinite quotient leaves no remainder to correct it by.
  q = g.select(equal(abs(q), infinity), q, fma(fma(minusY, q, x), r, q));
  q = g.fmul(q, back);
  // 0, infinity and NaN: the sign of a finite b, or its reciprocal, decides.
  Value one = math::CopySignOp::create(g.b, real(1.0), b);
  Value limit = g.select(
      equal(sizeB, 0.0), math::CopySignOp::create(g.b, real(infinity), b),
      g.select(equal(sizeB, infinity),
               math::CopySignOp::create(g.b, real(0.0), b), one));
  auto isUsual = [&](Value size) {
    return g.both(above(size, 0.0), below(size, infinity));
  };
  Value special = g.fmul(
      a, g.select(arith::CmpFOp::create(g.b, arith::CmpFPredicate::UNO, b, b),
                  b, limit));
  return g.select(g.both(isUsual(sizeA), isUsual(sizeB)), q, special);
}

Value Math::squareRoot(Value x) {
  Value isTiny = below(x, 0x1p-900);
  Value s = g.fmul(x, g.select(isTiny, real(0x1p200), real(1.0)));
  Value y = intrinsic("llvm.nvvm.rsqrt.approx.ftz.d", s);
  // root = s y and half = y / 2 converge to sqrt(s) and 1 / (2 sqrt(s)).
  Value root = g.fmul(s, y), half = g.fmul(y, real(0.5));
  for (int i = 0; i < 2; ++i) {
    Value error = fma(g.fneg(root), half, real(0.5));
    root = fma(root, error, root);
    half = fma(half, error, half);
  }
  root = fma(fma(g.fneg(root), root, s), half, root);
  root = g.fmul(root, g.select(isTiny, real(0x1p-100), real(1.0)));
  return g.select(either(equal(x, 0.0), equal(x, infinity)), x, root);
}

/// sin or cos for |x| <= 2^30: the nearest multiple of pi/2 in three parts, and
/// the polynomials of fdlibm on [-pi/4, pi/4].
Value emitSine(Gen &g, Value x, bool isCosine) {
  static const double sine[] = {
      -1.66666666666666324348e-01, 8.33333333332248946124e-03,
      -1.98412698298579493134e-04, 2.75573137070700676789e-06,
      -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  static const double cosine[] = {
      4.16666666666666019037e-02, -1.38888888888741095749e-03,
      2.48015872894767294178e-05, -2.75573143513906633035e-07,
      2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Math m{g};
  auto polynomial = [&](ArrayRef<double> c, Value z) {
    Value r = m.real(c.back());
    for (double k : llvm::reverse(c.drop_back()))
      r = m.fma(r, z, m.real(k));
    return r;
  };
  // Adding 1.5 * 2^52 leaves the rounded sum in the low bits.
  Value magic = m.real(6755399441055744.0);
  Value shifted = m.fma(x, m.real(0.63661977236758134308), magic);
  Value n = arith::SubFOp::create(g.b, shifted, magic);
  Value r = m.fma(n, m.real(-1.57079632679489655800), x);
  r = m.fma(n, m.real(-6.12323399573676603587e-17), r);
  r = m.fma(n, m.real(1.49738490485916983e-33), r);
  Value z = g.fmul(r, r);
  Value s = m.fma(g.fmul(r, z), polynomial(sine, z), r);
  Value c = m.fma(g.fmul(z, z), polynomial(cosine, z),
                  m.fma(m.real(-0.5), z, m.real(1.0)));
  Type i64 = g.b.getI64Type();
  Value quadrant = g.bitcast(shifted, i64);
  if (isCosine)
    quadrant = arith::AddIOp::create(g.b, quadrant, g.integer(i64, 1));
  auto hasBit = [&](int64_t bit) -> Value {
    Value masked = arith::AndIOp::create(g.b, quadrant, g.integer(i64, bit));
    return arith::CmpIOp::create(g.b, arith::CmpIPredicate::ne, masked,
                                 g.integer(i64, 0));
  };
  Value y = g.select(hasBit(1), c, s);
  y = g.select(hasBit(2), g.fneg(y), y);
  // x - x is NaN for infinities.
  return g.select(m.below(m.abs(x), infinity), y,
                  arith::SubFOp::create(g.b, x, x));
}

/// The angle of (x, y): the polynomial of fdlibm on [-7/16, 7/16], after
/// atan t = pi/4 + atan((t - 1) / (t + 1)).
Value emitAngle(Gen &g, Value y, Value x) {
  static const double arcTangent[] = {
      3.33333333333329318027e-01, -1.99999999998764832476e-01,
      1.42857142725034663711e-01, -1.11111104054623557880e-01,
      9.09088713343650656196e-02, -7.69187620504482999495e-02,
      6.66107313738753120669e-02, -5.83357013379057348645e-02,
      4.97687799461593236017e-02, -3.65315727442169155270e-02,
      1.62858201153657823623e-02};
  constexpr double pi = 3.14159265358979323846;
  Math m{g};
  Value sizeX = m.abs(x), sizeY = m.abs(y);
  Value isSteep = g.flt(sizeX, sizeY);
  Value large = g.select(isSteep, sizeY, sizeX);
  Value small = g.select(isSteep, sizeX, sizeY);
  // Both infinite: as if they were equal; both zero: as on the axis.
  Value t = m.divide(small, large);
  t = g.select(m.equal(small, infinity), m.real(1.0), t);
  t = g.select(m.equal(large, 0.0), m.real(0.0), t);
  Value one = m.real(1.0), isFar = m.above(t, 0.4142135623730950488);
  Value u = g.select(isFar,
                     m.divide(arith::SubFOp::create(g.b, t, one),
                              arith::AddFOp::create(g.b, t, one)),
                     t);
  Value z = g.fmul(u, u), p = m.real(std::end(arcTangent)[-1]);
  for (double c : llvm::reverse(ArrayRef(arcTangent).drop_back()))
    p = m.fma(p, z, m.real(c));
  Value angle = m.fma(g.fneg(g.fmul(u, z)), p, u);
  angle = g.fadd(angle, g.select(isFar, m.real(pi / 4), m.real(0.0)));
  angle = g.select(isSteep, g.fsub(m.real(pi / 2), angle), angle);
  Value isLeft = m.below(math::CopySignOp::create(g.b, one, x), 0.0);
  angle = g.select(isLeft, g.fsub(m.real(pi), angle), angle);
  angle = math::CopySignOp::create(g.b, angle, y);
  Value isNumber = arith::CmpFOp::create(g.b, arith::CmpFPredicate::ORD, x, y);
  return g.select(isNumber, angle, arith::AddFOp::create(g.b, x, y));
}

using Function = llvm::function_ref<Value(Gen &g, ValueRange operands)>;

/// `function` of the numbers, lane by lane for vectors.
Value onLanes(Gen &g, Operation *op, Function function) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!type)
    return function(g, op->getOperands());
  Value result = g.zero(type);
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    Values operands = llvm::map_to_vector(
        op->getOperands(), [&](Value v) { return g.extract(v, lane); });
    result = g.insert(function(g, operands), result, lane);
  }
  return result;
}

Value callIntrinsic(Gen &g, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(g.b, operands[0].getType(),
                                       g.b.getStringAttr(name), operands)
      ->getResult(0);
}

/// A function of vectors, on a number too.
Value onVector(Gen &g, Value x, llvm::function_ref<Value(Value)> function) {
  if (isa<VectorType>(x.getType()))
    return function(x);
  Value vector = g.broadcast(x, Gen::vectorOf(1, x.getType()));
  return g.extract(function(vector), 0);
}

/// A function of f64 vectors, on numbers or vectors of f32 or f64.
Value onWide(Gen &g, Operation *op,
             llvm::function_ref<Value(Gen &, Value)> function) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return onVector(g, op->getOperand(0), [&](Value x) {
    return g.convert(function(g, g.convert(x, g.f64())), element);
  });
}

/// What `op` becomes, or null for what stays.
Value expand(Gen &g, Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!element.isF32() && !element.isF64())
    return {};
  bool isWide = element.isF64();
  auto sine = [&](bool isCosine) {
    return onLanes(g, op, [&](Gen &g, ValueRange x) {
      return g.convert(emitSine(g, g.convert(x[0], g.f64()), isCosine),
                       element);
    });
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivFOp) {
        return onLanes(g, op, [&](Gen &g, ValueRange x) {
          return isWide ? Math{g}.divide(x[0], x[1])
                        : callIntrinsic(g, "llvm.nvvm.div.full", x);
        });
      })
      .Case([&](math::SqrtOp) {
        return onLanes(g, op, [&](Gen &g, ValueRange x) {
          return isWide ? Math{g}.squareRoot(x[0])
                        : callIntrinsic(g, "llvm.nvvm.sqrt.approx.f", x);
        });
      })
      .Case([&](math::RsqrtOp) {
        return onLanes(g, op, [&](Gen &g, ValueRange x) {
          Math m{g};
          return isWide ? m.divide(m.real(1.0), m.squareRoot(x[0]))
                        : callIntrinsic(g, "llvm.nvvm.rsqrt.approx.f", x);
        });
      })
      .Case([&](math::ExpOp) {
        return isWide ? onWide(g, op, cpu::emitWideExp)
                      : onVector(g, op->getOperand(0),
                                 [&](Value x) { return cpu::emitExp(g, x); });
      })
      .Case([&](math::TanhOp) {
        return isWide ? onWide(g, op, cpu::emitWideTanh)
                      : onVector(g, op->getOperand(0),
                                 [&](Value x) { return cpu::emitTanh(g, x); });
      })
      .Case([&](math::LogOp) { return onWide(g, op, cpu::emitWideLog); })
      .Case([&](math::Log1pOp) { return onWide(g, op, cpu::emitWideLog1p); })
      .Case([&](math::Atan2Op) {
        return onLanes(g, op, [&](Gen &g, ValueRange x) {
          return g.convert(
              emitAngle(g, g.convert(x[0], g.f64()), g.convert(x[1], g.f64())),
              element);
        });
      })
      .Case([&](math::SinOp) { return sine(false); })
      .Case([&](math::CosOp) { return sine(true); })
      .Default([](Operation *) { return Value(); });
}

} // namespace

void device::expandMath(ModuleOp module) {
  // Functions first: they hold divisions.
  for (int round = 0; round < 2; ++round)
    for (auto kernels : module.getOps<gpu::GPUModuleOp>())
      kernels.walk([&](Operation *op) {
        if (op->getNumResults() != 1 ||
            (round == 0 && isa<arith::DivFOp, math::SqrtOp>(op)))
          return;
        ImplicitLocOpBuilder b(op->getLoc(), op);
        Gen g(b);
        Value y = expand(g, op);
        if (!y)
          return;
        op->getResult(0).replaceAllUsesWith(y);
        op->erase();
      });
}
