// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/EvenSeries.h"
#include <cmath>

using namespace geo;

namespace {

using Real = long double;

/// The power series' radius of convergence, or where it is used up to.
Real getSeriesEnd(EvenFn fn) {
  switch (fn) {
  case EvenFn::tanhc: // pole at -(pi/2)^2
    return 1.0L;
  case EvenFn::artanhc:
  case EvenFn::asinhc:
  case EvenFn::asinc: // singular at 1 or -1
    return 0.4L;
  default: // entire
    return 1.0L;
  }
}

constexpr int numTerms = 64;

/// Coefficients of the power series in z.
llvm::SmallVector<Real> getTaylor(EvenFn fn) {
  llvm::SmallVector<Real> a(numTerms);
  Real factorial = 1, binomial = 1; // (2k)!, C(2k, k) / 4^k
  for (int k = 0; k < numTerms; ++k) {
    if (k > 0) {
      factorial *= (2.0L * k - 1) * (2.0L * k);
      binomial *= (2.0L * k - 1) / (2.0L * k);
    }
    Real sign = k % 2 ? -1 : 1;
    switch (fn) {
    case EvenFn::tanhc: {
      // t = tanh(n) = n a(z) solves t' = 1 - t^2:
      // (2k + 1) a_k = -sum_{i + j = k - 1} a_i a_j.
      Real sum = k == 0 ? 1 : 0;
      for (int i = 0; i < k; ++i)
        sum -= a[i] * a[k - 1 - i];
      a[k] = sum / (2 * k + 1);
      break;
    }
    case EvenFn::artanhc:
      a[k] = 1.0L / (2 * k + 1);
      break;
    case EvenFn::asinhc:
      a[k] = sign * binomial / (2 * k + 1);
      break;
    case EvenFn::asinc:
      a[k] = binomial / (2 * k + 1);
      break;
    case EvenFn::sinhc:
      a[k] = 1 / (factorial * (2 * k + 1));
      break;
    case EvenFn::coshq:
      a[k] = 1 / factorial;
      break;
    case EvenFn::sinc:
      a[k] = sign / (factorial * (2 * k + 1));
      break;
    case EvenFn::cosq:
      a[k] = sign / factorial;
      break;
    }
  }
  return a;
}

/// Coefficients of the `order`-th derivative.
llvm::SmallVector<Real> getTaylor(EvenFn fn, bool isMirrored, int64_t order) {
  llvm::SmallVector<Real> a = getTaylor(fn);
  if (isMirrored)
    for (size_t k = 1; k < a.size(); k += 2)
      a[k] = -a[k];
  for (int64_t i = 0; i < order; ++i) {
    for (size_t k = 1; k < a.size(); ++k)
      a[k - 1] = k * a[k];
    a.pop_back();
  }
  return a;
}

Real evaluatePolynomial(llvm::ArrayRef<Real> a, Real z) {
  Real sum = 0;
  for (Real c : llvm::reverse(a))
    sum = sum * z + c;
  return sum;
}

/// f, and the g with f' = (g - f) / (2z), and g'.
struct Closed {
  Real f, g, dg;
};

Closed getClosed(EvenFn fn, bool isMirrored, Real z) {
  Real n = std::sqrt(z);
  if (isMirrored && fn == EvenFn::tanhc) {
    Real f = std::tan(n) / n, g = 1 + z * f * f;
    return {f, g, g * f};
  }
  if (isMirrored) { // artanhc
    Real g = 1 / (1 + z);
    return {std::atan(n) / n, g, -g * g};
  }
  switch (fn) {
  case EvenFn::tanhc: {
    Real f = std::tanh(n) / n, e = std::exp(-2 * n);
    Real g = 4 * e / ((1 + e) * (1 + e));
    return {f, g, -g * f};
  }
  case EvenFn::artanhc: {
    Real g = 1 / (1 - z);
    return {std::atanh(n) / n, g, g * g};
  }
  case EvenFn::asinhc: {
    Real g = 1 / std::sqrt(1 + z);
    return {std::asinh(n) / n, g, -g / (2 * (1 + z))};
  }
  case EvenFn::asinc: {
    Real g = 1 / std::sqrt(1 - z);
    return {std::asin(n) / n, g, g / (2 * (1 - z))};
  }
  case EvenFn::sinhc: {
    Real f = std::sinh(n) / n;
    return {f, std::cosh(n), f / 2};
  }
  case EvenFn::sinc: {
    Real f = std::sin(n) / n;
    return {f, std::cos(n), -f / 2};
  }
  case EvenFn::coshq:
  case EvenFn::cosq:
    break; // by sinhc and sinc
  }
  llvm_unreachable("has no closed form of this kind");
}

/// From where on the closed form loses less than about three bits.
double getCut(EvenFn fn, bool isMirrored, int64_t order) {
  if (isMirrored && fn == EvenFn::artanhc)
    return order == 0 ? 1.0 / 64 : 2;
  switch (fn) {
  case EvenFn::sinhc:
  case EvenFn::coshq:
    return 16; // sinh by exponentials
  case EvenFn::sinc:
  case EvenFn::cosq:
    return order == 0 ? 1.0 / 64 : 4;
  case EvenFn::tanhc:
    return order == 0 ? 1.0 / 64 : 1;
  case EvenFn::asinhc:
    return order == 0 ? 1.0 / 64 : 2;
  case EvenFn::artanhc:
  case EvenFn::asinc:
    return order == 0 ? 1.0 / 64 : 0.5;
  }
  llvm_unreachable("unknown function");
}

/// The function itself.
Real evaluate(EvenFn fn, bool isMirrored, int64_t order, Real z) {
  if (z <= getSeriesEnd(fn))
    return evaluatePolynomial(getTaylor(fn, isMirrored, order), z);
  if (fn == EvenFn::coshq || fn == EvenFn::cosq) {
    bool isCosh = fn == EvenFn::coshq;
    if (order == 0)
      return isCosh ? std::cosh(std::sqrt(z)) : std::cos(std::sqrt(z));
    EvenFn inner = isCosh ? EvenFn::sinhc : EvenFn::sinc;
    return (isCosh ? 0.5L : -0.5L) *
           evaluate(inner, /*isMirrored=*/false, order - 1, z);
  }
  Closed closed = getClosed(fn, isMirrored, z);
  if (order == 0)
    return closed.f;
  Real first = (closed.g - closed.f) / (2 * z);
  return order == 1 ? first : (closed.dg - 3 * first) / (2 * z);
}

} // namespace

