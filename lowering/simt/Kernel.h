// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a gpu.func to a function of the host that one GPU thread runs.
#ifndef GEOC_LOWERING_SIMT_KERNEL_H
#define GEOC_LOWERING_SIMT_KERNEL_H

#include "lowering/simt/Gen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "runtime/simt/Calls.h"

namespace geo::simt {

/// What a launch needs of a kernel.
struct Kernel {
  std::string name;     ///< as reports name it
  std::string function; ///< symbol of the function of the host
  std::string entry;    ///< symbol of `void(void **arguments, ThreadContext *)`
  mlir::FunctionType type;
  int64_t staticBytes = 0;
  /// Place and bytes of each workgroup buffer in static shared memory.
  llvm::SmallVector<std::pair<int64_t, int64_t>> buffers;
};

class KernelLowering {
public:
  KernelLowering(Gen &gen, bool check) : gen(gen), check(check) {}

  /// Fails after an error at the op that the machine does not know.
  mlir::FailureOr<Kernel> lower(mlir::gpu::GPUFuncOp kernel);

private:
  void layOut(mlir::gpu::GPUFuncOp kernel);
  void createFunction(mlir::gpu::GPUFuncOp kernel);
  void createEntry(mlir::Location loc);
  mlir::Value contextWord(mlir::ImplicitLocOpBuilder &b, int32_t word,
                          mlir::Type type);
  mlir::Value contextIndex(int32_t word);
  mlir::Value sharedView(mlir::ImplicitLocOpBuilder &b, mlir::Value place,
                         mlir::MemRefType type, mlir::ValueRange sizes = {});

  /// Each lowers the ops of its kind and says whether `op` was one.
  mlir::FailureOr<bool> lowerThreadOp(mlir::Operation *op);
  mlir::FailureOr<bool> lowerMatrixOp(mlir::Operation *op);
  mlir::FailureOr<bool> lowerCopyOp(mlir::Operation *op);
  mlir::FailureOr<bool> lowerIntrinsic(mlir::Operation *op);
  mlir::LogicalResult checkAccess(mlir::Operation *op);
  mlir::LogicalResult lowerShuffle(mlir::gpu::ShuffleOp op);
  mlir::LogicalResult lowerMma(mlir::nvgpu::MmaSyncOp op);
  mlir::LogicalResult lowerMma(mlir::NVVM::MmaOp op);
  mlir::LogicalResult lowerLoad(mlir::nvgpu::LdMatrixOp op);

  /// Memory of the thread for `count` values; one for all of a role and type.
  mlir::Value slotFor(mlir::ImplicitLocOpBuilder &b, llvm::StringRef role,
                      mlir::Type type, int64_t count = 1);
  mlir::Value spill(mlir::ImplicitLocOpBuilder &b, llvm::StringRef role,
                    mlir::Value fragment);
  mlir::Value spillRegisters(mlir::ImplicitLocOpBuilder &b,
                             llvm::StringRef role, mlir::ValueRange registers);
  void callMma(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
               rt::simt::MmaKind kind, int64_t k,
               llvm::ArrayRef<mlir::Value> fragments);
  mlir::LogicalResult lowerOp(mlir::Operation *op);

  Gen &gen;
  bool check;
  Kernel info;
  mlir::func::FuncOp function;
  mlir::Value context; ///< of the thread, in `function`
  mlir::Value shared;  ///< all shared memory, as bytes
  llvm::DenseMap<int32_t, mlir::Value> indices;
  llvm::DenseMap<std::pair<llvm::StringRef, std::pair<mlir::Type, int64_t>>,
                 mlir::Value>
      slots;
};

/// Takes memory spaces, and types of the GPU, out of all ops in `root`.
void stripGpuTypes(mlir::Operation *root);

} // namespace geo::simt

#endif // GEOC_LOWERING_SIMT_KERNEL_H
