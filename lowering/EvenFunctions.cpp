// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/EvenFunctions.h"
#include "lowering/EvenSeries.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace geo;

namespace {

/// Arithmetic on numbers or vectors of one float type.
class Arithmetic {
public:
  Arithmetic(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value number(double value) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    Attribute attr = b.getFloatAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, cast<TypedAttr>(attr));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, x); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value scale(double s, Value x) { return mul(number(s), x); }
  Value add1(Value x) { return add(number(1), x); }
  Value oneMinus(Value x) { return sub(number(1), x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, x); }
  Value exp(Value x) { return math::ExpOp::create(b, x); }
  Value log1p(Value x) { return math::Log1pOp::create(b, x); }

  ImplicitLocOpBuilder &b;
  Type type;
};

/// The closed forms, for z above the cut of the series.
class ClosedForm : Arithmetic {
public:
  ClosedForm(ImplicitLocOpBuilder &b, Value z)
      : Arithmetic(b, z.getType()), z(z), n(sqrt(z)) {}

  Value emit(EvenFn fn, int64_t order);
  /// Of tan(n)/n and atan(n)/n.
  Value emitTangent(int64_t order);
  Value emitArcTangent(int64_t order);

private:
  /// f' = (g - f) / (2z), f'' = (g' - 3f') / (2z).
  Value derive(int64_t order, Value f, llvm::function_ref<Value()> g,
               llvm::function_ref<Value(Value g)> dg);
  Value emitHyperbolic(bool isSinh, int64_t order);
  Value emitTrigonometric(bool isSine, int64_t order);
  /// sqrt(z) - n, which exp, sin and cos of a large n would magnify.
  Value emitResidual() { return div(fma(neg(n), n, z), scale(2, n)); }

  Value z, n;
};

Value ClosedForm::derive(int64_t order, Value f, llvm::function_ref<Value()> g,
                         llvm::function_ref<Value(Value)> dg) {
  if (order == 0)
    return f;
  Value outer = g(), twice = scale(2, z);
  Value first = div(sub(outer, f), twice);
  if (order == 1)
    return first;
  return div(sub(dg(outer), scale(3, first)), twice);
}

/// With E = exp(n) / 2 and e = exp(-n) / 2: cosh = E + e, sinhc = (E - e) / n.
/// The derivatives keep E apart, since inf - inf would be NaN.
Value ClosedForm::emitHyperbolic(bool isSinh, int64_t order) {
  // exp(n + r) = exp(n) (1 + r), also where exp(n) is inf.
  Value power = exp(n);
  Value isFinite =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, n, number(1000));
  Value residual =
      arith::SelectOp::create(b, isFinite, emitResidual(), number(0));
  power = mul(power, add1(residual));
  Value large = scale(0.5, power), small = div(number(0.5), power);
  if (!isSinh && order == 0)
    return add(large, small);
  int64_t sinhOrder = isSinh ? order : order - 1;
  Value factor = number(isSinh ? 1 : 0.5), inverse = div(number(1), n);
  if (sinhOrder == 0)
    return mul(factor, mul(sub(large, small), inverse));
  Value twice = scale(2, z);
  Value below = oneMinus(inverse), above = add1(inverse);
  if (sinhOrder == 1) {
    Value sum = fma(large, below, mul(small, above));
    return mul(factor, div(sum, twice));
  }
  Value half = scale(0.5, inverse);
  Value forLarge = sub(half, div(scale(3, below), twice));
  Value forSmall = add(half, div(scale(3, above), twice));
  Value sum = sub(mul(large, forLarge), mul(small, forSmall));
  return mul(factor, div(sum, twice));
}

Value ClosedForm::emitTrigonometric(bool isSine, int64_t order) {
  Value residual = emitResidual();
  Value sine = math::SinOp::create(b, n), cosine = math::CosOp::create(b, n);
  Value s = fma(residual, cosine, sine);
  Value c = fma(neg(residual), sine, cosine);
  if (!isSine && order == 0)
    return c;
  Value f = div(s, n);
  Value result = derive(
      isSine ? order : order - 1, f, [&] { return c; },
      [&](Value) { return scale(-0.5, f); });
  return isSine ? result : scale(-0.5, result);
}

Value ClosedForm::emitTangent(int64_t order) {
  Value residual = emitResidual();
  Value sine = math::SinOp::create(b, n), cosine = math::CosOp::create(b, n);
  Value s = fma(residual, cosine, sine);
  Value c = fma(neg(residual), sine, cosine);
  Value f = div(s, mul(c, n));
  return derive(
      order, f, [&] { return div(number(1), mul(c, c)); },
      [&](Value g) { return mul(g, f); });
}

Value ClosedForm::emitArcTangent(int64_t order) {
  return derive(
      order, div(math::AtanOp::create(b, n), n),
      [&] { return div(number(1), add1(z)); },
      [&](Value g) { return neg(mul(g, g)); });
}

