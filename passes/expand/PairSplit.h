// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A formula on two rows, run for all pairs: what belongs to rows, what to
// columns, and what to the pair.
#ifndef GEOC_PASSES_EXPAND_PAIRSPLIT_H
#define GEOC_PASSES_EXPAND_PAIRSPLIT_H

#include "dialect/Geo.h"

namespace geo {

/// The batch that an argument of the formula runs over.
enum class PairSide { row, column, shared };

/// The ops of a formula in a scratch block, with one argument per operand of
/// the pair op: rows (`vector<dxT>`) and numbers (f64).
struct PairFormula {
  mlir::Block block;
  llvm::SmallVector<mlir::Value> operands; ///< tensors [N, d], [N], or f64
  llvm::SmallVector<PairSide> sides;
  mlir::Value result; ///< a number: the logit

  /// Adds an argument for `operand`.
  Ex addArgument(mlir::ImplicitLocOpBuilder &scratch, mlir::Value operand,
                 PairSide side);
};

/// The pair program of `formula`, at `b`. Values made of rows only become row
/// scalars or rows of a row program of their own, those of columns likewise.
/// Null after an error: a row that mixes both sides other than as a sum within
/// dot and sqnorm.
PairwiseOp splitPairs(mlir::ImplicitLocOpBuilder &b, PairFormula &formula,
                      Reducer reducer, mlir::FloatType math,
                      mlir::Value targets);

} // namespace geo

#endif // GEOC_PASSES_EXPAND_PAIRSPLIT_H
