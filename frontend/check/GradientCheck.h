// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gradients of formulas and functions at random and hard points: what a formula
// says itself against what is derived, and that against differences. All in
// long double, so what is compared is mathematics, not rounding.
#ifndef GEOC_FRONTEND_CHECK_GRADIENTCHECK_H
#define GEOC_FRONTEND_CHECK_GRADIENTCHECK_H

#include "dialect/Geo.h"
#include "dialect/interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"

namespace geo {

struct GradientCheckOptions {
  bool formulas = true, functions = false;
  /// The largest error, relative to the largest element of a gradient.
  double bar = 1e-6;
};

/// Checks a verified module, and prints a table to `os`. Errors above the bar
/// are reported at the line of the formula, with values. Returns how many there
/// are; failure if something cannot be compiled.
mlir::FailureOr<unsigned> checkGradients(mlir::ModuleOp module,
                                         const GradientCheckOptions &options,
                                         llvm::raw_ostream &os);

namespace check {

/// A place where a gradient is taken: one value per argument and curvature.
struct Sample {
  std::string name;
  llvm::SmallVector<Datum> values;
};

/// What a row may be: scales it to `fraction` of the domain of the manifold, or
/// leaves it alone where there is no bound.
using ToDomain = llvm::function_ref<Datum(
    const Datum &row, llvm::ArrayRef<double> curvatures, long double fraction)>;

/// Random places, zeros, tiny and large ones, equal and opposite rows, the rim.
std::vector<Sample> makeSamples(FormulaOp formula, ManifoldOp page, bool narrow,
                                ToDomain toDomain);

/// Coordinates of the rows of samples.
constexpr int64_t sampleLength = 5;

} // namespace check
} // namespace geo

#endif // GEOC_FRONTEND_CHECK_GRADIENTCHECK_H
