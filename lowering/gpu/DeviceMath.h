// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions, roots and functions of kernels.
#ifndef GEOC_LOWERING_GPU_DEVICEMATH_H
#define GEOC_LOWERING_GPU_DEVICEMATH_H

#include "mlir/IR/BuiltinOps.h"

namespace geo::device {

/// Writes divisions, square roots and what it knows of functions in the kernels
/// of `module` as arithmetic and approximate instructions: IEEE divisions and
/// roots have a path of their own for rare operands, and functions would need
/// NVIDIA's libdevice. Errors in units in the last place, for all operands that
/// give a normal result: division and roots 2, exp 2, log, log1p 2, tanh and
/// atan2 3; sin and cos 2 of 1 below 2^30. Zeros, infinities and NaN as in IEEE
/// 754.
void expandMath(mlir::ModuleOp module);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_DEVICEMATH_H
