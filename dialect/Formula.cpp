// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Formula.h"
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace geo {

bool Ex::isRow() const { return isa<VectorType>(value.getType()); }

static Ex makeConstant(ImplicitLocOpBuilder &b, Type type, double number) {
  auto attr = b.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto row = dyn_cast<VectorType>(type))
    return {b, arith::ConstantOp::create(
                   b, DenseElementsAttr::get(row, Attribute(attr)))};
  return {b, arith::ConstantOp::create(b, attr)};
}

Ex Ex::constant(double number) const {
  return makeConstant(*builder, value.getType(), number);
}

Ex Ex::number(double number) const {
  Type type = isRow() ? Type(builder->getF64Type()) : value.getType();
  return makeConstant(*builder, type, number);
}

/// A number as a row like `like`: rounded once to the row's element type.
static Ex broadcast(Ex number, Ex like) {
  if (number.isRow() || !like.isRow())
    return number;
  ImplicitLocOpBuilder &b = number.getBuilder();
  auto type = cast<VectorType>(like.get().getType());
  Value v = number.get();
  if (v.getType() != type.getElementType())
    v = arith::TruncFOp::create(b, type.getElementType(), v);
  return {b, vector::BroadcastOp::create(b, type, v)};
}

template <class Op> static Ex binary(Ex a, Ex b) {
  Ex lhs = broadcast(a, b), rhs = broadcast(b, a);
  return {a.getBuilder(), Op::create(a.getBuilder(), lhs.get(), rhs.get())};
}
template <class Op> static Ex unary(Ex a) {
  return {a.getBuilder(), Op::create(a.getBuilder(), a.get())};
}
static Ex scale(Ex s, Ex x) {
  return {s.getBuilder(),
          ScaleOp::create(s.getBuilder(), x.get().getType(), s.get(), x.get())};
}

Ex operator+(Ex a, Ex b) { return binary<arith::AddFOp>(a, b); }
Ex operator-(Ex a, Ex b) { return binary<arith::SubFOp>(a, b); }
Ex operator*(Ex a, Ex b) {
  if (a.isRow() && !b.isRow())
    return scale(b, a);
  if (b.isRow() && !a.isRow())
    return scale(a, b);
  return binary<arith::MulFOp>(a, b);
}
Ex operator/(Ex a, Ex b) {
  if (a.isRow() && !b.isRow())
    return scale(1.0 / b, a);
  return binary<arith::DivFOp>(a, b);
}
Ex operator-(Ex a) { return unary<arith::NegFOp>(a); }
Ex operator+(double a, Ex b) { return b.constant(a) + b; }
Ex operator-(double a, Ex b) { return b.constant(a) - b; }
Ex operator*(double a, Ex b) { return b.number(a) * b; }
Ex operator/(double a, Ex b) { return b.constant(a) / b; }
Ex operator+(Ex a, double b) { return a + a.constant(b); }
Ex operator-(Ex a, double b) { return a - a.constant(b); }

Ex dot(Ex x, Ex y) {
  return {x.getBuilder(),
          DotOp::create(x.getBuilder(), x.getBuilder().getF64Type(), x.get(),
                        y.get())};
}
Ex sqnorm(Ex x) { return dot(x, x); }
Ex epsilon(Ex x) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, EpsilonOp::create(b, b.getF64Type(), x.get())};
}
Ex rowLength(Ex x) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, RowLengthOp::create(b, b.getF64Type(), x.get())};
}
Ex detach(Ex x) {
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, DetachOp::create(b, x.get().getType(), x.get())};
}

Ex even(EvenFn fn, Ex z) {
  return {z.getBuilder(),
          EvenOp::create(z.getBuilder(), z.get().getType(), fn, z.get(), 0)};
}
Ex tanhc(Ex z) { return even(EvenFn::tanhc, z); }
Ex artanhc(Ex z) { return even(EvenFn::artanhc, z); }
Ex asinhc(Ex z) { return even(EvenFn::asinhc, z); }
Ex sinhc(Ex z) { return even(EvenFn::sinhc, z); }
Ex coshq(Ex z) { return even(EvenFn::coshq, z); }
Ex sinc(Ex z) { return even(EvenFn::sinc, z); }
Ex cosq(Ex z) { return even(EvenFn::cosq, z); }
Ex asinc(Ex z) { return even(EvenFn::asinc, z); }

Ex sqrt(Ex x) { return unary<math::SqrtOp>(x); }
Ex exp(Ex x) { return unary<math::ExpOp>(x); }
Ex log(Ex x) { return unary<math::LogOp>(x); }
Ex tanh(Ex x) { return unary<math::TanhOp>(x); }
Ex asin(Ex x) { return unary<math::AsinOp>(x); }
Ex sin(Ex x) { return unary<math::SinOp>(x); }
Ex cos(Ex x) { return unary<math::CosOp>(x); }

Ex max(Ex a, Ex b) { return binary<arith::MaximumFOp>(a, b); }
Ex min(Ex a, Ex b) { return binary<arith::MinimumFOp>(a, b); }

Ex less(Ex a, Ex b) {
  return {a.getBuilder(),
          arith::CmpFOp::create(a.getBuilder(), arith::CmpFPredicate::OLT,
                                a.get(), b.get())};
}
Ex select(Ex condition, Ex ifTrue, Ex ifFalse) {
  return {condition.getBuilder(),
          arith::SelectOp::create(condition.getBuilder(), condition.get(),
                                  ifTrue.get(), ifFalse.get())};
}

} // namespace geo
