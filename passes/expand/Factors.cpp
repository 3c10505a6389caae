// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points as plain tensors, and the factors of their manifold.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/expand/Expand.h"

using namespace mlir;
using namespace geo;

SmallVector<Value> geo::getCurvatureValues(ImplicitLocOpBuilder &b,
                                           ManifoldInterface manifold,
                                           ValueRange operands) {
  SmallVector<Value> values;
  for (Attribute c : manifold.getCurvatures()) {
    if (auto number = dyn_cast<FloatAttr>(c)) {
      values.push_back(arith::ConstantOp::create(b, number));
      continue;
    }
    values.push_back(operands.front());
    operands = operands.drop_front();
  }
  return values;
}

Value geo::toPlain(ImplicitLocOpBuilder &b, Value v) {
  if (!getManifold(v.getType()))
    return v;
  return CoordsOp::create(b, getPlainType(v.getType()), v);
}

SmallVector<Value> geo::toPlain(ImplicitLocOpBuilder &b, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return toPlain(b, v); });
}

void geo::replaceByPlain(ImplicitLocOpBuilder &b, Operation *op, Value plain) {
  Value result = plain;
  if (getManifold(op->getResult(0).getType()))
    result = PointOp::create(b, op->getResult(0).getType(), plain);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

Value geo::takeColumns(ImplicitLocOpBuilder &b, Value x, int64_t offset,
                       int64_t width) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getDimSize(1) == width)
    return x;
  auto part =
      RankedTensorType::get({type.getDimSize(0), width}, type.getElementType());
  return ColumnsOp::create(b, part, x, offset);
}

LogicalResult geo::forEachFactor(
    ManifoldInterface manifold, int64_t width, ArrayRef<Value> curvatures,
    function_ref<LogicalResult(const Factor &, int64_t, ArrayRef<Value>)>
        visit) {
  SmallVector<Factor> factors = manifold.getFactors();
  if (factors.empty())
    return visit({manifold, width}, 0, curvatures);
  int64_t start = 0;
  for (const Factor &factor : factors) {
    size_t count = factor.getManifold().getCurvatures().size();
    LogicalResult visited = forEachFactor(
        factor.getManifold(), factor.width, curvatures.take_front(count),
        [&](const Factor &inner, int64_t offset, ArrayRef<Value> own) {
          return visit(inner, start + offset, own);
        });
    if (failed(visited))
      return failure();
    curvatures = curvatures.drop_front(count);
    start += factor.width;
  }
  return success();
}
