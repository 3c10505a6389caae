// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constructs but pairs, as kernels over buffers.
#ifndef GEOC_LOWERING_GPU_CONSTRUCTS_H
#define GEOC_LOWERING_GPU_CONSTRUCTS_H

#include "dialect/Geo.h"
#include "lowering/gpu/KernelBuilder.h"

namespace geo::device {

/// x of the lane whose number differs in the bits of `offset`; all lanes of the
/// warp take part. f32 or f64.
Value emitShuffleXor(Gen &g, Value x, int64_t offset);

/// A launch of one block: out = the sum of term(partial, i) for i in [0,
/// count), f64s, in a fixed order.
void emitTotal(KernelBuilder &kernels, Gen &host, llvm::StringRef name,
               Value partial, Value count, Value out,
               llvm::function_ref<Value(Gen &g, Value partial, Value i)> term);

/// Element j of row i: a memref of numbers per row has no index for columns.
Values getIndices(Value memref, Value i, Value j);

mlir::LogicalResult emitRowwise(KernelBuilder &kernels,
                                mlir::ImplicitLocOpBuilder &b, RowwiseOp op,
                                ValueRange operands, ValueRange outs);
mlir::LogicalResult emitGather(KernelBuilder &kernels,
                               mlir::ImplicitLocOpBuilder &b,
                               ValueRange operands, Value out);
mlir::LogicalResult emitMatmul(KernelBuilder &kernels,
                               mlir::ImplicitLocOpBuilder &b, MatmulOp op,
                               ValueRange operands, Value out);
/// Every row of the result adds up its rows in their order.
mlir::LogicalResult emitScatterAdd(KernelBuilder &kernels,
                                   mlir::ImplicitLocOpBuilder &b,
                                   ValueRange operands, Value out);
mlir::LogicalResult emitColumns(KernelBuilder &kernels,
                                mlir::ImplicitLocOpBuilder &b, ColumnsOp op,
                                Value x, Value out);
mlir::LogicalResult emitConcatColumns(KernelBuilder &kernels,
                                      mlir::ImplicitLocOpBuilder &b,
                                      ConcatColumnsOp op, ValueRange pieces,
                                      Value out);
void emitCopy(KernelBuilder &kernels, mlir::ImplicitLocOpBuilder &b, Value from,
              Value to);
/// All elements of a buffer: from numbers, or from a constant.
void emitElements(KernelBuilder &kernels, mlir::ImplicitLocOpBuilder &b,
                  ValueRange numbers, Value memref);
mlir::LogicalResult emitConstant(KernelBuilder &kernels,
                                 mlir::ImplicitLocOpBuilder &b,
                                 mlir::arith::ConstantOp op, Value memref);
void emitFill(KernelBuilder &kernels, mlir::ImplicitLocOpBuilder &b,
              Value memref, Value number);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_CONSTRUCTS_H
