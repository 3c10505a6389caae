// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/graph/GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace geo;

GraphBuilder::GraphBuilder(ModuleOp module, FloatType storage)
    : b(module.getLoc(), module.getContext()),
      storage(storage ? storage : b.getF32Type()) {
  b.setInsertionPointToEnd(module.getBody());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> withDynamic(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(
      shape, [](int64_t n) { return n < 0 ? ShapedType::kDynamic : n; });
}

RankedTensorType GraphBuilder::floats(ArrayRef<int64_t> shape,
                                      ManifoldInterface manifold) {
  return RankedTensorType::get(withDynamic(shape), storage, manifold);
}

RankedTensorType GraphBuilder::masks(ArrayRef<int64_t> shape) {
  return RankedTensorType::get(withDynamic(shape), b.getF32Type());
}

RankedTensorType GraphBuilder::ids(ArrayRef<int64_t> shape) {
  return RankedTensorType::get(withDynamic(shape), b.getI32Type());
}

static RankedTensorType tensorType(Value v) {
  return cast<RankedTensorType>(v.getType());
}

/// The type of rows of `region` type (a row or a number), `count` of them.
static Type stackRows(int64_t count, Type region) {
  SmallVector<int64_t> shape{count};
  if (auto row = dyn_cast<VectorType>(region))
    shape.push_back(row.getDimSize(0));
  return RankedTensorType::get(shape, getElementTypeOrSelf(region));
}

/// The type of a sum over rows of `region` type.
static Type sumType(Type region) {
  auto row = dyn_cast<VectorType>(region);
  return row ? Type(RankedTensorType::get(row.getShape(), row.getElementType()))
             : region;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

func::FuncOp GraphBuilder::function(StringRef name,
                                    ArrayRef<Argument> arguments, Body body,
                                    bool isPrivate) {
  SmallVector<Type> types =
      llvm::map_to_vector(arguments, [](const Argument &a) { return a.type; });
  auto function =
      func::FuncOp::create(b, name, b.getFunctionType(types, TypeRange()));
  if (isPrivate)
    function.setPrivate();
  Block *block = function.addEntryBlock();
  for (auto [value, argument] : llvm::zip(block->getArguments(), arguments))
    value.setLoc(NameLoc::get(b.getStringAttr(argument.name)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(block);
  Values results = body(ValueRange(block->getArguments()));
  func::ReturnOp::create(b, results);
  function.setFunctionType(
      b.getFunctionType(types, ValueRange(results).getTypes()));
  return function;
}

Values GraphBuilder::gradient(func::FuncOp callee, ValueRange arguments,
                              ArrayRef<int64_t> wrt) {
  SmallVector<Type> results(callee.getFunctionType().getResults());
  for (int64_t i : wrt)
    results.push_back(getPlainType(arguments[i].getType()));
  auto op = GradientOp::create(b, results, callee.getSymName(), arguments, wrt);
  return Values(op->getResults());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Ex GraphBuilder::number(double value) {
  return {b, arith::ConstantOp::create(b, b.getF64FloatAttr(value))};
}

Ex GraphBuilder::maximum(Ex x, Ex y) {
  return {b, arith::MaximumFOp::create(b, x.get(), y.get())};
}

//===----------------------------------------------------------------------===//
// Constructs
//===----------------------------------------------------------------------===//

/// The result types of a construct follow from what its region yields, so the
/// region is built on the side first: runs `build` at the end of `block`, whose
/// yielded values it returns.
static Values fill(ImplicitLocOpBuilder &b, Block &block,
                   function_ref<Values()> build) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&block);
  Values yielded = build();
  YieldOp::create(b, yielded);
  return yielded;
}

/// Moves what `fill` built into the block of an op with the same arguments.
static void moveInto(Block &from, Block &into) {
  for (auto [old, arg] : llvm::zip(from.getArguments(), into.getArguments()))
    old.replaceAllUsesWith(arg);
  into.getOperations().splice(into.end(), from.getOperations());
}

Values GraphBuilder::rowwise(ValueRange rowOperands, ValueRange shared,
                             RowBody body, int64_t numSums) {
  Values rows =
      llvm::map_to_vector(rowOperands, [&](Value v) { return plain(v); });
  Block block;
  for (Value v : rows)
    block.addArgument(RowwiseOp::getRowType(v.getType()), b.getLoc());
  for (Value v : shared)
    block.addArgument(RowwiseOp::getSharedType(v.getType()), b.getLoc());
  Values yielded = fill(b, block, [&] {
    Exs arguments;
    for (Value v : block.getArguments())
      arguments.emplace_back(b, v);
    ArrayRef<Ex> all = arguments;
    Exs made = body(all.take_front(rows.size()), all.drop_front(rows.size()));
    return llvm::map_to_vector(made, [](Ex e) { return e.get(); });
  });
  SmallVector<Type> types;
  int64_t count = tensorType(rows.front()).getDimSize(0);
  for (auto [i, v] : llvm::enumerate(yielded))
    types.push_back(i < yielded.size() - numSums ? stackRows(count, v.getType())
                                                 : sumType(v.getType()));
  auto op = RowwiseOp::create(b, types, rows, shared, numSums);
  moveInto(block, op.getBlock());
  return Values(op.getResults());
}

Value GraphBuilder::matmul(Value a, Value c, bool transposeB) {
  auto type =
      RankedTensorType::get({tensorType(a).getDimSize(0),
                             tensorType(c).getDimSize(transposeB ? 0 : 1)},
                            tensorType(a).getElementType());
  return MatmulOp::create(b, type, a, c, /*transpose_a=*/false, transposeB);
}

Value GraphBuilder::gather(Value table, Value ids) {
  auto type = RankedTensorType::get(
      {tensorType(ids).getDimSize(0), tensorType(table).getDimSize(1)},
      tensorType(table).getElementType(), tensorType(table).getEncoding());
  return GatherOp::create(b, type, table, ids);
}

Values GraphBuilder::scan(ValueRange init, ValueRange inputs, ValueRange shared,
                          int64_t truncate, ScanBody body) {
  Block block;
  for (Value v : init)
    block.addArgument(v.getType(), b.getLoc());
  for (Value v : inputs)
    block.addArgument(ScanOp::getSliceType(v.getType()), b.getLoc());
  for (Value v : shared)
    block.addArgument(v.getType(), b.getLoc());
  Values yielded = fill(b, block, [&] {
    ValueRange arguments = block.getArguments();
    ScanYield made = body(arguments.take_front(init.size()),
                          arguments.slice(init.size(), inputs.size()),
                          arguments.drop_front(init.size() + inputs.size()));
    Values all = made.states;
    all.append(made.outputs);
    return all;
  });
  SmallVector<Type> types(init.getTypes());
  int64_t steps = tensorType(inputs.front()).getDimSize(0);
  for (Value v : ArrayRef<Value>(yielded).drop_front(init.size())) {
    SmallVector<int64_t> shape{steps};
    llvm::append_range(shape, tensorType(v).getShape());
    types.push_back(RankedTensorType::get(shape, tensorType(v).getElementType(),
                                          tensorType(v).getEncoding()));
  }
  auto op = ScanOp::create(b, types, init, inputs, shared, truncate);
  moveInto(block, op.getBlock());
  return Values(op.getResults());
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// {{0, 1}, {2}, ...}: the first two of `rank` dimensions are one.
static SmallVector<ReassociationIndices> mergeFirstTwo(int64_t rank) {
  SmallVector<ReassociationIndices> groups{{0, 1}};
  for (int64_t i = 2; i < rank; ++i)
    groups.push_back({i});
  return groups;
}

Value GraphBuilder::mergeLeading(Value x) {
  return tensor::CollapseShapeOp::create(
      b, x, mergeFirstTwo(tensorType(x).getRank()));
}

Value GraphBuilder::splitLeading(Value x, Value like) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> shape(tensorType(like).getShape().take_front(2));
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0; i < 2; ++i)
    sizes.push_back(tensor::getMixedSize(b, b.getLoc(), like, i));
  for (int64_t i = 1; i < type.getRank(); ++i) {
    shape.push_back(type.getDimSize(i));
    sizes.push_back(tensor::getMixedSize(b, b.getLoc(), x, i));
  }
  auto result =
      RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
  return tensor::ExpandShapeOp::create(b, result, x,
                                       mergeFirstTwo(shape.size()), sizes);
}

Value GraphBuilder::asRow(Value vector) {
  RankedTensorType type = tensorType(vector);
  auto row =
      RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType());
  return tensor::ExpandShapeOp::create(b, row, vector, mergeFirstTwo(2));
}

Value GraphBuilder::plain(Value x) {
  if (!getManifold(x.getType()))
    return x;
  return CoordsOp::create(b, getPlainType(x.getType()), x);
}

//===----------------------------------------------------------------------===//
// Space
//===----------------------------------------------------------------------===//

/// Flat space needs no maps between points and tangent vectors.
static bool isFlat(ManifoldInterface manifold) {
  return manifold == ManifoldAttr::get(manifold.getContext(), "euclidean");
}

Type Space::pointType(Value like) const {
  RankedTensorType type = tensorType(like);
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               manifold);
}

