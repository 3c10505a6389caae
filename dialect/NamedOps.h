// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks that named ops share; not a public header.
#ifndef GEOC_DIALECT_NAMEDOPS_H
#define GEOC_DIALECT_NAMEDOPS_H

#include "dialect/Geo.h"

namespace geo::named {

int64_t getNumRows(mlir::Type type);
inline int64_t getNumRows(mlir::Value v) { return getNumRows(v.getType()); }

/// One operand per label of the manifold's curvatures.
mlir::LogicalResult verifyCurvatureOperands(mlir::Operation *op,
                                            ManifoldInterface manifold,
                                            mlir::ValueRange curvature);

/// `type` is a batch of points [N, d] with static d.
mlir::LogicalResult verifyPoints(mlir::Operation *op, llvm::StringRef what,
                                 mlir::Type type);

/// The result `type` is plain, of `shape` and elements of type `element`.
mlir::LogicalResult verifyShape(mlir::Operation *op, mlir::Type type,
                                llvm::ArrayRef<int64_t> shape,
                                mlir::Type element);

/// The manifold has the formula. A page of the module is looked at by
/// geo-check-points, which sees it.
mlir::LogicalResult verifyHasFormula(mlir::Operation *op,
                                     ManifoldInterface manifold,
                                     llvm::StringRef formula);

/// The types of the op are those of its formula's signature; without
/// `oneNumberOfRows` only points, curvatures and the formula are looked at.
mlir::LogicalResult verifyRowFormula(RowFormulaOpInterface op,
                                     bool oneNumberOfRows = true);

} // namespace geo::named

#endif // GEOC_DIALECT_NAMEDOPS_H
