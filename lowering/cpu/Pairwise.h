// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_PAIRWISE_H
#define GEOC_LOWERING_CPU_PAIRWISE_H

#include "lowering/cpu/PairProgram.h"

namespace geo::cpu {

/// geo.pairwise and its adjoint, by tiles over strips.
mlir::LogicalResult emitPairwise(Work &work, Gen &g, PairwiseOp op,
                                 ValueRange operands, ValueRange outs);
mlir::LogicalResult emitPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                     ValueRange operands, ValueRange outs);

/// Rows per strip such that rows * `rowBytes` fits the table's strip.
Value getStripRows(Work &work, Gen &g, Value rowBytes);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRWISE_H
