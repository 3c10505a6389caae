// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers single ops to buffers, at function level and inside of a scan.
#ifndef GEOC_LOWERING_OPLOWERING_H
#define GEOC_LOWERING_OPLOWERING_H

#include "lowering/BufferSizes.h"
#include "lowering/ConstructEmitter.h"

namespace geo {

/// The memref of identity layout for a plain tensor, a number's own type, or
/// null for any other type.
mlir::Type getBufferType(mlir::Type type);

/// memref.alloc of `type` with the dynamic ones of `sizes`.
mlir::Value emitAlloc(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// True for a result that shares the buffer of its operand.
bool isView(mlir::Operation *op);

class OpLowering {
public:
  explicit OpLowering(ConstructEmitter &emitter)
      : sizes([this](mlir::Value v) { return values.lookup(v); }),
        emitter(emitter) {}

  /// Emits an error unless `op` can be lowered.
  static mlir::LogicalResult check(mlir::Operation *op);

  /// Lowers `op` at the insertion point of `b`.
  mlir::LogicalResult lower(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

  /// The buffer of a tensor, or the lowered number.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  BufferSizes sizes;
  /// Gives the buffer that a tensor result is written to.
  std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::OpResult)>
      bufferOf;

private:
  mlir::LogicalResult lowerConstruct(mlir::ImplicitLocOpBuilder &b,
                                     mlir::Operation *op);
  mlir::LogicalResult lowerScan(mlir::ImplicitLocOpBuilder &b, ScanOp op,
                                mlir::ValueRange operands,
                                mlir::ValueRange outs);
  void lowerTensorOp(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

  ConstructEmitter &emitter;
};

} // namespace geo

#endif // GEOC_LOWERING_OPLOWERING_H
