// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The approximate instructions of the PTX ISA. Where the ISA says what comes
// out (float64), or allows an error that a kernel could stumble over, that is
// what comes out here; otherwise the nearest float32.
#include "runtime/simt/Calls.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace {

template <class T> T flush(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T(0), x) : x;
}

/// The more significant word of a double: 20 bits of the mantissa are left.
double upperWord(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, 8);
  bits &= ~uint64_t(0xffffffff);
  std::memcpy(&x, &bits, 8);
  return x;
}

float toFloat(double x) { return static_cast<float>(x); }

/// Rounds to a multiple of 2^-bits.
double toMultiple(double x, int bits) {
  return std::ldexp(std::nearbyint(std::ldexp(x, bits)), -bits);
}

} // namespace

extern "C" {

float geo_simt_rcp_f32(float x) { return toFloat(1.0 / double(x)); }
float geo_simt_rcp_ftz_f32(float x) {
  return flush(geo_simt_rcp_f32(flush(x)));
}
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 work on the upper words.
double geo_simt_rcp_ftz_f64(double x) {
  return flush(upperWord(1.0 / flush(upperWord(x))));
}
double geo_simt_rsqrt_ftz_f64(double x) {
  return flush(upperWord(1.0 / std::sqrt(flush(upperWord(x)))));
}
// Maximum relative error 2^-28.
double geo_simt_rsqrt_f64(double x) {
  double y = 1.0 / std::sqrt(x);
  int exponent = 0;
  if (!std::isfinite(y) || y == 0)
    return y;
  double mantissa = std::frexp(y, &exponent);
  return std::ldexp(toMultiple(mantissa, 29), exponent);
}
// Maximum error 2 ulp: here it is 1, away from what is exact.
float geo_simt_div_full_f32(float x, float y) {
  float q = x / y;
  if (!std::isnormal(q) || std::fma(double(q), double(y), -double(x)) == 0)
    return q;
  return std::nextafter(q, std::numeric_limits<float>::infinity());
}
float geo_simt_rsqrt_f32(float x) {
  return toFloat(1.0 / std::sqrt(double(x)));
}
float geo_simt_rsqrt_ftz_f32(float x) {
  return flush(geo_simt_rsqrt_f32(flush(x)));
}
float geo_simt_sqrt_f32(float x) { return std::sqrt(x); }
float geo_simt_sqrt_ftz_f32(float x) { return flush(std::sqrt(flush(x))); }
float geo_simt_ex2_f32(float x) { return toFloat(std::exp2(double(x))); }
float geo_simt_ex2_ftz_f32(float x) {
  return flush(geo_simt_ex2_f32(flush(x)));
}
// Absolute error 2^-22 for arguments in (0.5, 2): no logarithm of 1 + x.
float geo_simt_lg2_f32(float x) {
  double y = std::log2(double(x));
  return std::abs(y) < 1 ? toFloat(toMultiple(y, 22)) : toFloat(y);
}
float geo_simt_lg2_ftz_f32(float x) { return geo_simt_lg2_f32(flush(x)); }
// Absolute error 2^-20.5 within a turn.
float geo_simt_sin_f32(float x) {
  return toFloat(toMultiple(std::sin(double(x)), 20));
}
float geo_simt_cos_f32(float x) {
  return toFloat(toMultiple(std::cos(double(x)), 20));
}
// Relative error 2^-11.
float geo_simt_tanh_f32(float x) {
  int exponent = 0;
  double mantissa = std::frexp(std::tanh(double(x)), &exponent);
  return toFloat(std::ldexp(toMultiple(mantissa, 11), exponent));
}
}
