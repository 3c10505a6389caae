// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels take of a multiprocessor.
#ifndef GEOC_LOWERING_GPU_RESOURCES_H
#define GEOC_LOWERING_GPU_RESOURCES_H

#include "lowering/gpu/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace geo {

/// Of one kernel. Bytes, but for registers (32-bit, of a thread).
struct KernelResources {
  std::string name;
  int64_t threads = 0, registers = 0, stack = 0, spillStores = 0,
          spillLoads = 0, staticShared = 0;
  int64_t dynamicShared = 0; ///< the largest of its launches
  /// Warps that fit a multiprocessor at once, as a share of the most it can
  /// hold. Computed from the numbers above by the rules of the CUDA occupancy
  /// calculator: registers by 256 of a warp, shared memory by 128 bytes and
  /// 1,024 for the system.
  double occupancy = 0;
};

/// From what ptxas -v printed, and the launches in `module` (lowered to gpu).
llvm::SmallVector<KernelResources> readResources(mlir::ModuleOp module,
                                                 llvm::StringRef log,
                                                 const GpuTarget &target);

/// {"target": .., "kernels": [{"name", "registers", "spills", ..}]}.
std::string printResources(llvm::ArrayRef<KernelResources> kernels,
                           const GpuTarget &target);

} // namespace geo

#endif // GEOC_LOWERING_GPU_RESOURCES_H
