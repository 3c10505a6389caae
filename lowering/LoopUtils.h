// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar loops over buffers, which the driver and the emitters share.
#ifndef GEOC_LOWERING_LOOPUTILS_H
#define GEOC_LOWERING_LOOPUTILS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/ValueRange.h"

namespace geo {

mlir::Value constantIndex(mlir::ImplicitLocOpBuilder &b, int64_t value);
/// A float constant of `type`.
mlir::Value constantFloat(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                          double value);
/// `value`, a float, rounded or extended to `type`.
mlir::Value convertFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                         mlir::Type type);

/// Dimension `dim` of a memref: a constant if it is static.
mlir::Value dimOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                  int64_t dim);

/// for i in [0, end): body(i).
void emitFor(mlir::ImplicitLocOpBuilder &b, mlir::Value end,
             llvm::function_ref<void(mlir::Value i)> body);

/// for i in [0, end): carried = body(i, carried). Returns the last carried
/// values.
llvm::SmallVector<mlir::Value> emitFor(
    mlir::ImplicitLocOpBuilder &b, mlir::Value end, mlir::ValueRange init,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value i,
                                                      mlir::ValueRange carried)>
        body);

/// Nested loops over all indices of `memref`.
void emitForAll(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                llvm::function_ref<void(mlir::ValueRange indices)> body);

/// Copies between buffers of one shape, whatever their strides.
/// (memref.copy of strided buffers would call a library.)
void emitCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value from, mlir::Value to);
void emitFill(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
              mlir::Value number);
/// Stores numbers, as many as there are elements, in row-major order.
void emitElements(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange numbers,
                  mlir::Value memref);
void emitZero(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

mlir::Value emitLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                     mlir::ValueRange indices = {});
void emitStore(mlir::ImplicitLocOpBuilder &b, mlir::Value number,
               mlir::Value memref, mlir::ValueRange indices = {});

/// The part `memref[index, ...]` without the leading dimension: as a view.
mlir::Value emitSlice(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                      mlir::Value index);

/// Declares a function of the runtime in `module`, if it is not there.
void declareRuntime(mlir::ImplicitLocOpBuilder &b, mlir::ModuleOp module,
                    llvm::StringRef name, mlir::TypeRange arguments,
                    mlir::TypeRange results);

/// A small buffer on the stack, in the frame of the function or of the parallel
/// loop and outside of sequential loops.
mlir::Value emitStackBuffer(mlir::ImplicitLocOpBuilder &b,
                            llvm::ArrayRef<int64_t> shape, mlir::Type element);

} // namespace geo

#endif // GEOC_LOWERING_LOOPUTILS_H
