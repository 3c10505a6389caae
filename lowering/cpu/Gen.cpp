// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Gen.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo::cpu;

static constexpr auto contract = arith::FastMathFlags::contract;
static constexpr auto noWrap =
    arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

Type Gen::elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

Type Gen::withElement(Type like, Type element) {
  if (auto vector = dyn_cast<VectorType>(like))
    return VectorType::get(vector.getShape(), element);
  return element;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Gen::idx(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value makeConstant(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, Attribute(value)));
  return arith::ConstantOp::create(b, value);
}

Value Gen::real(Type type, double value) {
  return makeConstant(b, type,
                      b.getFloatAttr(getElementTypeOrSelf(type), value));
}
Value Gen::integer(Type type, int64_t value) {
  return makeConstant(b, type,
                      b.getIntegerAttr(getElementTypeOrSelf(type), value));
}
Value Gen::zero(Type type) {
  return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
}
Value Gen::lanes(int64_t count) {
  auto values = llvm::to_vector(llvm::seq<int32_t>(0, count));
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(vectorOf(count, i32()), ArrayRef(values)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Gen::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y, noWrap);
}
Value Gen::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y, arith::IntegerOverflowFlags::nsw);
}
Value Gen::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(x, y, noWrap);
}
Value Gen::div(Value x, Value y) {
  return b.createOrFold<arith::DivUIOp>(x, y);
}
Value Gen::rem(Value x, Value y) {
  return b.createOrFold<arith::RemUIOp>(x, y);
}
Value Gen::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}
Value Gen::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}
Value Gen::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, x, y);
}
Value Gen::lessEqual(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, x, y);
}
Value Gen::equal(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, x, y);
}
Value Gen::both(Value x, Value y) {
  return b.createOrFold<arith::AndIOp>(x, y);
}

Value Gen::fadd(Value x, Value y) {
  return arith::AddFOp::create(b, x, y, contract);
}
Value Gen::fsub(Value x, Value y) {
  return arith::SubFOp::create(b, x, y, contract);
}
Value Gen::fmul(Value x, Value y) {
  return arith::MulFOp::create(b, x, y, contract);
}
Value Gen::fdiv(Value x, Value y) {
  return arith::DivFOp::create(b, x, y, contract);
}
Value Gen::fneg(Value x) { return arith::NegFOp::create(b, x); }
Value Gen::fma(Value x, Value y, Value z) {
  if (isa<VectorType>(x.getType()))
    return vector::FMAOp::create(b, x, y, z);
  return fadd(fmul(x, y), z);
}
Value Gen::sqrt(Value x) { return math::SqrtOp::create(b, x); }
Value Gen::flt(Value x, Value y) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
}
Value Gen::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}
Value Gen::convert(Value x, Type element) {
  unsigned from = elementOf(x).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  Type type = withElement(x.getType(), element);
  if (from < to)
    return arith::ExtFOp::create(b, type, x);
  if (from > to)
    return arith::TruncFOp::create(b, type, x);
  return x;
}
Value Gen::bitcast(Value x, Type type) {
  return arith::BitcastOp::create(b, type, x);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value Gen::broadcast(Value x, Type type) {
  return vector::BroadcastOp::create(b, type, x);
}
Value Gen::sum(Value v) {
  // The order within one register is free: it is the same on every run.
  return vector::ReductionOp::create(b, vector::CombiningKind::ADD, v,
                                     arith::FastMathFlags::contract |
                                         arith::FastMathFlags::reassoc);
}
Value Gen::anyLane(Value mask) {
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, mask);
}
Value Gen::piece(Value v, int64_t first, int64_t count) {
  if (cast<VectorType>(v.getType()).getNumElements() == count)
    return v;
  return vector::ExtractStridedSliceOp::create(b, v, first, count, 1);
}
Value Gen::extract(Value v, int64_t lane) {
  return vector::ExtractOp::create(b, v, lane);
}
Value Gen::insert(Value x, Value v, int64_t lane) {
  return vector::InsertOp::create(b, x, v, lane);
}
Value Gen::maskBelow(Value count, int64_t width) {
  Value limit = arith::IndexCastOp::create(b, i32(), count);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lanes(width),
                               broadcast(limit, vectorOf(width, i32())));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Gen::dim(Value memref, unsigned i) {
  return b.createOrFold<memref::DimOp>(memref, static_cast<int64_t>(i));
}
Value Gen::load(Value memref, ValueRange at) {
  return memref::LoadOp::create(b, memref, at);
}
void Gen::store(Value x, Value memref, ValueRange at) {
  memref::StoreOp::create(b, x, memref, at);
}
Value Gen::loadVector(Value memref, ValueRange at, VectorType type) {
  return vector::LoadOp::create(b, type, memref, at);
}
Value Gen::loadMasked(Value memref, ValueRange at, VectorType type,
                      Value mask) {
  return vector::MaskedLoadOp::create(b, type, memref, at, mask, zero(type));
}
void Gen::storeVector(Value x, Value memref, ValueRange at) {
  if (isa<VectorType>(x.getType()))
    vector::StoreOp::create(b, x, memref, at);
  else
    store(x, memref, at);
}
void Gen::storeMasked(Value x, Value memref, ValueRange at, Value mask) {
  vector::MaskedStoreOp::create(b, memref, at, mask, x);
}
Value Gen::alloc(ArrayRef<int64_t> shape, Type element, ValueRange sizes) {
  return memref::AllocOp::create(b, MemRefType::get(shape, element), sizes,
                                 b.getI64IntegerAttr(64));
}
void Gen::dealloc(Value memref) { memref::DeallocOp::create(b, memref); }

