// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adjoints of the constructs other than scan.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/RowPrograms.h"
#include "passes/differentiate/Adjoint.h"

using namespace mlir;
using namespace geo;

/// A tensor of as many numbers or rows of type `type` as `rows` has.
static Type getBatchOf(Type type, Value rows) {
  SmallVector<int64_t> shape = {
      cast<RankedTensorType>(rows.getType()).getDimSize(0)};
  Type element = getElementTypeOrSelf(type);
  if (auto row = dyn_cast<RankedTensorType>(type))
    llvm::append_range(shape, row.getShape());
  return RankedTensorType::get(shape, element);
}

/// A function of a row that costs more than to load it, and whose derivative is
/// arithmetic on its value.
static bool isKeptFunction(Value v) {
  return isa<VectorType>(v.getType()) &&
         isa_and_present<math::ExpOp, math::TanhOp>(v.getDefiningOp());
}

void geo::exposeFunctions(func::FuncOp function) {
  SmallVector<RowwiseOp> programs;
  function.walk([&](RowwiseOp op) {
    if (isa<ScanOp>(op->getParentOp()))
      programs.push_back(op);
  });
  for (RowwiseOp op : programs) {
    SmallVector<Value> functions;
    for (Operation &inner : op.getBlock().without_terminator())
      if (inner.getNumResults() == 1 && isKeptFunction(inner.getResult(0)))
        functions.push_back(inner.getResult(0));
    for (Value v : functions)
      if (!llvm::is_contained(
              op.getYield().getOperands().take_front(op.getNumRowResults()), v))
        op = addRowResult(op, v);
  }
}

/// The adjoint of a row program is a row program: it recomputes the body, which
/// is cheaper than to store what arithmetic rows made, and walks it in reverse.
/// Functions among its results are read instead.
/// Sums become shared cotangents, cotangents of shared operands sums.
LogicalResult Adjoint::propagateRowwise(RowwiseOp op) {
  SmallVector<Value> rows, shared;
  for (Value v : op.getRows())
    rows.push_back(getPrimal(v));
  for (Value v : op.getShared())
    shared.push_back(getPrimal(v));
  // (yielded value, position of its cotangent among rows or shared)
  SmallVector<std::pair<Value, unsigned>> rowSeeds, sharedSeeds;
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value cotangent = get(result);
    if (!cotangent)
      continue;
    Value yielded = op.getYield().getOperand(i);
    if (i < op.getNumRowResults()) {
      rowSeeds.emplace_back(yielded, rows.size());
      rows.push_back(cotangent);
    } else {
      sharedSeeds.emplace_back(yielded, shared.size());
      shared.push_back(cotangent);
    }
  }

  SmallVector<std::pair<Value, unsigned>> known;
  for (OpResult result : op->getResults().take_front(op.getNumRowResults())) {
    Value yielded = op.getYield().getOperand(result.getResultNumber());
    if (!isKeptFunction(yielded))
      continue;
    known.emplace_back(yielded, rows.size());
    rows.push_back(getPrimal(result));
  }

  Activity activity;
  SmallVector<Value> wantedArgs;
  SmallVector<Value> wantedOperands;
  SmallVector<Type> results;
  int64_t numSums = 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (!isWanted(operand))
      continue;
    Value arg = op.getBlock().getArgument(i);
    activity.seed(arg);
    wantedArgs.push_back(arg);
    wantedOperands.push_back(operand);
    results.push_back(getPrimal(operand).getType());
    Type &type = results.back();
    if (i < op.getRows().size())
      continue;
    Type element = isa<FloatType>(type) ? b.getF64Type() : Type();
    if (wantsByRow(operand)) {
      type = getBatchOf(element ? element : type, rows.front());
    } else {
      ++numSums;
      type = element ? element : type;
    }
  }
  activity.propagate(op.getBlock());

  auto adjoint = RowwiseOp::create(b, results, rows, shared, numSums);
  Block &block = adjoint.getBlock();
  unsigned numRows = op.getRows().size();
  IRMapping map;
  for (auto [i, arg] : llvm::enumerate(op.getBlock().getArguments()))
    map.map(arg, i < numRows ? block.getArgument(i)
                             : block.getArgument(rows.size() + i - numRows));
  SmallVector<Value> yielded;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&block);
    for (auto [v, i] : known)
      map.map(v, block.getArgument(i));
    for (Operation &inner : op.getBlock().without_terminator())
      if (inner.getNumResults() != 1 || !map.contains(inner.getResult(0)))
        b.clone(inner, map);
    Adjoint inner(b, map, [&](Value v) { return activity.contains(v); });
    for (auto [v, i] : rowSeeds)
      inner.add(v, block.getArgument(i));
    for (auto [v, i] : sharedSeeds)
      inner.add(v, block.getArgument(rows.size() + i));
    if (failed(inner.propagate(op.getBlock())))
      return failure();
    b.setLoc(op.getLoc());
    for (auto [i, arg] : llvm::enumerate(wantedArgs)) {
      Value cotangent = inner.get(arg);
      Type want = i + numSums < results.size()
                      ? RowwiseOp::getRowType(results[i])
                      : RowwiseOp::getSharedType(results[i]);
      if (!cotangent)
        cotangent =
            arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(want)));
      if (cotangent.getType() != want) // a number that is shared as f32
        cotangent = arith::ExtFOp::create(b, want, cotangent);
      yielded.push_back(cotangent);
    }
    YieldOp::create(b, yielded);
  }
  for (auto [i, operand] : llvm::enumerate(wantedOperands)) {
    // What is equal inside is one result.
    unsigned same = i;
    for (unsigned j = 0; j < i && same == i; ++j)
      if (yielded[j] == yielded[i] && results[j] == results[i])
        same = j;
    Value cotangent = adjoint.getResult(same);
    Type type = getPrimal(operand).getType();
    if (cotangent.getType() != type && isa<FloatType>(cotangent.getType()))
      cotangent = arith::TruncFOp::create(b, type, cotangent);
    add(operand, cotangent);
  }
  return success();
}