Value Space::point(Value coordinates) const {
  return PointOp::create(g.getBuilder(), pointType(coordinates), coordinates);
}

bool Space::hasProjection() const {
  if (isFlat(manifold))
    return false;
  return manifold.hasFormula("project",
                             g.getBuilder().getBlock()->getParentOp());
}

Value Space::expmap0(Value v) const {
  if (isFlat(manifold))
    return point(v);
  return ExpMap0Op::create(g.getBuilder(), pointType(v), v, curvature);
}

Value Space::logmap0(Value x) const {
  if (isFlat(manifold))
    return g.plain(x);
  return LogMap0Op::create(g.getBuilder(), getPlainType(x.getType()), x,
                           curvature);
}

Value Space::expmap(Value x, Value v) const {
  return ExpMapOp::create(g.getBuilder(), x.getType(), x, v, curvature);
}

Value Space::add(Value x, Value y) const {
  return MobiusAddOp::create(g.getBuilder(), x.getType(), x, y, curvature);
}

Value Space::project(Value coordinates, double fraction) const {
  if (isFlat(manifold))
    return point(coordinates);
  return ProjectOp::create(g.getBuilder(), pointType(coordinates), coordinates,
                           curvature, llvm::APFloat(fraction));
}

Value Space::logmap(Value x, Value y) const {
  return LogMapOp::create(g.getBuilder(), getPlainType(x.getType()), x, y,
                          curvature);
}

