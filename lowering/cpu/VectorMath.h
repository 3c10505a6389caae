// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendentals on vectors of f32, and the ops of regions on vectors.
#ifndef GEOC_LOWERING_CPU_VECTORMATH_H
#define GEOC_LOWERING_CPU_VECTORMATH_H

#include "dialect/Geo.h"
#include "lowering/cpu/Gen.h"

namespace geo::cpu {

/// 2^x for x <= 127; below -126 it is 2^-126. 2 ulp.
Value emitExp2(Gen &g, Value x);
/// e^x for all x, with gradual underflow, infinity and NaN. 2 ulp.
Value emitExp(Gen &g, Value x);
/// e^t for t <= 0, on vectors of f32 (down to 2^-126) or f64: for softmax.
Value emitExpBelow(Gen &g, Value t);
/// tanh x: odd, x itself where x^2 vanishes beside 1. 3 ulp.
Value emitTanh(Gen &g, Value x);
/// log2(1 + z) for 0 <= z < 2^127. 3 ulp, relative also as z goes to 0.
Value emitLog2OnePlus(Gen &g, Value z);
/// asinh(n)/n with n = sqrt(z), z >= 0, 6 ulp.
Value emitAsinhc(Gen &g, Value z);
/// Its first derivative in z, given its value; 12 ulp.
Value emitAsinhcDerivative(Gen &g, Value z, Value asinhc);

/// True for an op that costs many times an addition on vectors.
bool isExpensive(mlir::Operation *op);

/// The value of `op`, an op of a region with one result, on `operands` that are
/// numbers or vectors of `lanes`. `isVector` says whether the result is one.
/// For a first derivative of geo.even `value` may be the function's value
/// there, which it is cheaper with.
Value emitElementwise(Gen &g, mlir::Operation *op, ValueRange operands,
                      bool isVector, int64_t lanes, Value value = {});

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_VECTORMATH_H