EvenSeries geo::getEvenSeries(EvenFn fn, bool isMirrored, int64_t order,
                              unsigned mantissa) {
  EvenSeries series;
  series.cut = getCut(fn, isMirrored, order);
  // Interpolates q = (f - f(0)) / z on [0, cut], so that f(0) stays exact.
  // Where the difference loses digits q is summed.
  constexpr int nodes = 40;
  const Real pi = std::acos(-1.0L), cut = series.cut;
  llvm::SmallVector<Real> a = getTaylor(fn, isMirrored, order);
  Real q[nodes], f0 = a[0], least = std::abs(f0);
  for (int i = 0; i < nodes; ++i) {
    Real z = cut * (1 + std::cos(pi * (i + 0.5L) / nodes)) / 2;
    Real f = evaluate(fn, isMirrored, order, z);
    q[i] = z <= getSeriesEnd(fn)
               ? evaluatePolynomial(llvm::ArrayRef(a).drop_front(), z)
               : (f - f0) / z;
    least = std::min(least, std::abs(f));
  }
  // Chebyshev coefficients, cut off where they no longer matter.
  Real chebyshev[nodes];
  for (int k = 0; k < nodes; ++k) {
    chebyshev[k] = 0;
    for (int i = 0; i < nodes; ++i)
      chebyshev[k] += q[i] * std::cos(pi * k * (i + 0.5L) / nodes);
    chebyshev[k] *= (k == 0 ? 1.0L : 2.0L) / nodes;
  }
  // They fall geometrically, down to the noise of long double.
  Real bound = std::ldexp(least, -static_cast<int>(mantissa) - 2) / cut;
  int degree = 0;
  while (degree + 2 < nodes && (std::abs(chebyshev[degree + 1]) > bound ||
                                std::abs(chebyshev[degree + 2]) > bound))
    ++degree;
  // To powers of x = (z - cut/2) / (cut/2): T_{k+1} = 2x T_k - T_{k-1}. Powers
  // of z would cancel where [0, cut] leaves the circle of convergence.
  llvm::SmallVector<Real> previous(degree + 1, 0), current(degree + 1, 0),
      sum(degree + 1, 0);
  current[0] = 1;
  for (int k = 0; k <= degree; ++k) {
    llvm::SmallVector<Real> next(degree + 1, 0);
    for (int m = 0; m <= degree; ++m) {
      sum[m] += chebyshev[k] * current[m];
      Real shifted = m > 0 ? current[m - 1] : 0;
      next[m] = k == 0 ? shifted : 2 * shifted - previous[m];
    }
    previous = current;
    current = next;
  }
  series.atZero = f0;
  Real power = 1;
  for (Real c : sum) {
    series.coefficients.push_back(c / power);
    power *= cut / 2;
  }
  return series;
}
