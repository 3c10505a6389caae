// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Even functions of the norm, given its square z: by their power series near 0,
// by their closed form elsewhere.
#include "dialect/Formula.h"
#include "dialect/interpreter/Interpreter.h"
#include <array>
#include <cmath>

using namespace geo;

namespace {

constexpr int kTerms = 64;
using Series = std::array<long double, kTerms>;

/// All series converge for |z| < 1; at this bound 64 terms leave 1e-36.
constexpr long double kSeriesBound = 0.25L;

/// The coefficients a_0 = 1, a_k = a_(k-1) ratio(k).
template <class Ratio> Series makeSeries(Ratio ratio) {
  Series a;
  a[0] = 1;
  for (int k = 1; k < kTerms; ++k)
    a[k] = a[k - 1] * ratio(static_cast<long double>(k));
  return a;
}

Series getSeries(EvenFn fn) {
  using L = long double;
  switch (fn) {
  case EvenFn::sinhc:
    return makeSeries([](L k) { return 1 / ((2 * k) * (2 * k + 1)); });
  case EvenFn::coshq:
    return makeSeries([](L k) { return 1 / ((2 * k - 1) * (2 * k)); });
  case EvenFn::sinc:
    return makeSeries([](L k) { return -1 / ((2 * k) * (2 * k + 1)); });
  case EvenFn::cosq:
    return makeSeries([](L k) { return -1 / ((2 * k - 1) * (2 * k)); });
  case EvenFn::artanhc:
    return makeSeries([](L k) { return (2 * k - 1) / (2 * k + 1); });
  case EvenFn::asinc:
    return makeSeries(
        [](L k) { return (2 * k - 1) * (2 * k - 1) / (2 * k * (2 * k + 1)); });
  case EvenFn::asinhc:
    return makeSeries(
        [](L k) { return -(2 * k - 1) * (2 * k - 1) / (2 * k * (2 * k + 1)); });
  case EvenFn::tanhc: {
    // The quotient of the series of sinhc and coshq.
    Series s = getSeries(EvenFn::sinhc), c = getSeries(EvenFn::coshq), t;
    for (int k = 0; k < kTerms; ++k) {
      t[k] = s[k];
      for (int j = 1; j <= k; ++j)
        t[k] -= c[j] * t[k - j];
    }
    return t;
  }
  }
  return {};
}

/// The derivative of the series, term by term, by Horner's rule.
long double evaluateSeries(EvenFn fn, long double z, int order) {
  Series a = getSeries(fn);
  long double sum = 0;
  for (int k = kTerms - 1; k >= order; --k) {
    long double factor = 1;
    for (int j = 0; j < order; ++j)
      factor *= k - j;
    sum = sum * z + factor * a[k];
  }
  return sum;
}

/// F(n) / n, or coshq and cosq themselves; for z < 0 with n imaginary.
long double evaluateClosed(EvenFn fn, long double z) {
  bool isMirrored = z < 0;
  long double n = std::sqrt(std::fabs(z));
  switch (fn) {
  case EvenFn::tanhc:
    return (isMirrored ? std::tan(n) : std::tanh(n)) / n;
  case EvenFn::artanhc:
    return (isMirrored ? std::atan(n) : std::atanh(n)) / n;
  case EvenFn::asinhc:
    return (isMirrored ? std::asin(n) : std::asinh(n)) / n;
  case EvenFn::sinhc:
    return (isMirrored ? std::sin(n) : std::sinh(n)) / n;
  case EvenFn::coshq:
    return isMirrored ? std::cos(n) : std::cosh(n);
  case EvenFn::sinc:
    return (isMirrored ? std::sinh(n) : std::sin(n)) / n;
  case EvenFn::cosq:
    return isMirrored ? std::cosh(n) : std::cos(n);
  case EvenFn::asinc:
    return (isMirrored ? std::asinh(n) : std::asin(n)) / n;
  }
  return NAN;
}

/// F'(n) as a function of z, and its derivative in z, for f = F(n) / n.
std::pair<long double, long double> evaluateSlope(EvenFn fn, long double z) {
  switch (fn) {
  case EvenFn::tanhc: {
    long double f = evaluateClosed(fn, z);
    long double g = 1 - z * f * f;
    return {g, -f * f - f * (g - f)}; // 2 z f' = g - f
  }
  case EvenFn::artanhc:
    return {1 / (1 - z), 1 / ((1 - z) * (1 - z))};
  case EvenFn::asinhc:
    return {1 / std::sqrt(1 + z), -0.5L / ((1 + z) * std::sqrt(1 + z))};
  case EvenFn::asinc:
    return {1 / std::sqrt(1 - z), 0.5L / ((1 - z) * std::sqrt(1 - z))};
  case EvenFn::sinhc:
    return {evaluateClosed(EvenFn::coshq, z), evaluateClosed(fn, z) / 2};
  case EvenFn::sinc:
    return {evaluateClosed(EvenFn::cosq, z), -evaluateClosed(fn, z) / 2};
  case EvenFn::coshq:
  case EvenFn::cosq:
    break; // They are not of this form.
  }
  return {NAN, NAN};
}

} // namespace

long double geo::evaluateEven(EvenFn fn, long double z, int order) {
  if (std::fabs(z) < kSeriesBound)
    return evaluateSeries(fn, z, order);
  if (order == 0)
    return evaluateClosed(fn, z);
  if (fn == EvenFn::coshq)
    return evaluateEven(EvenFn::sinhc, z, order - 1) / 2;
  if (fn == EvenFn::cosq)
    return -evaluateEven(EvenFn::sinc, z, order - 1) / 2;
  // From n f = F and dn/dz = 1 / (2 n): f' = (g - f) / (2 z) with g = F'(n),
  // and once more f'' = (g' - 3 f') / (2 z).
  auto [g, slope] = evaluateSlope(fn, z);
  long double first = (g - evaluateClosed(fn, z)) / (2 * z);
  return order == 1 ? first : (slope - 3 * first) / (2 * z);
}