Value Gen::window(Value memref, unsigned dimension, Value offset, Value size) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  for (unsigned i = 0; i < type.getRank(); ++i)
    sizes.push_back(getAsOpFoldResult(i == dimension ? size : dim(memref, i)));
  offsets[dimension] = getAsOpFoldResult(offset);
  return memref::SubViewOp::create(b, memref, offsets, sizes, strides);
}

Value Gen::slice(Value memref, Value index) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)), sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (unsigned i = 0; i < type.getRank(); ++i) {
    sizes.push_back(i == 0 ? OpFoldResult(b.getIndexAttr(1))
                           : getAsOpFoldResult(dim(memref, i)));
    // A size may be known where the type does not tell it.
    if (i > 0)
      shape.push_back(
          getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
  }
  offsets[0] = getAsOpFoldResult(index);
  auto result = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides));
  return memref::SubViewOp::create(b, result, memref, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Values Gen::forLoop(Value lower, Value upper, Value step, ValueRange init,
                    function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, lower, upper, step, init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

void Gen::forLoop(Value lower, Value upper, Value step,
                  function_ref<void(Value)> body) {
  forLoop(lower, upper, step, ValueRange(), [&](Value i, ValueRange) {
    body(i);
    return Values();
  });
}

void Gen::forStrips(int64_t length, int64_t lanes,
                    function_ref<void(Value, int64_t)> body) {
  int64_t whole = length / lanes * lanes;
  if (whole == lanes)
    body(idx(0), lanes);
  else if (whole)
    forLoop(idx(0), idx(whole), idx(lanes), [&](Value j) { body(j, lanes); });
  if (length > whole)
    body(idx(whole), length - whole);
}

void Gen::forMasked(Value lower, Value upper, int64_t lanes,
                    function_ref<void(Value, Value)> body) {
  Value whole = add(lower, mul(div(sub(upper, lower), idx(lanes)), lanes));
  forLoop(lower, whole, idx(lanes), [&](Value j) { body(j, Value()); });
  ifThen(less(whole, upper),
         [&] { body(whole, maskBelow(sub(upper, whole), lanes)); });
}

void Gen::ifThen(Value condition, function_ref<void()> then) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
}

Values Gen::ifElse(Value condition, function_ref<Values()> then,
                   function_ref<Values()> otherwise) {
  // The types of the results are known once a side is built.
  OpBuilder::InsertionGuard guard(b);
  Block thenBlock, elseBlock;
  OpBuilder::InsertPoint at = b.saveInsertionPoint();
  b.setInsertionPointToEnd(&thenBlock);
  Values thenValues = then();
  scf::YieldOp::create(b, thenValues);
  b.setInsertionPointToEnd(&elseBlock);
  scf::YieldOp::create(b, otherwise());
  b.restoreInsertionPoint(at);
  auto op = scf::IfOp::create(b, ValueRange(thenValues).getTypes(), condition,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  op.thenBlock()->getOperations().splice(op.thenBlock()->end(),
                                         thenBlock.getOperations());
  op.elseBlock()->getOperations().splice(op.elseBlock()->end(),
                                         elseBlock.getOperations());
  return Values(op.getResults());
}

void Gen::ifElseDo(Value condition, function_ref<void()> then,
                   function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
  b.setInsertionPointToStart(op.elseBlock());
  otherwise();
}

void Gen::parallel(Value count, function_ref<void(Value)> body) {
  scf::ParallelOp::create(b, ValueRange{idx(0)}, ValueRange{count},
                          ValueRange{idx(1)},
                          [&](OpBuilder &inner, Location, ValueRange ids) {
                            OpBuilder::InsertionGuard guard(b);
                            b.restoreInsertionPoint(inner.saveInsertionPoint());
                            body(ids[0]);
                          });
}

void Gen::fillZero(Value memref, int64_t lanes) {
  auto type = cast<MemRefType>(memref.getType());
  Values at;
  std::function<void()> nest = [&] {
    unsigned i = at.size();
    if (i + 1 < type.getRank()) {
      forLoop(dim(memref, i), [&](Value k) {
        at.push_back(k);
        nest();
        at.pop_back();
      });
      return;
    }
    Value length = dim(memref, i);
    Value whole = mul(div(length, idx(lanes)), lanes);
    Value z = zero(vectorOf(lanes, type.getElementType()));
    forLoop(idx(0), whole, idx(lanes), [&](Value j) {
      at.push_back(j);
      storeVector(z, memref, at);
      at.pop_back();
    });
    forLoop(whole, length, idx(1), [&](Value j) {
      at.push_back(j);
      store(zero(type.getElementType()), memref, at);
      at.pop_back();
    });
  };
  if (type.getRank() == 0)
    return store(zero(type.getElementType()), memref);
  nest();
}
