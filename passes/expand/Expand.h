// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expansion of named ops; what its files share.
#ifndef GEOC_PASSES_EXPAND_EXPAND_H
#define GEOC_PASSES_EXPAND_EXPAND_H

#include "dialect/Geo.h"

namespace geo {

/// True for a named op on all pairs of rows.
bool isOnPairs(mlir::Operation *op);

/// Expand `op` if it is a named op on pairs of rows (PairOps.cpp), or on rows
/// (RowOps.cpp).
mlir::LogicalResult expandPairOp(mlir::Operation *op);
mlir::LogicalResult expandRowOp(mlir::Operation *op);

/// The values of all curvatures, as f64: constants here, labels from operands.
llvm::SmallVector<mlir::Value> getCurvatureValues(mlir::ImplicitLocOpBuilder &b,
                                                  ManifoldInterface manifold,
                                                  mlir::ValueRange operands);

/// `v` as a plain tensor. The door folds away when all types are stripped.
mlir::Value toPlain(mlir::ImplicitLocOpBuilder &b, mlir::Value v);
llvm::SmallVector<mlir::Value> toPlain(mlir::ImplicitLocOpBuilder &b,
                                       mlir::ValueRange values);

/// Replaces the one result of `op` by `plain`, as points if it was.
void replaceByPlain(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                    mlir::Value plain);

/// The columns of [N, d] that a factor has.
mlir::Value takeColumns(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                        int64_t offset, int64_t width);

/// Calls `visit` for every factor that is no product itself, with its first
/// column and its curvatures out of `curvatures`.
mlir::LogicalResult forEachFactor(
    ManifoldInterface manifold, int64_t width,
    llvm::ArrayRef<mlir::Value> curvatures,
    llvm::function_ref<mlir::LogicalResult(const Factor &factor, int64_t offset,
                                           llvm::ArrayRef<mlir::Value>)>
        visit);

} // namespace geo

#endif // GEOC_PASSES_EXPAND_EXPAND_H
