// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in pages, embedded as text and parsed once per context, and what
// the parser remembers of the formulas of modules.
#ifndef GEOC_DIALECT_LIBRARY_H
#define GEOC_DIALECT_LIBRARY_H

#include "dialect/Geo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

namespace geo {

class PageLibrary {
public:
  /// The page `name`, parsed at its first use; null if there is none.
  ManifoldOp get(mlir::MLIRContext *context, llvm::StringRef name);

  std::optional<bool> yieldsRow(llvm::StringRef file, llvm::StringRef formula);
  void noteFormula(llvm::StringRef file, llvm::StringRef formula,
                   bool yieldsRow);

private:
  std::recursive_mutex mutex;
  llvm::StringMap<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  llvm::StringMap<llvm::StringMap<bool>> formulas; ///< by file
};

} // namespace geo

#endif // GEOC_DIALECT_LIBRARY_H
