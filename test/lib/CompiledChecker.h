// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled functions and gradients against their interpretation.
#ifndef GEOC_TEST_LIB_COMPILEDCHECKER_H
#define GEOC_TEST_LIB_COMPILEDCHECKER_H

#include "lowering/Compiler.h"
#include "test/lib/GradientChecker.h"

namespace geo::test {

/// Expands the module `source`, differentiates its function @f by every
/// floating-point argument, compiles it, and compares the results and gradients
/// with the interpreter's. Arguments are rounded to their types first, so only
/// the arithmetic differs; `tolerance` is relative to 0.1 and the largest
/// element of each result.
::testing::AssertionResult checkCompiled(llvm::StringRef source,
                                         llvm::ArrayRef<Datum> arguments,
                                         Target target,
                                         long double tolerance = 1e-5L);

/// checkGradient, and checkCompiled for every target; for cpu also to 1e-12
/// with f64 for f32 throughout.
::testing::AssertionResult checkAll(llvm::StringRef source,
                                    llvm::ArrayRef<Datum> arguments);

} // namespace geo::test

#endif // GEOC_TEST_LIB_COMPILEDCHECKER_H
