// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas and functions as functions to a number, with their gradients.
#ifndef GEOC_FRONTEND_CHECK_PROGRAMS_H
#define GEOC_FRONTEND_CHECK_PROGRAMS_H

#include "frontend/check/GradientCheck.h"
#include "mlir/IR/OwningOpRef.h"

namespace geo::check {

/// sum(ct * formula(arguments, curvatures)) of rows of one type.
class FormulaProgram {
public:
  static mlir::FailureOr<FormulaProgram> create(mlir::ModuleOp module,
                                                FormulaOp formula,
                                                ManifoldOp page, bool narrow);

  mlir::func::FuncOp primal() { return lookup(derivedModule, "objective"); }
  /// The gradients by arguments and curvatures follow the value.
  mlir::func::FuncOp derived() {
    return lookup(derivedModule, "objective_gradient");
  }
  /// By the formula's own vjp.
  mlir::func::FuncOp own() { return lookup(ownModule, "objective_gradient"); }
  const Datum &cotangent() const { return ct; }
  Datum toDomain(const Datum &row, llvm::ArrayRef<double> curvatures,
                 long double fraction);

private:
  static mlir::func::FuncOp lookup(mlir::OwningOpRef<mlir::ModuleOp> &module,
                                   llvm::StringRef name) {
    return module->lookupSymbol<mlir::func::FuncOp>(name);
  }

  mlir::OwningOpRef<mlir::ModuleOp> derivedModule, ownModule;
  Datum ct;
  bool hasDomain = false;
};

/// The float results of a function, weighted and summed.
class FunctionProgram {
public:
  /// Absent for functions whose arguments or results are not understood.
  static mlir::FailureOr<std::optional<FunctionProgram>>
  create(mlir::ModuleOp module, mlir::func::FuncOp function);

  mlir::func::FuncOp primal() {
    return module->lookupSymbol<mlir::func::FuncOp>("objective");
  }
  mlir::func::FuncOp derived() {
    return module->lookupSymbol<mlir::func::FuncOp>("objective_gradient");
  }
  llvm::ArrayRef<int64_t> wrt() const { return floats; }
  llvm::SmallVector<Datum> makeArguments(int seed);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<int64_t> floats;
};

} // namespace geo::check

#endif // GEOC_FRONTEND_CHECK_PROGRAMS_H
