// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels (gpu.func) to PTX.
#ifndef GEOC_LOWERING_GPU_DEVICEPIPELINE_H
#define GEOC_LOWERING_GPU_DEVICEPIPELINE_H

#include "lowering/gpu/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace geo {

/// Registers what the conversion of kernels to the NVVM dialect and their
/// translation to LLVM IR need.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// Adds the passes that bring the kernels of a module to the NVVM dialect; the
/// host's functions stay as they are.
void buildDevicePipeline(mlir::OpPassManager &pm);

/// The PTX of the kernels of `module`, which are in the NVVM dialect. Functions
/// that LLVM has no code for come from NVIDIA's libdevice, at path `libdevice`.
/// Without that they stay undefined, and `missing` names one.
mlir::FailureOr<std::string> emitPtx(mlir::ModuleOp module,
                                     const GpuTarget &target,
                                     llvm::StringRef libdevice,
                                     std::string &missing);

} // namespace geo

#endif // GEOC_LOWERING_GPU_DEVICEPIPELINE_H
