// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendentals on vectors of f64.
#ifndef GEOC_LOWERING_CPU_WIDEMATH_H
#define GEOC_LOWERING_CPU_WIDEMATH_H

#include "lowering/cpu/Gen.h"

namespace geo::cpu {

/// e^x for all x, with gradual underflow, infinity and NaN. 2 ulp.
Value emitWideExp(Gen &g, Value x);
/// ln x for all x; -infinity at 0, NaN below. 2 ulp.
Value emitWideLog(Gen &g, Value x);
/// ln(1 + z) for all z, relative also as z goes to 0. 2 ulp.
Value emitWideLog1p(Gen &g, Value z);
/// tanh x. 3 ulp.
Value emitWideTanh(Gen &g, Value x);

/// Replaces exp, log, log1p and tanh of vectors of f64 under `root`, which
/// would become calls of libm, lane by lane.
void expandWideMath(mlir::Operation *root);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_WIDEMATH_H
