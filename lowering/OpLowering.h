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

/// Pieces of concatenations in one block that are computed where the whole has
/// them, by value: the whole, and their first column there.
using Places = llvm::DenseMap<mlir::Value, std::pair<ConcatColumnsOp, int64_t>>;
/// `mayPlace` says whether a value has no other place to be computed in.
Places findPlaces(mlir::Block &block,
                  llvm::function_ref<bool(mlir::Value)> mayPlace);

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
  Places places;
  /// Gives the buffer that a tensor result without a place is written to.
  std::function<mlir::Value(mlir::ImplicitLocOpBuilder &, mlir::OpResult)>
      bufferOf;

private:
  /// The buffer, or the part of one, that `result` is written to.
  mlir::Value getBuffer(mlir::ImplicitLocOpBuilder &b, mlir::OpResult result);
  mlir::LogicalResult lowerConstruct(mlir::ImplicitLocOpBuilder &b,
                                     mlir::Operation *op);
  mlir::LogicalResult lowerScan(mlir::ImplicitLocOpBuilder &b, ScanOp op,
                                mlir::ValueRange operands,
                                mlir::ValueRange outs);
  void lowerTensorOp(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);

  ConstructEmitter &emitter;
  /// Buffers of concatenations whose pieces are being computed.
  llvm::DenseMap<mlir::Value, mlir::Value> wholes;
};

} // namespace geo

#endif // GEOC_LOWERING_OPLOWERING_H
