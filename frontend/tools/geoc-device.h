// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geoc for GPUs: what comes out of kernels.
#ifndef GEOC_FRONTEND_TOOLS_GEOC_DEVICE_H
#define GEOC_FRONTEND_TOOLS_GEOC_DEVICE_H

#include "lowering/gpu/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace geo::tools {

/// `--emit=` of targets that are GPUs, beside the stages before buffers.
enum class DeviceOutput { gpu, nvvm, ptx, cubin, resources };
std::optional<DeviceOutput> parseDeviceOutput(llvm::StringRef name);

struct DeviceRequest {
  GpuTarget target;
  DeviceOutput output;
  std::string cudaHome;
};

/// The text or binary of `module`, whose kernels are lowered as far as the
/// output needs: to gpu, or else to NVVM. Without ptxas `result` is the PTX,
/// and `message` says so; the return value then is failure.
mlir::LogicalResult emitDevice(mlir::ModuleOp module,
                               const DeviceRequest &request,
                               std::string &result, std::string &message);

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_GEOC_DEVICE_H
