// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.even as arithmetic.
#ifndef GEOC_LOWERING_EVENFUNCTIONS_H
#define GEOC_LOWERING_EVENFUNCTIONS_H

#include "dialect/Geo.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace geo {

/// The `order`-th derivative in z of the even function `fn`, in arith and math
/// ops on the type of `z`: f32, f64 or a vector of them. Domain as in geo.even.
/// Away from 0 closed forms, with f' = (g - f) / (2z), f'' = (g' - 3f') / (2z);
/// near 0 power series. A few ulp of the element type everywhere, finite at
/// z = 0. What z < 0 needs stands under a branch (scf.if): z >= 0 costs a
/// comparison more.
mlir::Value expandEven(mlir::ImplicitLocOpBuilder &b, EvenFn fn, mlir::Value z,
                       int64_t order);

/// The same, given its value for z >= 0.
mlir::Value extendEven(mlir::ImplicitLocOpBuilder &b, EvenFn fn, mlir::Value z,
                       int64_t order, mlir::Value ofPositive);

/// Replaces every geo.even under `root`.
void expandEvenOps(mlir::Operation *root);

} // namespace geo

#endif // GEOC_LOWERING_EVENFUNCTIONS_H
