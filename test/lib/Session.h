// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of text, expanded, with what tests ask of it.
#ifndef GEOC_TEST_LIB_SESSION_H
#define GEOC_TEST_LIB_SESSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include <string>

namespace geo::test {

/// A context with everything that tests parse; its diagnostics are collected.
/// The module is null once anything has failed.
struct Session {
  mlir::MLIRContext context;
  std::string diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  /// Parses `source` and runs geo-check-points and geo-expand.
  explicit Session(llvm::StringRef source);

  void run(llvm::function_ref<void(mlir::PassManager &)> addPasses);
  /// Makes @f_gradient, the gradient of @f by the arguments `wrt`.
  void differentiate(llvm::ArrayRef<int64_t> wrt);
  mlir::func::FuncOp lookup(llvm::StringRef name);
};

/// Indices of the floating-point arguments.
llvm::SmallVector<int64_t> getFloatArguments(mlir::func::FuncOp function);

} // namespace geo::test

#endif // GEOC_TEST_LIB_SESSION_H
