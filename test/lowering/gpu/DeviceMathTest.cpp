// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divisions, roots and functions of kernels, against long double: ordinary
// numbers, and those where a reciprocal or a remainder would leave the normal
// ones.
#include "test/lowering/Harness.h"
#include <functional>

using namespace geo;
using namespace geo::test;

namespace {

using Reference = std::function<long double(long double, long double)>;

template <class T> std::vector<T> makeNumbers() {
  constexpr T big = std::numeric_limits<T>::max(),
              small = std::numeric_limits<T>::min(),
              inf = std::numeric_limits<T>::infinity();
  std::vector<T> numbers = {
      0,    -T(0), 1,   -1,   big,
      -big, small, inf, -inf, std::numeric_limits<T>::quiet_NaN()};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(1, 2);
  int most = std::numeric_limits<T>::max_exponent - 2;
  for (int e : {-most, -most / 2, -20, -1, 0, 1, 3, 20, most / 2, most})
    for (int sign : {-1, 1})
      numbers.push_back(T(std::ldexp(sign * mantissa(random), e)));
  return numbers;
}

/// ulps of all pairs of numbers whose result is normal, 0, infinite or NaN.
template <class T>
void check(const std::string &type, const std::string &op, bool isBinary,
           const Reference &reference, double ulps,
           double size = std::numeric_limits<double>::infinity()) {
  std::string module =
      "func.func @f(%X: tensor<?x4x" + type + ">, %Y: tensor<?x4x" + type +
      ">) -> tensor<?x4x" + type +
      "> {\n  %z = geo.rowwise rows(%x = %X : " + "tensor<?x4x" + type +
      ">, %y = %Y : tensor<?x4x" + type + ">) {\n" + "    %r = " + op + " %x" +
      (isBinary ? ", %y" : "") + " : vector<4x" + type +
      ">\n    geo.yield %r : vector<4x" + type + ">\n  } -> (tensor<?x4x" +
      type + ">)\n  return %z : tensor<?x4x" + type + ">\n}\n";
  Program program(module, Target::simt);
  ASSERT_TRUE(program) << program.errors;
  std::vector<T> numbers = makeNumbers<T>();
  auto count = static_cast<int64_t>(numbers.size());
  int64_t rows = (count * count + 3) / 4;
  Array<T> x({rows, 4}, 1), y({rows, 4}, 1), z({rows, 4}, NAN);
  for (int64_t i = 0; i < count * count; ++i) {
    x.data[i] = numbers[i / count];
    y.data[i] = numbers[i % count];
  }
  program("f", x, y, z);
  for (size_t i = 0; i < z.data.size(); ++i) {
    if (std::fabs(double(x.data[i])) > size)
      continue;
    long double exact = reference(x.data[i], y.data[i]);
    auto want = static_cast<T>(exact);
    bool isSubnormal =
        want != 0 && std::fabs(want) < 2 * std::numeric_limits<T>::min();
    if (isSubnormal || (want == 0 && exact != 0))
      continue;
    if (std::isnan(want) || std::isinf(want) || want == 0) {
      EXPECT_TRUE(std::isnan(want) ? std::isnan(z.data[i]) : z.data[i] == want)
          << op << ' ' << type << " of " << x.data[i] << ", " << y.data[i]
          << ": " << z.data[i] << ", expected " << want;
      continue;
    }
    long double unit = std::fabs(std::nexttoward(want, 1e300L * want) - want);
    EXPECT_LE(std::fabs(z.data[i] - exact) / unit, ulps)
        << op << ' ' << type << " of " << x.data[i] << ", " << y.data[i] << ": "
        << z.data[i] << ", expected " << want;
  }
}

auto unary(long double (*function)(long double)) {
  return [=](long double x, long double) { return function(x); };
}

TEST(DeviceMath, DividesAndTakesRoots) {
  auto divide = [](long double x, long double y) { return x / y; };
  check<float>("f32", "arith.divf", true, divide, 2);
  check<double>("f64", "arith.divf", true, divide, 2);
  check<float>("f32", "math.sqrt", false, unary(std::sqrt), 2);
  check<double>("f64", "math.sqrt", false, unary(std::sqrt), 2);
}

TEST(DeviceMath, Functions) {
  check<float>("f32", "math.exp", false, unary(std::exp), 2);
  check<double>("f64", "math.exp", false, unary(std::exp), 2);
  check<float>("f32", "math.tanh", false, unary(std::tanh), 3);
  check<double>("f64", "math.tanh", false, unary(std::tanh), 3);
  check<float>("f32", "math.log", false, unary(std::log), 2);
  check<double>("f64", "math.log", false, unary(std::log), 2);
  check<float>("f32", "math.log1p", false, unary(std::log1p), 2);
  check<double>("f64", "math.log1p", false, unary(std::log1p), 2);
  check<float>("f32", "math.sin", false, unary(std::sin), 2, 100);
  check<float>("f32", "math.cos", false, unary(std::cos), 2, 100);
}

} // namespace
