// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of one module, and their launches.
#ifndef GEOC_LOWERING_GPU_KERNELBUILDER_H
#define GEOC_LOWERING_GPU_KERNELBUILDER_H

#include "lowering/cpu/Gen.h"
#include "lowering/gpu/GpuTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace geo::device {

using cpu::Gen;
using cpu::Values;
using mlir::Value;
using mlir::ValueRange;

class KernelBuilder {
public:
  KernelBuilder(mlir::ModuleOp module, const GpuTarget &target);

  const GpuTarget &target() const { return device; }

  /// Device memory, row-major; sizes of kDynamic come from `sizes`.
  Value allocate(Gen &host, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                 ValueRange sizes = {});
  void release(Gen &host, Value memref);

  /// Builds the body at the start of a kernel whose arguments stand for the
  /// operands of the launch, and returns the bytes of dynamic workgroup memory
  /// that it needs.
  using BodyFn = llvm::function_ref<int64_t(Gen &g, ValueRange arguments)>;
  /// A kernel named after `name` and its launch on grid[0] x grid[1] x grid[2]
  /// blocks of `threads`.
  void launch(Gen &host, llvm::StringRef name, llvm::ArrayRef<Value> grid,
              int64_t threads, ValueRange operands, BodyFn body);
  /// body(i) for i in [0, count), one thread each.
  void launchForEach(
      Gen &host, llvm::StringRef name, Value count, ValueRange operands,
      llvm::function_ref<void(Gen &g, ValueRange arguments, Value i)> body);
  /// body() by one thread.
  void launchOnce(Gen &host, llvm::StringRef name, ValueRange operands,
                  llvm::function_ref<void(Gen &g, ValueRange arguments)> body);

private:
  mlir::ModuleOp module;
  const GpuTarget &device;
  mlir::gpu::GPUModuleOp kernels;
};

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_KERNELBUILDER_H
