// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/RowPrograms.h"

using namespace mlir;
using namespace geo;

SmallVector<Value> geo::matchBodies(RowwiseOp x, RowwiseOp y) {
  Block &a = x.getBlock(), &b = y.getBlock();
  if (a.getNumArguments() != b.getNumArguments() ||
      a.getOperations().size() != b.getOperations().size())
    return {};
  DenseMap<Value, Value> same;
  for (auto [p, q] : llvm::zip(a.getArguments(), b.getArguments()))
    if (p.getType() == q.getType())
      same[q] = p;
  for (auto [p, q] : llvm::zip(a.without_terminator(), b.without_terminator()))
    if (!OperationEquivalence::isEquivalentTo(
            &p, &q,
            [&](Value v, Value w) { return success(same.lookup(w) == v); },
            [&](Value v, Value w) { same[w] = v; },
            OperationEquivalence::IgnoreLocations))
      return {};
  auto values = llvm::map_to_vector(y.getYield().getValues(),
                                    [&](Value v) { return same.lookup(v); });
  if (llvm::is_contained(values, Value()))
    return {};
  return values;
}

RowwiseOp geo::addRowResult(RowwiseOp op, Value v) {
  unsigned numRows = op.getNumRowResults();
  SmallVector<int64_t> shape = {
      cast<RankedTensorType>(op.getRows().front().getType()).getDimSize(0)};
  if (auto row = dyn_cast<VectorType>(v.getType()))
    llvm::append_range(shape, row.getShape());
  SmallVector<Type> types(op.getResultTypes());
  types.insert(types.begin() + numRows,
               RankedTensorType::get(shape, getElementTypeOrSelf(v.getType())));
  OpBuilder b(op);
  auto added = RowwiseOp::create(b, op.getLoc(), types, op.getRows(),
                                 op.getShared(), op.getNumSums());
  added.getBody().takeBody(op.getBody());
  added.getYield()->insertOperands(numRows, v);
  for (OpResult result : op->getResults()) {
    unsigned i = result.getResultNumber();
    result.replaceAllUsesWith(added.getResult(i < numRows ? i : i + 1));
  }
  op.erase();
  return added;
}
