// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the pass geo-simt share: calls of the machine in
// runtime/simt, constants, addresses.
#ifndef GEOC_LOWERING_SIMT_GEN_H
#define GEOC_LOWERING_SIMT_GEN_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace geo::simt {

/// Words of geo::rt::simt::ThreadContext (runtime/simt/Machine.h).
namespace context {
constexpr int32_t threadId = 0, blockId = 3, blockDim = 6, gridDim = 9,
                  lane = 12, warp = 13, shared = 14, dynamicBytes = 15;
} // namespace context

constexpr int64_t warpSize = 32;

/// Symbols of one module. Builders insert where they stand; declarations and
/// constants go to the start of the module.
class Gen {
public:
  explicit Gen(mlir::ModuleOp module);

  /// Calls the runtime's `name`. Integers and pointers only, no result if
  /// `result` is null.
  mlir::Value call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef name,
                   mlir::Type result, mlir::ValueRange arguments);

  /// The address of a text that ends in 0. Equal texts have equal addresses.
  mlir::Value text(mlir::ImplicitLocOpBuilder &b, llvm::StringRef text);
  /// The text "OP at FILE:LINE:COLUMN" of an op.
  mlir::Value site(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op);
  /// The address of constant 64-bit words.
  mlir::Value words(mlir::ImplicitLocOpBuilder &b,
                    llvm::ArrayRef<int64_t> values);

  mlir::Value i32(mlir::ImplicitLocOpBuilder &b, int64_t value);
  mlir::Value i64(mlir::ImplicitLocOpBuilder &b, int64_t value);
  mlir::LLVM::LLVMPointerType pointer();

  /// The address of an element, as i64.
  mlir::Value address(mlir::ImplicitLocOpBuilder &b, mlir::Value memref,
                      mlir::ValueRange indices);
  /// Room for a value of `type` in the frame of the function around.
  mlir::Value slot(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                   int64_t count = 1);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;

private:
  mlir::LLVM::GlobalOp createGlobal(mlir::Location loc, llvm::StringRef name,
                                    mlir::Type type, mlir::Attribute value);

  llvm::StringMap<mlir::LLVM::GlobalOp> texts;
};

/// Bytes that a number, or a vector of numbers, takes in memory.
int64_t byteSize(mlir::Type type);

} // namespace geo::simt

#endif // GEOC_LOWERING_SIMT_GEN_H
