// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendentals on vectors of f64 against long double, in units in the last
// place, over all magnitudes.
#include "test/lowering/Harness.h"

#include <cmath>
#include <limits>

using namespace geo;
using namespace geo::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string makeModule() {
  std::string text;
  for (const char *op : {"exp", "log", "log1p", "tanh"})
    text += std::string("func.func @") + op +
            R"mlir((%X: tensor<?x37xf64>) -> tensor<?x37xf64> {
  %r = geo.rowwise rows(%x = %X : tensor<?x37xf64>) {
    %y = math.)mlir" +
            op + R"mlir( %x : vector<37xf64>
    geo.yield %y : vector<37xf64>
  } -> (tensor<?x37xf64>)
  return %r : tensor<?x37xf64>
}
)mlir";
  return text;
}

class CpuWideMath : public testing::TestWithParam<const char *> {
protected:
  CpuWideMath() : program(makeModule(), Target::cpu, "", GetParam()) {}
  Program program;

  /// Log-uniform magnitudes in [low, high], of both signs if `isSigned`, and
  /// special values.
  void check(const char *name, double low, double high, bool isSigned,
             std::vector<double> special, long double (*reference)(long double),
             double limit) {
    ASSERT_TRUE(program) << program.errors;
    Array<double> x({2000, 37}), y({2000, 37}, NAN);
    fill(x, std::log(low), std::log(high), 1);
    for (size_t i = 0; i < x.data.size(); ++i)
      x.data[i] = std::exp(x.data[i]) * (isSigned && i % 2 ? -1 : 1);
    for (double v : {0.0, -0.0, infinity, -infinity, double(NAN), 5e-324,
                     -5e-324, 1e-310, 1.0, -1.0, 1e300, -1e300})
      special.push_back(v);
    std::copy(special.begin(), special.end(), x.data.begin());
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

INSTANTIATE_TEST_SUITE_P(Machines, CpuWideMath, testing::Values("avx2", ""),
                         [](const auto &info) {
                           return *info.param ? info.param : "host";
                         });

TEST_P(CpuWideMath, Exp) {
  check(
      "exp", 1e-17, 760, true,
      {709.782712893384, 709.7827128933841, -708.4, -745.13, -745.14, -746.5},
      [](long double v) { return std::exp(v); }, 2);
}

TEST_P(CpuWideMath, Log) {
  auto log = [](long double v) { return std::log(v); };
  check("log", 1e-307, 1e308, false,
        {0.70710678118654746, 0.70710678118654757, 1.4142135623730949,
         1.4142135623730951, 0.99999999999999989, 1.0000000000000002},
        log, 2);
  check("log", 0.3, 3, false, {}, log, 2);
}

TEST_P(CpuWideMath, Log1p) {
  auto log1p = [](long double v) { return std::log1p(v); };
  check("log1p", 1e-300, 1e308, false,
        {0.41421356237309503, 0.41421356237309515, -0.29289321881345243,
         -0.29289321881345254, -0.99999999999999989, -1.0000000000000002},
        log1p, 2);
  check("log1p", 1e-6, 0.999999, true, {}, log1p, 2);
}

TEST_P(CpuWideMath, Tanh) {
  check(
      "tanh", 1e-300, 40, true, {0.625, -0.62499999999999989, 22, 1e-200},
      [](long double v) { return std::tanh(v); }, 3);
  Array<double> zero({1, 37}, -0.0), y({1, 37});
  program("tanh", zero, y);
  EXPECT_TRUE(std::signbit(y(0, 0)));
}

} // namespace
