// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendentals on vectors of f32 against long double, in units in the last
// place, over all magnitudes.
#include "test/lowering/Harness.h"

#include <cmath>
#include <limits>

using namespace geo;
using namespace geo::test;

namespace {

const char *module = R"mlir(
func.func @exp(%X: tensor<?x37xf32>) -> tensor<?x37xf32> {
  %r = geo.rowwise rows(%x = %X : tensor<?x37xf32>) {
    %y = math.exp %x : vector<37xf32>
    geo.yield %y : vector<37xf32>
  } -> (tensor<?x37xf32>)
  return %r : tensor<?x37xf32>
}
func.func @tanh(%X: tensor<?x37xf32>) -> tensor<?x37xf32> {
  %r = geo.rowwise rows(%x = %X : tensor<?x37xf32>) {
    %y = math.tanh %x : vector<37xf32>
    geo.yield %y : vector<37xf32>
  } -> (tensor<?x37xf32>)
  return %r : tensor<?x37xf32>
}
func.func @asinhc(%X: tensor<?x37xf32>) -> (tensor<?x37xf32>, tensor<?x37xf32>) {
  %r:2 = geo.rowwise rows(%x = %X : tensor<?x37xf32>) {
    %y = geo.even asinhc %x : vector<37xf32>
    %z = geo.even asinhc %x {order = 1 : i64} : vector<37xf32>
    geo.yield %y, %z : vector<37xf32>, vector<37xf32>
  } -> (tensor<?x37xf32>, tensor<?x37xf32>)
  return %r#0, %r#1 : tensor<?x37xf32>, tensor<?x37xf32>
})mlir";

class CpuMath : public testing::TestWithParam<const char *> {
protected:
  CpuMath() : program(module, Target::cpu, "", GetParam()) {}
  Program program;

  /// Log-uniform magnitudes in [low, high], of both signs if `isSigned`, and
  /// special values.
  static Array<float> samples(double low, double high, bool isSigned) {
    Array<float> x({500, 37});
    fill(x, std::log(low), std::log(high), 1);
    for (size_t i = 0; i < x.data.size(); ++i)
      x.data[i] = std::exp(x.data[i]) * (isSigned && i % 2 ? -1 : 1);
    return x;
  }

  void check(const char *name, Array<float> x,
             long double (*reference)(long double), double limit) {
    ASSERT_TRUE(program) << program.errors;
    Array<float> y(x.shape);
    program(name, x, y);
    double worst = 0;
    for (size_t i = 0; i < x.data.size(); ++i) {
      double error = ulps(y.data[i], reference(x.data[i]));
      ASSERT_LE(error, limit)
          << name << ' ' << x.data[i] << " gives " << y.data[i];
      worst = std::max(worst, error);
    }
    RecordProperty(name, std::to_string(worst));
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, CpuMath, testing::Values("avx2", ""),
                         [](const auto &info) {
                           return *info.param ? info.param : "host";
                         });

TEST_P(CpuMath, Exp) {
  Array<float> x = samples(1e-6, 110, true);
  float special[] = {0,       -0.0f,  INFINITY, -INFINITY, NAN,
                     88.722f, 88.73f, -87.4f,   -103.9f,   -104.1f,
                     1e-40f,  1e30f,  -1e30f};
  std::copy(std::begin(special), std::end(special), x.data.begin());
  check("exp", x, [](long double v) { return std::exp(v); }, 2);
}

TEST_P(CpuMath, Tanh) {
  Array<float> x = samples(1e-12, 30, true);
  float special[] = {0, INFINITY, -INFINITY, NAN, 0.625f, -0.62499f, 1e-42f};
  std::copy(std::begin(special), std::end(special), x.data.begin());
  check("tanh", x, [](long double v) { return std::tanh(v); }, 3);
  Array<float> zero({1, 37}, -0.0f), y({1, 37});
  program("tanh", zero, y);
  EXPECT_TRUE(std::signbit(y(0, 0)));
}

TEST_P(CpuMath, Asinhc) {
  ASSERT_TRUE(program) << program.errors;
  Array<float> x = samples(1e-20, 1e12, false);
  float special[] = {0, 1e-38f, 1e-30f, 0.5f, 0.49999f, 1, 3e-5f};
  std::copy(std::begin(special), std::end(special), x.data.begin());
  Array<float> y(x.shape), z(x.shape);
  program("asinhc", x, y, z);
  for (size_t i = 0; i < x.data.size(); ++i) {
    long double s = x.data[i], n = std::sqrt(s);
    long double f = s < 1e-8L ? 1 - s / 6 : std::asinh(n) / n;
    long double df = s < 1e-5L ? -1 / 6.0L + 3 * s / 20
                               : (1 / std::sqrt(1 + s) - f) / (2 * s);
    ASSERT_LE(ulps(y.data[i], f), 6) << x.data[i];
    ASSERT_LE(ulps(z.data[i], df), 16) << x.data[i];
  }
}

} // namespace
