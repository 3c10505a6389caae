// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Derived gradients against finite differences, both in long double.
#ifndef GEOC_TEST_LIB_GRADIENTCHECKER_H
#define GEOC_TEST_LIB_GRADIENTCHECKER_H

#include "dialect/interpreter/Differences.h"
#include <gtest/gtest.h>

namespace geo::test {

struct GradientOptions {
  /// Arguments to differentiate by; empty: every floating-point one.
  llvm::SmallVector<int64_t> wrt;
  /// Bound of the error, relative to the element plus 1 % of the largest.
  long double tolerance = 1e-10L;
  /// Smaller than the distance to the nearest singularity by 1e3 or more.
  long double step = 1e-4L;
  bool freezes = true;
};

/// Expands the module `source`, differentiates its function @f in reverse mode,
/// and compares the interpreted gradients with finite differences of @f.
::testing::AssertionResult checkGradient(llvm::StringRef source,
                                         llvm::ArrayRef<Datum> arguments,
                                         GradientOptions options = {});

/// The results of the function @f of the module `source`, expanded.
llvm::FailureOr<llvm::SmallVector<Datum>>
interpretSource(llvm::StringRef source, llvm::ArrayRef<Datum> arguments);

/// The results of @f, then its gradients by the arguments `wrt`.
llvm::FailureOr<llvm::SmallVector<Datum>>
interpretGradient(llvm::StringRef source, llvm::ArrayRef<Datum> arguments,
                  llvm::ArrayRef<int64_t> wrt);

/// Distinct numbers in (low, high), the same ones in every run; another seed
/// gives others.
Datum spread(llvm::ArrayRef<int64_t> shape, double low, double high,
             int seed = 0);
/// The ids (3 i + 1) mod count, i = 0, 1, ...
Datum makeIds(llvm::ArrayRef<int64_t> shape, int64_t count);
/// Every row scaled to `norm`.
Datum withNorm(Datum rows, long double norm);

} // namespace geo::test

#endif // GEOC_TEST_LIB_GRADIENTCHECKER_H
