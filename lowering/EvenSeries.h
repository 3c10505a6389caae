// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials of the even functions near 0.
#ifndef GEOC_LOWERING_EVENSERIES_H
#define GEOC_LOWERING_EVENSERIES_H

#include "dialect/Geo.h"

namespace geo {

/// f(0) + z q(z - cut/2) on [0, cut].
struct EvenSeries {
  double cut, atZero;
  /// Coefficients of q, constant first.
  llvm::SmallVector<double> coefficients;
};

/// A polynomial for the `order`-th derivative of `fn` in z, whose relative
/// error is about 2^-(mantissa + 2) on [0, cut] and none at 0: q interpolates
/// at Chebyshev nodes. From `cut` on the closed form is accurate. `isMirrored`
/// (tanhc and artanhc only) is for the function y -> fn(-y), y >= 0.
EvenSeries getEvenSeries(EvenFn fn, bool isMirrored, int64_t order,
                         unsigned mantissa);

} // namespace geo

#endif // GEOC_LOWERING_EVENSERIES_H
