// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_MATMUL_H
#define GEOC_LOWERING_CPU_MATMUL_H

#include "lowering/cpu/MicroKernel.h"
#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// `b` packed whole into panels [ceil(N / panel), K, panel], by all threads
/// (by one inside a scan). The caller frees it.
Value emitPackedWhole(Work &work, Gen &g, const Tile &tile, Value b,
                      bool isTransposed);

mlir::LogicalResult emitMatmul(Work &work, Gen &g, MatmulOp op,
                               ValueRange operands, Value out);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_MATMUL_H
