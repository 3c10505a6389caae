// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several passes do to row programs.
#ifndef GEOC_PASSES_ROWPROGRAMS_H
#define GEOC_PASSES_ROWPROGRAMS_H

#include "dialect/Geo.h"

namespace geo {

/// The values of the body of `x` that `y` yields, in its order, where both
/// bodies are equal but for what they yield; else nothing.
llvm::SmallVector<mlir::Value> matchBodies(RowwiseOp x, RowwiseOp y);

/// A program in place of `op`, which is erased, that also has `v` of its body
/// as its last result of rows.
RowwiseOp addRowResult(RowwiseOp op, mlir::Value v);

} // namespace geo

#endif // GEOC_PASSES_ROWPROGRAMS_H
