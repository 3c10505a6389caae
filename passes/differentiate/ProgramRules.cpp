// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derivative rules of the operations on numbers and rows: one line each, read
// like the formula. g is the cotangent of the result y.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/differentiate/Adjoint.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

namespace {

/// x > y elementwise or as numbers.
Ex greater(Ex x, Ex y) { return less(y, x); }

Ex isEqual(Ex x, Ex y) {
  return {x.getBuilder(),
          arith::CmpFOp::create(x.getBuilder(), arith::CmpFPredicate::OEQ,
                                x.get(), y.get())};
}

/// The sum of a row's elements in f64, then as `type` (f32 or f64).
Ex sumElements(Ex row, Type type) {
  Ex sum = dot(row, row.constant(1.0));
  if (type == sum.get().getType())
    return sum;
  return {sum.getBuilder(),
          arith::TruncFOp::create(sum.getBuilder(), type, sum.get())};
}

Ex toRow(Ex number, Type rowType) {
  ImplicitLocOpBuilder &b = number.getBuilder();
  Value v = number.get();
  Type element = cast<VectorType>(rowType).getElementType();
  if (v.getType() != element)
    v = v.getType().isF64() ? arith::TruncFOp::create(b, element, v).getResult()
                            : arith::ExtFOp::create(b, element, v).getResult();
  return {b, vector::BroadcastOp::create(b, rowType, v)};
}

/// A float cast of a cotangent. A number that was only rounded to come here is
/// taken unrounded.
Ex castTo(Ex g, Type type) {
  ImplicitLocOpBuilder &b = g.getBuilder();
  if (auto rounded = g.get().getDefiningOp<arith::TruncFOp>())
    if (rounded.getIn().getType() == type)
      return {b, rounded.getIn()};
  bool widens = getElementTypeOrSelf(type).getIntOrFloatBitWidth() >
                getElementTypeOrSelf(g.get().getType()).getIntOrFloatBitWidth();
  if (widens)
    return {b, arith::ExtFOp::create(b, type, g.get())};
  return {b, arith::TruncFOp::create(b, type, g.get())};
}

} // namespace

