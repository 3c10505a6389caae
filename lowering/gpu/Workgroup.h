// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup memory of the kernel that is being built.
#ifndef GEOC_LOWERING_GPU_WORKGROUP_H
#define GEOC_LOWERING_GPU_WORKGROUP_H

#include "lowering/cpu/Gen.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace geo::device {

/// Buffers one after the other in the block's dynamic memory.
class Workgroup {
public:
  explicit Workgroup(cpu::Gen &g) : g(g) {}

  /// A row-major buffer, 16-byte aligned. Inserts where the builder stands.
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The bytes that all buffers need.
  int64_t getBytes() const { return bytes; }

  /// Reserves bytes that several buffers share in turn, see view().
  int64_t reserve(int64_t size);
  /// A buffer that starts at byte `at`.
  mlir::Value view(int64_t at, llvm::ArrayRef<int64_t> shape,
                   mlir::Type element);

private:
  cpu::Gen &g;
  mlir::Value memory;
  int64_t bytes = 0;
};

/// Bytes of a row-major buffer.
int64_t getBytes(llvm::ArrayRef<int64_t> shape, mlir::Type element);

void emitBarrier(cpu::Gen &g);

/// Four neighbours in workgroup memory, 16-byte aligned.
mlir::Value loadFour(cpu::Gen &g, mlir::Value memref, mlir::ValueRange at,
                     mlir::VectorType type);
void storeFour(cpu::Gen &g, mlir::Value x, mlir::Value memref,
               mlir::ValueRange at);

/// How many elements of a row one copy may take from global memory: a power of
/// two whose bytes (at most 16) divide the distance between rows.
int64_t getCopyWidth(mlir::Value memref);

/// Copies to[stage][r][c] = from[rowOf(r)][column + c] for r < rows, c <
/// columns, asynchronously, with zeros for columns beyond `end` (or, without
/// one, the row's end) and for rows that do not exist (if `exists` says); all
/// `threads` threads take part. Returns the token of the group.
mlir::Value
emitStageRows(cpu::Gen &g, mlir::Value from, mlir::Value to, mlir::Value stage,
              mlir::Value thread, int64_t threads, int64_t rows,
              int64_t columns, mlir::Value column,
              llvm::function_ref<mlir::Value(mlir::Value)> rowOf,
              mlir::Value end = {},
              llvm::function_ref<mlir::Value(mlir::Value)> exists = nullptr);
/// Waits until all copies that this thread has started so far have landed.
void emitWaitAll(cpu::Gen &g);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_WORKGROUP_H
