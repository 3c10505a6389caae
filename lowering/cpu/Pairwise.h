// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_PAIRWISE_H
#define GEOC_LOWERING_CPU_PAIRWISE_H

#include "lowering/cpu/LogSum.h"
#include "lowering/cpu/PairProgram.h"
#include "lowering/cpu/TileSkips.h"

namespace geo::cpu {

/// geo.pairwise and its adjoint, by tiles over strips.
mlir::LogicalResult emitPairwise(Work &work, Gen &g, PairwiseOp op,
                                 ValueRange operands, ValueRange outs);
mlir::LogicalResult emitPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                     ValueRange operands, ValueRange outs);

/// Rows per strip.
Value getStripRows(Gen &g, const CpuTarget &target, const Tile &tile);

/// nll and lse of the current strip, into the outs of the op. `targetLogits` is
/// a buffer of one number per row of a strip. `skips`, if given, learns what it
/// has to.
void emitStripLoss(PairProgram &program, LogSum &sums, Value targetLogits,
                   Value nll, Value lse, TileSkips *skips = nullptr);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRWISE_H
