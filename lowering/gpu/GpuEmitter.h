// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_GPU_GPUEMITTER_H
#define GEOC_LOWERING_GPU_GPUEMITTER_H

#include "lowering/ConstructEmitter.h"
#include "lowering/gpu/GpuTarget.h"

namespace geo {

/// Emits kernels into one gpu.module of `module`, and their launches where the
/// constructs stood. `target` must outlive it.
std::unique_ptr<ConstructEmitter> createGpuEmitter(mlir::ModuleOp module,
                                                   const GpuTarget &target);

} // namespace geo

#endif // GEOC_LOWERING_GPU_GPUEMITTER_H