bool Adjoint::propagateProgramOp(Operation *op, Value cotangent) {
  Ex g(b, cotangent), y(b, getPrimal(op->getResult(0)));
  auto x = [&](unsigned i) { return Ex(b, getPrimal(op->getOperand(i))); };
  auto to = [&](unsigned i, Ex contribution) {
    add(op->getOperand(i), contribution.get());
  };
  auto wanted = [&](unsigned i) { return isWanted(op->getOperand(i)); };
  // Ties go to the first operand.
  auto choose = [&](Ex first) {
    to(0, select(first, g, g.constant(0)));
    to(1, select(first, g.constant(0), g));
  };
  auto typeOf = [&](unsigned i) { return op->getOperand(i).getType(); };

  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::AddFOp>([&](auto) {
        to(0, g), to(1, g);
        return true;
      })
      .Case<arith::SubFOp>([&](auto) {
        to(0, g), to(1, -g);
        return true;
      })
      .Case<arith::MulFOp>([&](auto) {
        if (wanted(0))
          to(0, g * x(1));
        if (wanted(1))
          to(1, g * x(0));
        return true;
      })
      .Case<arith::DivFOp>([&](auto) {
        Ex q = g / x(1);
        to(0, q);
        if (wanted(1))
          to(1, -(q * y));
        return true;
      })
      .Case<arith::NegFOp>([&](auto) {
        to(0, -g);
        return true;
      })
      .Case<arith::MaximumFOp>([&](auto) {
        choose(Ex(b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGE,
                                           x(0).get(), x(1).get())));
        return true;
      })
      .Case<arith::MinimumFOp>([&](auto) {
        choose(Ex(b, arith::CmpFOp::create(b, arith::CmpFPredicate::OLE,
                                           x(0).get(), x(1).get())));
        return true;
      })
      .Case<arith::SelectOp>([&](auto) {
        to(1, select(x(0), g, g.constant(0)));
        to(2, select(x(0), g.constant(0), g));
        return true;
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) {
        to(0, castTo(g, typeOf(0)));
        return true;
      })
      .Case<vector::BroadcastOp>([&](auto) {
        to(0, sumElements(g, typeOf(0)));
        return true;
      })
      .Case<vector::ExtractOp>([&](auto) { // of a row of one element
        to(0, toRow(g, typeOf(0)));
        return true;
      })
      .Case<vector::ReductionOp>([&](vector::ReductionOp reduction) {
        Ex row = toRow(g, typeOf(0));
        if (reduction.getKind() == vector::CombiningKind::ADD)
          to(0, row);
        else // max: every winner gets the cotangent
          to(0,
             select(isEqual(x(0), toRow(y, typeOf(0))), row, row.constant(0)));
        return true;
      })
      .Case<DotOp>([&](DotOp dotOp) {
        if (dotOp.getX() == dotOp.getY()) {
          to(0, (2.0 * g) * x(0));
          return true;
        }
        if (wanted(0))
          to(0, g * x(1));
        if (wanted(1))
          to(1, g * x(0));
        return true;
      })
      .Case<ScaleOp>([&](auto) {
        if (wanted(0))
          to(0, dot(g, x(1)));
        if (wanted(1))
          to(1, x(0) * g);
        return true;
      })
      .Case<EvenOp>([&](EvenOp evenOp) {
        if (evenOp.getOrder() == 2)
          return false; // the third derivative has no lowering
        Ex d(b, EvenOp::create(b, x(0).get().getType(), evenOp.getFn(),
                               x(0).get(), evenOp.getOrder() + 1));
        to(0, g * d);
        return true;
      })
      .Case<math::ExpOp>([&](auto) {
        to(0, g * y);
        return true;
      })
      .Case<math::LogOp>([&](auto) {
        to(0, g / x(0));
        return true;
      })
      .Case<math::Log1pOp>([&](auto) {
        to(0, g / (1.0 + x(0)));
        return true;
      })
      .Case<math::SqrtOp>([&](auto) {
        // 0 at 0: the subgradient of a norm or distance, and never 0 * inf.
        Ex positive = greater(y, y.constant(0));
        Ex divisor = select(positive, y + y, y.constant(1));
        to(0, select(positive, g / divisor, g.constant(0)));
        return true;
      })
      .Case<math::RsqrtOp>([&](auto) {
        to(0, g * y.constant(-0.5) * (y / x(0)));
        return true;
      })
      .Case<math::TanhOp>([&](auto) {
        // Not 1 - y^2, which loses digits where y is near 1.
        to(0, g * ((1.0 - y) * (1.0 + y)));
        return true;
      })
      .Case<math::SinOp>([&](auto) {
        to(0, g * Ex(b, math::CosOp::create(b, x(0).get())));
        return true;
      })
      .Case<math::CosOp>([&](auto) {
        to(0, -(g * Ex(b, math::SinOp::create(b, x(0).get()))));
        return true;
      })
      .Case<math::AsinOp>([&](auto) {
        to(0, g / geo::sqrt((1.0 - x(0)) * (1.0 + x(0))));
        return true;
      })
      .Case<WithVjpOp>([&](WithVjpOp own) {
        IRMapping mapping;
        Block &vjp = own.getVjp().front();
        for (unsigned i = 0; i < own.getArgs().size(); ++i)
          mapping.map(vjp.getArgument(i), x(i).get());
        mapping.map(vjp.getArguments().back(), g.get());
        for (Operation &nested : vjp.without_terminator())
          b.clone(nested, mapping);
        for (auto [i, v] : llvm::enumerate(vjp.getTerminator()->getOperands()))
          to(i, Ex(b, mapping.lookupOrDefault(v)));
        return true;
      })
      .Case<arith::ConstantOp, arith::CmpFOp, DetachOp>(
          [&](auto) { return true; })
      .Default([](Operation *) { return false; });
}
