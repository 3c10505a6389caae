// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a target emits the constructs over buffers.
#ifndef GEOC_LOWERING_CONSTRUCTEMITTER_H
#define GEOC_LOWERING_CONSTRUCTEMITTER_H

#include "dialect/Geo.h"
#include "lowering/LoopUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>

namespace geo {

/// Emits loops for one construct at the builder's insertion point. Operands and
/// outs correspond to the op's: a tensor is a memref whose innermost stride is
/// 1 (outer strides and the offset may be dynamic), a number a value. The
/// driver (BufferLowering) owns buffers and has allocated every tensor out;
/// outs of number results are rank-0 memrefs. Buffers of outs never alias
/// operands.
class ConstructEmitter {
public:
  virtual ~ConstructEmitter() = default;

  /// True where the construct stands at function level and may use all threads;
  /// false inside a scan, whose threads already split the rows.
  bool parallel = true;

  /// Storage of a scan's step, which the driver sets during emitScan. An
  /// emitter calls `allocateStep` before its time loop (in each thread, if they
  /// split the rows) with the scan's operands, or row slices of them; only
  /// their shapes matter. The intermediates of emitStep then live in these
  /// buffers until `releaseStep`, after the loop. Without the calls every step
  /// allocates its own.
  std::function<mlir::LogicalResult(mlir::ImplicitLocOpBuilder &b,
                                    mlir::ValueRange operands)>
      allocateStep;
  std::function<void(mlir::ImplicitLocOpBuilder &b)> releaseStep;

  /// Storage of a scan's step: a memref of `type`'s shape and element, dynamic
  /// sizes of which `sizes` gives. By default an allocation.
  virtual mlir::Value allocateBuffer(mlir::ImplicitLocOpBuilder &b,
                                     mlir::MemRefType type,
                                     llvm::ArrayRef<mlir::OpFoldResult> sizes);
  virtual void releaseBuffer(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  /// Stores a number that a scan's step yields.
  virtual void storeNumber(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
                           mlir::Value out) {
    geo::emitStore(b, number, out);
  }

  virtual mlir::LogicalResult emitRowwise(mlir::ImplicitLocOpBuilder &b,
                                          RowwiseOp op,
                                          mlir::ValueRange operands,
                                          mlir::ValueRange outs) = 0;
  virtual mlir::LogicalResult emitPairwise(mlir::ImplicitLocOpBuilder &b,
                                           PairwiseOp op,
                                           mlir::ValueRange operands,
                                           mlir::ValueRange outs) = 0;
  virtual mlir::LogicalResult emitPairwiseGrad(mlir::ImplicitLocOpBuilder &b,
                                               PairwiseGradOp op,
                                               mlir::ValueRange operands,
                                               mlir::ValueRange outs) = 0;
  virtual mlir::LogicalResult emitMatmul(mlir::ImplicitLocOpBuilder &b,
                                         MatmulOp op, mlir::ValueRange operands,
                                         mlir::Value out) = 0;
  virtual mlir::LogicalResult emitGather(mlir::ImplicitLocOpBuilder &b,
                                         GatherOp op, mlir::ValueRange operands,
                                         mlir::Value out) = 0;
  virtual mlir::LogicalResult emitScatterAdd(mlir::ImplicitLocOpBuilder &b,
                                             ScatterAddOp op,
                                             mlir::ValueRange operands,
                                             mlir::Value out) = 0;
  virtual mlir::LogicalResult emitColumns(mlir::ImplicitLocOpBuilder &b,
                                          ColumnsOp op, mlir::Value x,
                                          mlir::Value out) = 0;
  /// A piece is null that has been computed in `out`.
  virtual mlir::LogicalResult emitConcatColumns(mlir::ImplicitLocOpBuilder &b,
                                                ConcatColumnsOp op,
                                                mlir::ValueRange pieces,
                                                mlir::Value out) = 0;

  /// Copies what cannot be computed in its place: all elements of `to`.
  virtual void emitCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                        mlir::Value to) {
    geo::emitCopy(b, from, to);
  }

  /// Sets all elements of a buffer to `number`.
  virtual void emitFill(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                        mlir::Value number) {
    geo::emitFill(b, memref, number);
  }
  /// Stores numbers, as many as the buffer has elements, in row-major order.
  virtual void emitElements(mlir::ImplicitLocOpBuilder &b,
                            mlir::ValueRange numbers, mlir::Value memref) {
    geo::emitElements(b, numbers, memref);
  }
  /// The buffer of a constant: one that `allocate` gives, or by default null
  /// for a global of the module.
  virtual mlir::FailureOr<mlir::Value>
  emitConstant(mlir::ImplicitLocOpBuilder &b, mlir::arith::ConstantOp op,
               llvm::function_ref<mlir::Value()> allocate) {
    return mlir::Value();
  }

  /// Emits a scan. `emitStep(values)` lowers the body once, given the buffers
  /// and numbers of all region arguments, into the buffers of what it yields
  /// (states, then outputs; `outs` of the step); the driver implements it.
  using StepFn = llvm::function_ref<mlir::LogicalResult(
      mlir::ImplicitLocOpBuilder &b, mlir::ValueRange arguments,
      mlir::ValueRange outs)>;
  virtual mlir::LogicalResult emitScan(mlir::ImplicitLocOpBuilder &b, ScanOp op,
                                       mlir::ValueRange operands,
                                       mlir::ValueRange outs,
                                       StepFn emitStep) = 0;
};

} // namespace geo

#endif // GEOC_LOWERING_CONSTRUCTEMITTER_H
