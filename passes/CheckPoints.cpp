// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOCHECKPOINTS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// A slice or reshape that keeps rows whole, and the encoding with them.
bool keepsRows(Operation *op) {
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  return source.getEncoding() == result.getEncoding() && source.getRank() > 0 &&
         result.getRank() > 0 &&
         source.getShape().back() == result.getShape().back();
}

bool mayHoldPoints(Operation *op) {
  if (isa<GeoDialect>(op->getDialect()))
    return !isa<MatmulOp, RowwiseOp, PairwiseOp, PairwiseGradOp, ScatterAddOp,
                ColumnsOp, ConcatColumnsOp>(op);
  if (isa<func::FuncDialect, scf::SCFDialect>(op->getDialect()))
    return true;
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp>(op))
    return keepsRows(op);
  return isa<tensor::DimOp>(op);
}

/// Types hide symbols from MLIR, so whether a page is there and has what its
/// points are used for is looked at here.
LogicalResult checkPages(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  for (Type type : types)
    if (ManifoldInterface manifold = getManifold(type))
      if (failed(verifyManifold(manifold, op)))
        return failure();
  auto use = dyn_cast<RowFormulaOpInterface>(op);
  if (!use || use.getManifold().hasFormula(use.getFormula(), op))
    return success();
  return op->emitOpError("expects a manifold with the formula ")
         << use.getFormula() << ", but got " << use.getManifold();
}

/// Emits a formula once, so that an error in it shows whether it is used or
/// not.
LogicalResult checkFormula(FormulaOp formula) {
  auto page = dyn_cast_or_null<ManifoldOp>(formula->getParentOp());
  Block scratch;
  ImplicitLocOpBuilder b(formula.getLoc(), formula.getContext());
  b.setInsertionPointToEnd(&scratch);
  SmallVector<Ex> args;
  auto row = VectorType::get({2}, b.getF32Type());
  for (BlockArgument argument : formula.getBlock().getArguments())
    args.emplace_back(b, scratch.addArgument(isa<VectorType>(argument.getType())
                                                 ? Type(row)
                                                 : argument.getType(),
                                             b.getLoc()));
  if (args.empty())
    return formula.emitOpError("expects at least one argument, but got none");
  unsigned count = formula.getNumArguments();
  Ex result = instantiate(formula, page, ArrayRef(args).take_front(count),
                          ArrayRef(args).drop_front(count));
  scratch.dropAllReferences();
  scratch.clear();
  return success(static_cast<bool>(result));
}

struct CheckPointsPass : geo::impl::GeoCheckPointsBase<CheckPointsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      if (auto formula = dyn_cast<FormulaOp>(op))
        if (failed(checkFormula(formula)))
          return WalkResult::interrupt();
      if (failed(checkPages(op)))
        return WalkResult::interrupt();
      auto isPoints = [](Type t) { return static_cast<bool>(getManifold(t)); };
      auto points = llvm::find_if(op->getOperandTypes(), isPoints);
      Type found = points != op->getOperandTypes().end() ? *points : Type();
      if (!found) {
        auto made = llvm::find_if(op->getResultTypes(), isPoints);
        found = made != op->getResultTypes().end() ? *made : Type();
      }
      if (!found || mayHoldPoints(op))
        return WalkResult::advance();
      op->emitOpError("expects plain tensors, but got points of type ")
          << found << "; take coordinates by geo.coords, or tangent vectors by "
          << "geo.logmap0, and make points by geo.point or geo.expmap0";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
