// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_GATHER_H
#define GEOC_LOWERING_CPU_GATHER_H

#include "lowering/cpu/Work.h"

namespace geo::cpu {

mlir::LogicalResult emitGather(Work &work, Gen &g, GatherOp op,
                               ValueRange operands, Value out);
mlir::LogicalResult emitScatterAdd(Work &work, Gen &g, ScatterAddOp op,
                                   ValueRange operands, Value out);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_GATHER_H
