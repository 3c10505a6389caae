// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_SCAN_H
#define GEOC_LOWERING_CPU_SCAN_H

#include "lowering/ConstructEmitter.h"
#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// geo.scan: every thread runs all steps on its own rows of the batch.
/// `emitter` gives the storage of a step's intermediates.
mlir::LogicalResult emitScan(Work &work, Gen &g, ScanOp op, ValueRange operands,
                             ValueRange outs, ConstructEmitter &emitter,
                             ConstructEmitter::StepFn emitStep);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_SCAN_H