Value ClosedForm::emit(EvenFn fn, int64_t order) {
  switch (fn) {
  case EvenFn::tanhc: {
    Value f = div(math::TanhOp::create(b, n), n);
    auto sech2 = [&] {
      // Never 1 - tanh^2, which cancels.
      Value e = exp(scale(-2, n)), d = add1(e);
      return div(scale(4, e), mul(d, d));
    };
    return derive(order, f, sech2, [&](Value g) { return neg(mul(g, f)); });
  }
  case EvenFn::artanhc: {
    // log(1 + n) - log(1 - z) / 2: two positive terms, and 1 - z is exact.
    Value sum = sub(log1p(n), scale(0.5, log1p(neg(z))));
    return derive(
        order, div(sum, n), [&] { return div(number(1), oneMinus(z)); },
        [&](Value g) { return mul(g, g); });
  }
  case EvenFn::asinhc: {
    Value root = sqrt(add1(z));
    Value f = div(log1p(add(n, div(z, add1(root)))), n);
    return derive(
        order, f, [&] { return div(number(1), root); },
        [&](Value g) { return scale(-0.5, div(g, add1(z))); });
  }
  case EvenFn::asinc: {
    Value root = sqrt(oneMinus(z));
    Value f = div(math::Atan2Op::create(b, n, root), n);
    return derive(
        order, f, [&] { return div(number(1), root); },
        [&](Value g) { return scale(0.5, div(g, oneMinus(z))); });
  }
  case EvenFn::sinhc:
  case EvenFn::coshq:
    return emitHyperbolic(fn == EvenFn::sinhc, order);
  case EvenFn::sinc:
  case EvenFn::cosq:
    return emitTrigonometric(fn == EvenFn::sinc, order);
  }
  llvm_unreachable("unknown function");
}

/// The function of a number of one sign: fn(z) for z >= 0, or with `isMirrored`
/// (tanhc and artanhc only) y -> fn(-y) for z = y >= 0.
Value expandOneSided(ImplicitLocOpBuilder &b, EvenFn fn, bool isMirrored,
                     Value z, int64_t order) {
  Arithmetic a(b, z.getType());
  bool isDouble = getElementTypeOrSelf(z.getType()).isF64();
  EvenSeries series = getEvenSeries(fn, isMirrored, order, isDouble ? 53 : 24);
  Value x = a.sub(z, a.number(series.cut / 2));
  Value sum = a.number(series.coefficients.back());
  for (double c : llvm::reverse(ArrayRef(series.coefficients).drop_back()))
    sum = a.fma(sum, x, a.number(c));
  sum = a.fma(sum, z, a.number(series.atZero));
  ClosedForm form(b, z);
  Value closed = !isMirrored           ? form.emit(fn, order)
                 : fn == EvenFn::tanhc ? form.emitTangent(order)
                                       : form.emitArcTangent(order);
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, z,
                                        a.number(series.cut));
  return arith::SelectOp::create(b, isSmall, sum, closed);
}

/// The function with fn(-y) = mirror(y), or nothing for tanhc and artanhc,
/// whose mirrors have no name.
std::optional<EvenFn> getMirror(EvenFn fn) {
  switch (fn) {
  case EvenFn::sinhc:
    return EvenFn::sinc;
  case EvenFn::sinc:
    return EvenFn::sinhc;
  case EvenFn::coshq:
    return EvenFn::cosq;
  case EvenFn::cosq:
    return EvenFn::coshq;
  case EvenFn::asinhc:
    return EvenFn::asinc;
  case EvenFn::asinc:
    return EvenFn::asinhc;
  case EvenFn::tanhc:
  case EvenFn::artanhc:
    return std::nullopt;
  }
  llvm_unreachable("unknown function");
}

} // namespace

Value geo::extendEven(ImplicitLocOpBuilder &b, EvenFn fn, Value z,
                      int64_t order, Value ofPositive) {
  Arithmetic a(b, z.getType());
  Value zero = a.number(0);
  Value isNegative =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, z, zero);
  Value any = isNegative;
  if (isa<VectorType>(z.getType()))
    any = vector::ReductionOp::create(b, vector::CombiningKind::OR, isNegative);
  auto branch = scf::IfOp::create(b, z.getType(), any, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ofPositive);
  b.setInsertionPointToStart(branch.thenBlock());
  Value y = arith::SelectOp::create(b, isNegative, a.neg(z), zero);
  std::optional<EvenFn> mirror = getMirror(fn);
  Value f = expandOneSided(b, mirror.value_or(fn), !mirror, y, order);
  if (order == 1)
    f = a.neg(f);
  Value result = arith::SelectOp::create(b, isNegative, f, ofPositive);
  scf::YieldOp::create(b, result);
  return branch.getResult(0);
}

Value geo::expandEven(ImplicitLocOpBuilder &b, EvenFn fn, Value z,
                      int64_t order) {
  Value ofPositive = expandOneSided(b, fn, /*isMirrored=*/false, z, order);
  return extendEven(b, fn, z, order, ofPositive);
}

void geo::expandEvenOps(Operation *root) {
  root->walk([](EvenOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.getResult().replaceAllUsesWith(
        expandEven(b, op.getFn(), op.getZ(), op.getOrder()));
    op.erase();
  });
}
