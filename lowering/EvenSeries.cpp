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

Real evaluateTaylor(EvenFn fn, int64_t order, Real z) {
  llvm::SmallVector<Real> a = getTaylor(fn);
  for (int64_t i = 0; i < order; ++i) {
    for (size_t k = 1; k < a.size(); ++k)
      a[k - 1] = k * a[k];
    a.pop_back();
  }
  Real sum = 0;
  for (Real c : llvm::reverse(a))
    sum = sum * z + c;
  return sum;
}

/// f, and the g with f' = (g - f) / (2z), and g'.
struct Closed {
  Real f, g, dg;
};

Closed getClosed(EvenFn fn, Real z) {
  Real n = std::sqrt(z);
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
double getCut(EvenFn fn, int64_t order) {
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

} // namespace

long double geo::evaluateEven(EvenFn fn, int64_t order, long double z) {
  if (z <= getSeriesEnd(fn))
    return evaluateTaylor(fn, order, z);
  if (fn == EvenFn::coshq || fn == EvenFn::cosq) {
    bool isCosh = fn == EvenFn::coshq;
    if (order == 0)
      return isCosh ? std::cosh(std::sqrt(z)) : std::cos(std::sqrt(z));
    EvenFn inner = isCosh ? EvenFn::sinhc : EvenFn::sinc;
    return (isCosh ? 0.5L : -0.5L) * evaluateEven(inner, order - 1, z);
  }
  Closed closed = getClosed(fn, z);
  if (order == 0)
    return closed.f;
  Real first = (closed.g - closed.f) / (2 * z);
  return order == 1 ? first : (closed.dg - 3 * first) / (2 * z);
}

EvenSeries geo::getEvenSeries(EvenFn fn, int64_t order, unsigned mantissa) {
  EvenSeries series;
  series.cut = getCut(fn, order);
  // q = (f - f(0)) / z at the nodes of [0, cut], so that f(0) stays exact.
  constexpr int nodes = 48;
  Real f0 = evaluateEven(fn, order, 0), cut = series.cut;
  Real q[nodes], least = std::abs(f0);
  const Real pi = std::acos(-1.0L);
  for (int i = 0; i < nodes; ++i) {
    Real z = cut * (1 + std::cos(pi * (i + 0.5L) / nodes)) / 2;
    Real f = evaluateEven(fn, order, z);
    q[i] = (f - f0) / z;
    least = std::min(least, std::abs(f));
  }
  // Differences lose digits at the nodes next to 0: there from the series.
  for (int i = 0; i < nodes; ++i) {
    Real z = cut * (1 + std::cos(pi * (i + 0.5L) / nodes)) / 2;
    if (z > getSeriesEnd(fn))
      continue;
    llvm::SmallVector<Real> a = getTaylor(fn);
    for (int64_t k = 0; k < order; ++k) {
      for (size_t m = 1; m < a.size(); ++m)
        a[m - 1] = m * a[m];
      a.pop_back();
    }
    q[i] = 0;
    for (size_t k = a.size() - 1; k > 0; --k)
      q[i] = q[i] * z + a[k];
  }
  // Chebyshev coefficients, cut off where they no longer matter.
  Real chebyshev[nodes];
  for (int k = 0; k < nodes; ++k) {
    chebyshev[k] = 0;
    for (int i = 0; i < nodes; ++i)
      chebyshev[k] += q[i] * std::cos(pi * k * (i + 0.5L) / nodes);
    chebyshev[k] *= (k == 0 ? 1.0L : 2.0L) / nodes;
  }
  Real tail = 0, bound = std::ldexp(least, -static_cast<int>(mantissa) - 2);
  int degree = nodes - 1;
  while (degree > 0 && (tail + std::abs(chebyshev[degree])) * cut < bound)
    tail += std::abs(chebyshev[degree--]);
  // To powers of u = z / cut: T*_{k+1} = (4u - 2) T*_k - T*_{k-1}.
  llvm::SmallVector<Real> previous(degree + 1, 0), current(degree + 1, 0),
      sum(degree + 1, 0);
  current[0] = 1;
  for (int k = 0; k <= degree; ++k) {
    for (int m = 0; m <= degree; ++m)
      sum[m] += chebyshev[k] * current[m];
    llvm::SmallVector<Real> next(degree + 1, 0);
    for (int m = 0; m <= degree; ++m) {
      Real up = m > 0 ? 4 * current[m - 1] : 0;
      next[m] =
          k == 0 ? up / 2 - current[m] : up - 2 * current[m] - previous[m];
    }
    previous = current;
    current = next;
  }
  series.coefficients.push_back(f0);
  Real power = 1;
  for (Real c : sum) {
    series.coefficients.push_back(c / power);
    power *= cut;
  }
  return series;
}
