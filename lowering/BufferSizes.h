// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of tensors, from the sizes of what they are made of.
#ifndef GEOC_LOWERING_BUFFERSIZES_H
#define GEOC_LOWERING_BUFFERSIZES_H

#include "dialect/Geo.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>

namespace geo {

using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

/// The sizes of tensor values, as attributes where static, and where dynamic as
/// index values that exist outside of all scans.
class BufferSizes {
public:
  /// `lookup` gives the lowered form of a number (an index).
  BufferSizes(std::function<mlir::Value(mlir::Value)> lookup)
      : lookup(std::move(lookup)) {}

  /// Sizes of a value that no op here defines: a block argument.
  void set(mlir::Value tensor, Sizes sizes) {
    known[tensor] = std::move(sizes);
  }
  /// Sets the sizes of the arguments of a scan's region from its operands'.
  void enter(ScanOp scan, llvm::ArrayRef<Sizes> operands);

  /// May emit index arithmetic at the insertion point of `b`.
  Sizes get(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor);

private:
  Sizes compute(mlir::ImplicitLocOpBuilder &b, mlir::OpResult result);

  std::function<mlir::Value(mlir::Value)> lookup;
  llvm::DenseMap<mlir::Value, Sizes> known;
};

/// The sizes of a buffer.
Sizes getMemRefSizes(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

} // namespace geo

#endif // GEOC_LOWERING_BUFFERSIZES_H
