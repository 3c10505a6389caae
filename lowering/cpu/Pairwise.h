// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_PAIRWISE_H
#define GEOC_LOWERING_CPU_PAIRWISE_H

#include "lowering/cpu/PairProgram.h"

namespace geo::cpu {

/// geo.pairwise and its adjoint: by matrix products over strips where `math` is
/// the type of the rows.
mlir::LogicalResult emitPairwise(Work &work, Gen &g, PairwiseOp op,
                                 ValueRange operands, ValueRange outs);
mlir::LogicalResult emitPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                     ValueRange operands, ValueRange outs);

/// The accurate mode, `math f64` over rows of f32 (or of mixed types): Grams by
/// differences in f64, pair by pair.
void emitExactPairwise(Work &work, Gen &g, PairwiseOp op, ValueRange operands,
                       ValueRange outs);
void emitExactPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                           ValueRange operands, ValueRange outs);

/// True if `pair` can go by matrix products: one float type throughout.
bool isFast(const PairOperands &pair);

/// Rows per strip such that rows * `rowBytes` fits the table's strip.
Value getStripRows(Work &work, Gen &g, Value rowBytes);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRWISE_H
