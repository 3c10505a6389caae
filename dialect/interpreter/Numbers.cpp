// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on numbers and rows, element by element.
#include "dialect/interpreter/Detail.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace geo;

namespace {

using L = long double;
using Unary = L (*)(L);
using Binary = L (*)(L, L);

Unary getUnary(Operation *op) {
  return TypeSwitch<Operation *, Unary>(op)
      .Case([](arith::NegFOp) -> Unary { return [](L x) { return -x; }; })
      .Case([](math::AbsFOp) -> Unary { return std::fabs; })
      .Case([](math::ExpOp) -> Unary { return std::exp; })
      .Case([](math::Exp2Op) -> Unary { return std::exp2; })
      .Case([](math::ExpM1Op) -> Unary { return std::expm1; })
      .Case([](math::LogOp) -> Unary { return std::log; })
      .Case([](math::Log1pOp) -> Unary { return std::log1p; })
      .Case([](math::SqrtOp) -> Unary { return std::sqrt; })
      .Case([](math::RsqrtOp) -> Unary {
        return [](L x) { return 1 / std::sqrt(x); };
      })
      .Case([](math::TanhOp) -> Unary { return std::tanh; })
      .Case([](math::SinOp) -> Unary { return std::sin; })
      .Case([](math::CosOp) -> Unary { return std::cos; })
      .Case([](math::AsinOp) -> Unary { return std::asin; })
      // Changes of type keep the exact value.
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
            arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(
          [](auto) -> Unary { return [](L x) { return x; }; })
      .Default([](Operation *) -> Unary { return nullptr; });
}

/// Not a number if either operand is none.
L maximum(L x, L y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::fmax(x, y);
}
L minimum(L x, L y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::fmin(x, y);
}

Binary getBinary(Operation *op) {
  return TypeSwitch<Operation *, Binary>(op)
      .Case<arith::AddFOp, arith::AddIOp>(
          [](auto) -> Binary { return [](L x, L y) { return x + y; }; })
      .Case<arith::SubFOp, arith::SubIOp>(
          [](auto) -> Binary { return [](L x, L y) { return x - y; }; })
      .Case<arith::MulFOp, arith::MulIOp>(
          [](auto) -> Binary { return [](L x, L y) { return x * y; }; })
      .Case([](arith::DivFOp) -> Binary {
        return [](L x, L y) { return x / y; };
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([](auto) -> Binary {
        return [](L x, L y) { return std::trunc(x / y); };
      })
      .Case([](arith::CeilDivUIOp) -> Binary {
        return [](L x, L y) { return std::ceil(x / y); };
      })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [](auto) -> Binary { return std::fmod; })
      // i1 only: the truth values 0 and 1.
      .Case([](arith::AndIOp op) -> Binary {
        return op.getType().isInteger(1) ? [](L x, L y) { return x * y; }
                                         : Binary(nullptr);
      })
      .Case([](arith::OrIOp op) -> Binary {
        return op.getType().isInteger(1) ? Binary(std::fmax) : nullptr;
      })
      .Case([](arith::MaximumFOp) -> Binary { return maximum; })
      .Case([](arith::MinimumFOp) -> Binary { return minimum; })
      .Case<arith::MaxNumFOp, arith::MaxSIOp>(
          [](auto) -> Binary { return std::fmax; })
      .Case<arith::MinNumFOp, arith::MinSIOp>(
          [](auto) -> Binary { return std::fmin; })
      .Default([](Operation *) -> Binary { return nullptr; });
}

bool compare(arith::CmpFPredicate predicate, L x, L y) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return x != y;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("unknown predicate");
}

/// Values are stored with their sign, so unsigned predicates hold for operands
/// that are not negative, as sizes and ids are.
bool compare(arith::CmpIPredicate predicate, L x, L y) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return x == y;
  case P::ne:
    return x != y;
  case P::slt:
  case P::ult:
    return x < y;
  case P::sle:
  case P::ule:
    return x <= y;
  case P::sgt:
  case P::ugt:
    return x > y;
  case P::sge:
  case P::uge:
    return x >= y;
  }
  llvm_unreachable("unknown predicate");
}

/// `f` of the elements of operands of one shape.
template <class F> Datum zip(const Datum &x, const Datum &y, F f) {
  Datum result = x;
  for (int64_t i = 0; i < x.size(); ++i)
    result.data[i] = f(x.data[i], y.data[i]);
  return result;
}