Value Space::egrad2rgrad(Value x, Value gradient) const {
  return EGrad2RGradOp::create(g.getBuilder(), getPlainType(x.getType()), x,
                               gradient, curvature);
}

Value Space::retract(Value x, Value v) const {
  return RetractOp::create(g.getBuilder(), x.getType(), x, v, curvature);
}

Value Space::transport(Value x, Value y, Value v) const {
  return TransportOp::create(g.getBuilder(), v.getType(), x, y, v, curvature);
}

Value Space::inner(Value x, Value u, Value v) const {
  auto type = RankedTensorType::get({tensorType(x).getDimSize(0)},
                                    g.getBuilder().getF64Type());
  return InnerOp::create(g.getBuilder(), type, x, u, v, curvature);
}

/// The pair arithmetic of the decoders: the logits are rounded to the storage
/// type anyway.
static TypeAttr decoderMath(Value points) {
  return TypeAttr::get(tensorType(points).getElementType());
}

Value Space::distanceNll(Value h, Value e, Value targets, Value tau) const {
  auto type = RankedTensorType::get({tensorType(h).getDimSize(0)},
                                    g.getBuilder().getF64Type());
  return DistanceNllOp::create(g.getBuilder(), type, h, e, targets, tau,
                               curvature, decoderMath(h));
}

Value Space::distanceLogSoftmax(Value h, Value e, Value tau) const {
  auto type = RankedTensorType::get(
      {tensorType(h).getDimSize(0), tensorType(e).getDimSize(0)},
      tensorType(h).getElementType());
  return DistanceLogSoftmaxOp::create(g.getBuilder(), type, h, e, tau,
                                      curvature, decoderMath(h));
}