/// The region of the adjoint holds the logit and its partial derivatives by
/// every argument, made by the rules for numbers.
LogicalResult Adjoint::propagatePairwise(PairwiseOp op) {
  if (op.getNumResults() > 1 && get(op.getResult(1)))
    return op.emitOpError(
        "expects its result lse to be unused, but got a use that "
        "needs its gradient");
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value v) { return getPrimal(v); });
  Value lse;
  if (op.getReducer() != Reducer::none)
    lse = getPrimal(op.getResult(1));
  auto adjoint =
      PairwiseGradOp::create(b, op, operands, lse, get(op.getResult(0)));
  Block &source = op.getBlock(), &block = adjoint.getBlock();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&block);
    IRMapping map;
    map.map(source.getArguments(), block.getArguments());
    for (Operation &inner : source.without_terminator())
      b.clone(inner, map);
    Activity activity;
    for (Value arg : source.getArguments())
      activity.seed(arg);
    activity.propagate(source);
    Adjoint inner(b, map, [&](Value v) { return activity.contains(v); });
    Value logit = op.getYield().getOperand(0);
    inner.add(logit, arith::ConstantOp::create(
                         b, b.getFloatAttr(op.getMathType(), 1.0)));
    if (failed(inner.propagate(source)))
      return failure();
    b.setLoc(op.getLoc());
    SmallVector<Value> yielded = {map.lookupOrDefault(logit)};
    for (Value arg : source.getArguments()) {
      Value partial = inner.get(arg);
      if (!partial)
        partial =
            arith::ConstantOp::create(b, b.getFloatAttr(op.getMathType(), 0.0));
      yielded.push_back(partial);
    }
    YieldOp::create(b, yielded);
  }
  for (auto [i, result] : llvm::enumerate(adjoint.getResults()))
    add(op->getOperand(i), result);
  return success();
}

LogicalResult Adjoint::propagateMatmul(MatmulOp op) {
  Value g = get(op.getResult());
  Value x = getPrimal(op.getA()), y = getPrimal(op.getB());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  auto product = [&](Type type, Value l, Value r, bool tl, bool tr) {
    return MatmulOp::create(b, type, l, r, tl, tr);
  };
  if (isWanted(op.getA()))
    add(op.getA(), ta ? product(x.getType(), y, g, tb, true)
                      : product(x.getType(), g, y, false, !tb));
  if (isWanted(op.getB()))
    add(op.getB(), tb ? product(y.getType(), g, x, true, ta)
                      : product(y.getType(), x, g, !ta, false));
  return success();
}

LogicalResult Adjoint::propagateGather(GatherOp op) {
  Value table = getPrimal(op.getTable());
  auto type = cast<RankedTensorType>(table.getType());
  Value size;
  if (type.isDynamicDim(0))
    size = tensor::DimOp::create(b, table, 0);
  add(op.getTable(), ScatterAddOp::create(b, type, get(op.getResult()),
                                          getPrimal(op.getIds()), size));
  return success();
}

LogicalResult Adjoint::propagateScatterAdd(ScatterAddOp op) {
  add(op.getRows(),
      GatherOp::create(b, getPrimal(op.getRows()).getType(),
                       get(op.getResult()), getPrimal(op.getIds())));
  return success();
}

LogicalResult Adjoint::propagateColumns(ColumnsOp op) {
  add(op.getX(), ConcatColumnsOp::create(b, getPrimal(op.getX()).getType(),
                                         get(op.getResult()),
                                         static_cast<int64_t>(op.getOffset())));
  return success();
}

LogicalResult Adjoint::propagateConcatColumns(ConcatColumnsOp op) {
  Value g = get(op.getResult());
  for (auto [piece, offset] : llvm::zip_equal(op.getPieces(), op.getOffsets()))
    if (isWanted(piece))
      add(piece, ColumnsOp::create(b, getPrimal(piece).getType(), g, offset));
  return success();
}

LogicalResult Adjoint::propagateReshape(Operation *op) {
  Value g = get(op->getResult(0)), source = getPrimal(op->getOperand(0));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    add(op->getOperand(0),
        tensor::CollapseShapeOp::create(b, source.getType(), g,
                                        expand.getReassociationIndices()));
    return success();
  }
  auto collapse = cast<tensor::CollapseShapeOp>(op);
  add(op->getOperand(0),
      tensor::ExpandShapeOp::create(
          b, source.getType(), g, collapse.getReassociationIndices(),
          tensor::getMixedSizes(b, b.getLoc(), source)));
  return success();
}
