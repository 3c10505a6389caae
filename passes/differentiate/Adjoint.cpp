// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/differentiate/Adjoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace geo {

//===----------------------------------------------------------------------===//
// Activity
//===----------------------------------------------------------------------===//

static bool isDifferentiable(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

void Activity::propagate(Block &block) {
  for (Operation &op : block) {
    if (isa<DetachOp, tensor::DimOp>(op))
      continue;
    if (!llvm::any_of(op.getOperands(), [&](Value v) { return contains(v); }))
      continue;
    for (Value v : op.getResults())
      if (isDifferentiable(v.getType()))
        active.insert(v);
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value flattenSteps(ImplicitLocOpBuilder &b, Value stacked) {
  auto type = cast<RankedTensorType>(stacked.getType());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t i = 2; i < type.getRank(); ++i)
    groups.push_back({i});
  return tensor::CollapseShapeOp::create(b, stacked, groups);
}

Value unflattenSteps(ImplicitLocOpBuilder &b, Value flat, Value like) {
  auto type = cast<RankedTensorType>(flat.getType());
  auto likeType = cast<RankedTensorType>(like.getType());
  SmallVector<int64_t> shape = {likeType.getDimSize(0), likeType.getDimSize(1)};
  llvm::append_range(shape, type.getShape().drop_front());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    groups.push_back({i + 1});
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), like);
  sizes.truncate(2);
  llvm::append_range(
      sizes, ArrayRef(tensor::getMixedSizes(b, b.getLoc(), flat)).drop_front());
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), flat, groups,
      sizes);
}

/// A row program over tensors of one type, rank 1 to 3.
static Value makeElementwise(ImplicitLocOpBuilder &b, ValueRange tensors,
                             function_ref<Value(ValueRange)> body) {
  auto type = cast<RankedTensorType>(tensors.front().getType());
  // Rows have a static length, so the numbers of [T, B] are one tensor.
  if (type.getRank() == 3 || (type.getRank() == 2 && type.isDynamicDim(1))) {
    SmallVector<Value> flat = llvm::map_to_vector(
        tensors, [&](Value v) { return flattenSteps(b, v); });
    return unflattenSteps(b, makeElementwise(b, flat, body), tensors.front());
  }
  auto rowwise = RowwiseOp::create(b, TypeRange(type), tensors, ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&rowwise.getBlock());
  YieldOp::create(b, body(rowwise.getBlock().getArguments()));
  return rowwise.getResult(0);
}

Value addValues(ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!isa<RankedTensorType>(x.getType()))
    return arith::AddFOp::create(b, x, y);
  return makeElementwise(b, {x, y}, [&](ValueRange v) -> Value {
    return arith::AddFOp::create(b, v[0], v[1]);
  });
}

Value makeZeros(ImplicitLocOpBuilder &b, Value like) {
  auto zero = [&](Type type) -> Value {
    return arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type)));
  };
  auto type = dyn_cast<RankedTensorType>(like.getType());
  if (!type)
    return zero(like.getType());
  if (type.hasStaticShape())
    return zero(type);
  return makeElementwise(b, like,
                         [&](ValueRange v) { return zero(v[0].getType()); });
}

//===----------------------------------------------------------------------===//
// Adjoint
//===----------------------------------------------------------------------===//

/// The sum of two tensors whose pieces do not meet, or null.
static Value mergeColumns(ImplicitLocOpBuilder &b, ConcatColumnsOp x,
                          ConcatColumnsOp y) {
  SmallVector<std::pair<int64_t, Value>> pieces;
  for (ConcatColumnsOp op : {x, y})
    for (auto [piece, offset] :
         llvm::zip_equal(op.getPieces(), op.getOffsets()))
      pieces.emplace_back(offset, piece);
  llvm::sort(pieces, llvm::less_first());
  for (size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i - 1].first + ConcatColumnsOp::getWidth(pieces[i - 1].second) >
        pieces[i].first)
      return nullptr;
  return ConcatColumnsOp::create(
      b, x.getType(), llvm::to_vector(llvm::make_second_range(pieces)),
      llvm::to_vector(llvm::make_first_range(pieces)));
}

void Adjoint::add(Value original, Value cotangent) {
  if (!cotangent || !wants(original))
    return;
  // Multiples of one row are added as numbers, in f64: near the rim of a curved
  // space their factors nearly cancel, and a sum of rounded rows would not.
  auto &list = terms[original];
  if (auto scale = cotangent.getDefiningOp<ScaleOp>())
    for (Value &term : list) {
      auto other = term.getDefiningOp<ScaleOp>();
      if (!other || other.getX() != scale.getX())
        continue;
      Value sum = arith::AddFOp::create(b, other.getS(), scale.getS());
      term = ScaleOp::create(b, scale.getType(), sum, scale.getX());
      return;
    }
  // Blocks of columns that do not meet are one tensor, not a sum.
  if (auto block = cotangent.getDefiningOp<ConcatColumnsOp>())
    for (Value &term : list)
      if (auto other = term.getDefiningOp<ConcatColumnsOp>())
        if (Value both = mergeColumns(b, other, block)) {
          term = both;
          return;
        }
  list.push_back(cotangent);
}

Value Adjoint::get(Value original) {
  auto it = terms.find(original);
  if (it == terms.end() || it->second.empty())
    return nullptr;
  auto &list = it->second;
  while (list.size() > 1) {
    Value last = list.pop_back_val();
    list.back() = addValues(b, list.back(), last);
  }
  return list.front();
}

LogicalResult Adjoint::propagate(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (llvm::none_of(op->getOperands(), [&](Value v) { return wants(v); }))
    return success();
  if (llvm::none_of(op->getResults(),
                    [&](Value v) { return get(v) != nullptr; }))
    return success();
  b.setLoc(op->getLoc());
  if (auto o = dyn_cast<RowwiseOp>(op))
    return propagateRowwise(o);
  if (auto o = dyn_cast<PairwiseOp>(op))
    return propagatePairwise(o);
  if (auto o = dyn_cast<MatmulOp>(op))
    return propagateMatmul(o);
  if (auto o = dyn_cast<GatherOp>(op))
    return propagateGather(o);
  if (auto o = dyn_cast<ScatterAddOp>(op))
    return propagateScatterAdd(o);
  if (auto o = dyn_cast<ColumnsOp>(op))
    return propagateColumns(o);
  if (auto o = dyn_cast<ConcatColumnsOp>(op))
    return propagateConcatColumns(o);
  if (auto o = dyn_cast<ScanOp>(op))
    return propagateScan(o);
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return propagateReshape(op);
  if (isa<DetachOp>(op))
    return success();
  if (op->getNumResults() == 1 && propagateProgramOp(op, get(op->getResult(0))))
    return success();
  return op->emitOpError("expects an operation with a derivative rule (a "
                         "construct, or a rule for numbers and rows): expand "
                         "named ops by geo-expand and inline calls first");
}

LogicalResult Adjoint::propagate(Block &block) {
  for (Operation &op : llvm::reverse(block))
    if (failed(propagate(&op)))
      return failure();
  return success();
}

} // namespace geo
