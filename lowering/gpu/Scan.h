// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_GPU_SCAN_H
#define GEOC_LOWERING_GPU_SCAN_H

#include "lowering/ConstructEmitter.h"
#include "lowering/gpu/BlockConstructs.h"

namespace geo::device {

/// geo.scan as one kernel, whose states and weights stay in workgroup memory.
/// While the step is emitted, `inside` is where its constructs belong.
mlir::LogicalResult
emitScan(KernelBuilder &kernels, mlir::ImplicitLocOpBuilder &b, ScanOp op,
         ValueRange operands, ValueRange outs, BlockConstructs *&inside,
         ConstructEmitter &emitter, ConstructEmitter::StepFn emitStep);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_SCAN_H
