// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas that named ops use: their arguments and results.
#ifndef GEOC_DIALECT_SIGNATURES_H
#define GEOC_DIALECT_SIGNATURES_H

#include "dialect/Geo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace geo {

/// What an argument or result of a formula stands for.
enum class Role {
  point,  ///< a row: a point of the manifold
  vector, ///< a row: a tangent vector, or coordinates
  number  ///< f64
};

/// How a formula of a product of manifolds follows from its factors'.
enum class Combine {
  rows,     ///< a row: the factors' rows side by side
  sum,      ///< a number: the sum of the factors'
  rootSum,  ///< the root of the sum of squares
  undefined ///< no formula on products
};

struct Signature {
  llvm::StringLiteral name;
  struct Argument {
    llvm::StringLiteral name;
    Role role;
  };
  llvm::SmallVector<Argument, 3> arguments;
  Role result;
  Combine combine;
};

/// All standard formulas, in the order of their reference.
llvm::ArrayRef<Signature> getSignatures();

/// The formula for squared distances of all pairs in arithmetic of type `math`:
/// pair_sqdist, or for f32 the page's own form if it stands beside that. (A
/// page that gives another pair_sqdist does not inherit what belongs to the old
/// one.)
llvm::StringRef getPairDistance(ManifoldInterface manifold,
                                mlir::FloatType math, mlir::Operation *scope);

/// The signature of the standard formula `name`, or null. Conversions
/// `to_<page>` share one.
const Signature *getSignature(llvm::StringRef name);

/// The page is like none, or pages that are there and end with one that is.
mlir::LogicalResult verifyLike(ManifoldOp page);

} // namespace geo

#endif // GEOC_DIALECT_SIGNATURES_H