std::optional<Datum> evaluateConstant(arith::ConstantOp op) {
  auto ofFloat = [](const APFloat &x) -> L {
    APFloat wide = x;
    bool losesInfo;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    return wide.convertToDouble();
  };
  // i1 is stored as 0 or 1, wider integers with their sign.
  auto ofInt = [](const APInt &x) -> L {
    return x.getBitWidth() == 1 ? static_cast<L>(x.getZExtValue())
                                : static_cast<L>(x.getSExtValue());
  };
  Attribute value = op.getValue();
  if (auto x = dyn_cast<FloatAttr>(value))
    return Datum(ofFloat(x.getValue()));
  if (auto x = dyn_cast<IntegerAttr>(value))
    return Datum(ofInt(x.getValue()));
  auto type = dyn_cast<ShapedType>(op.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  Datum result(type.getShape(), {});
  if (auto dense = dyn_cast<DenseFPElementsAttr>(value))
    for (const APFloat &x : dense.getValues<APFloat>())
      result.data.push_back(ofFloat(x));
  else if (auto dense = dyn_cast<DenseIntElementsAttr>(value))
    for (const APInt &x : dense.getValues<APInt>())
      result.data.push_back(ofInt(x));
  else
    return std::nullopt;
  return result;
}

Datum choose(const Datum &condition, const Datum &yes, const Datum &no) {
  if (condition.size() == 1)
    return condition.number() != 0 ? yes : no;
  Datum result = no;
  for (int64_t i = 0; i < no.size(); ++i)
    if (condition.data[i] != 0)
      result.data[i] = yes.data[i];
  return result;
}

std::optional<Datum> reduce(vector::ReductionOp op, const Datum &x) {
  L result = op.getKind() == vector::CombiningKind::ADD ? 0 : -INFINITY;
  for (L element : x.data)
    switch (op.getKind()) {
    case vector::CombiningKind::ADD:
      result += element;
      break;
    case vector::CombiningKind::MAXIMUMF:
      result = maximum(result, element);
      break;
    default:
      return std::nullopt;
    }
  if (op.getAcc())
    return std::nullopt;
  return Datum(result);
}

} // namespace

std::optional<Datum>
interpreter::evaluateNumberOp(Operation *op, ArrayRef<const Datum *> operands) {
  if (Unary f = getUnary(op)) {
    Datum result = *operands[0];
    for (L &x : result.data)
      x = f(x);
    return result;
  }
  if (Binary f = getBinary(op))
    return zip(*operands[0], *operands[1], f);

  using Answer = std::optional<Datum>;
  return TypeSwitch<Operation *, Answer>(op)
      .Case([](arith::ConstantOp constant) -> Answer {
        return evaluateConstant(constant);
      })
      .Case<arith::CmpFOp, arith::CmpIOp>([&](auto cmp) -> Answer {
        return zip(*operands[0], *operands[1], [&](L x, L y) -> L {
          return compare(cmp.getPredicate(), x, y);
        });
      })
      .Case([&](arith::SelectOp) -> Answer {
        return choose(*operands[0], *operands[1], *operands[2]);
      })
      .Case([&](vector::BroadcastOp broadcast) -> Answer {
        auto type = broadcast.getResultVectorType();
        if (operands[0]->size() != 1)
          return std::nullopt;
        Datum row = Datum::zeros(type.getShape());
        llvm::fill(row.data, operands[0]->number());
        return row;
      })
      .Case([&](vector::ReductionOp reduction) -> Answer {
        return reduce(reduction, *operands[0]);
      })
      .Case([&](vector::ExtractOp) -> Answer { // of a row of one element
        if (operands[0]->size() != 1)
          return std::nullopt;
        return Datum(operands[0]->number());
      })
      .Case([&](DotOp) -> Answer {
        L sum = 0;
        for (int64_t i = 0; i < operands[0]->size(); ++i)
          sum += operands[0]->data[i] * operands[1]->data[i];
        return Datum(sum);
      })
      .Case([&](ScaleOp) -> Answer {
        Datum result = *operands[1];
        for (L &x : result.data)
          x *= operands[0]->number();
        return result;
      })
      .Case([&](EvenOp even) -> Answer {
        Datum result = *operands[0];
        for (L &z : result.data)
          z = evaluateEven(even.getFn(), z, static_cast<int>(even.getOrder()));
        return result;
      })
      .Default([](Operation *) -> Answer { return std::nullopt; });
}
