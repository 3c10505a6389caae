// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials of the even functions near 0.
#ifndef GEOC_LOWERING_EVENSERIES_H
#define GEOC_LOWERING_EVENSERIES_H

#include "dialect/Geo.h"

namespace geo {

struct EvenSeries {
  /// Holds on [0, cut].
  double cut;
  /// Coefficients, constant first.
  llvm::SmallVector<double> coefficients;
};

/// A polynomial for the `order`-th derivative of `fn` in z, whose relative
/// error is below 2^-(mantissa + 2) on [0, cut] and zero at 0: an interpolation
/// at Chebyshev nodes. `cut` is where the closed form is accurate from.
EvenSeries getEvenSeries(EvenFn fn, int64_t order, unsigned mantissa);

/// The function itself, in long double.
long double evaluateEven(EvenFn fn, int64_t order, long double z);

} // namespace geo

#endif // GEOC_LOWERING_EVENSERIES_H
