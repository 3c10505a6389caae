// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs inside of a kernel, on all threads of a block.
#ifndef GEOC_LOWERING_GPU_BLOCKCONSTRUCTS_H
#define GEOC_LOWERING_GPU_BLOCKCONSTRUCTS_H

#include "dialect/Geo.h"
#include "lowering/gpu/KernelBuilder.h"
#include "lowering/gpu/Workgroup.h"

namespace geo::device {

/// Some rows that a block owns, and what it does with them. Tensors of rows
/// have the block's rows, `count` of at most `maxRows` (a dimension may say
/// more); others are whole. What a construct writes, the whole block can read
/// after it: each ends with a barrier.
class BlockConstructs {
public:
  static constexpr int64_t threads = 256;

  BlockConstructs(Gen &g, Workgroup &memory, Value count, int64_t maxRows);

  int64_t getMaxRows() const { return maxRows; }

  /// A buffer in workgroup memory; leading dynamic sizes are the rows'.
  Value allocate(mlir::MemRefType type);

  /// Brings a matrix that products have at their right to workgroup memory, as
  /// [K, N], if it fits into `bytes`; returns how many it takes.
  int64_t stageWeight(Value weight, bool isTransposed, int64_t bytes);

  mlir::LogicalResult emitRowwise(RowwiseOp op, ValueRange operands,
                                  ValueRange outs);
  mlir::LogicalResult emitMatmul(MatmulOp op, ValueRange operands, Value out);
  void emitGather(Value table, Value ids, Value out);
  void emitColumns(ColumnsOp op, Value x, Value out);
  void emitConcatColumns(ConcatColumnsOp op, ValueRange pieces, Value out);
  void emitCopy(Value from, Value to);
  void emitZero(Value memref);
  void emitFill(mlir::TypedAttr number, Value memref);
  void storeNumber(Value number, Value out);

private:
  /// body(i, j) for all elements of a block of columns.
  void forBlock(int64_t width, llvm::function_ref<void(Value i, Value j)> body);
  /// The same by the shape of `memref`, [rows] or [rows, d].
  void forElements(Value memref, llvm::function_ref<void(ValueRange)> body);

  Gen &g;
  Workgroup &memory;
  Value count, thread;
  const int64_t maxRows;
  /// Right operands, and whether they are transposed.
  llvm::DenseMap<std::pair<Value, unsigned>, Value> weights;
};

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_BLOCKCONSTRUCTS_H
