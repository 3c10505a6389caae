// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every function of math that a program may hold, on rows and numbers of both
// types and on both targets: a lowering that forgets one leaves it illegal, or
// a call that no library answers.
#include "test/lowering/Harness.h"

using namespace geo;
using namespace geo::test;

namespace {

struct Function {
  const char *name;
  long double (*reference)(long double);
  double low, high;
};
const Function functions[] = {
    {"exp", [](long double x) { return std::exp(x); }, -9, 9},
    {"log", [](long double x) { return std::log(x); }, 1e-3, 9},
    {"log1p", [](long double x) { return std::log1p(x); }, -0.9, 9},
    {"sqrt", [](long double x) { return std::sqrt(x); }, 0, 9},
    {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1e-3, 9},
    {"tanh", [](long double x) { return std::tanh(x); }, -9, 9},
    {"sin", [](long double x) { return std::sin(x); }, -3, 3},
    {"cos", [](long double x) { return std::cos(x); }, -3, 3},
    {"asin", [](long double x) { return std::asin(x); }, -1, 1},
};

std::string makeModule(const Function &f, const std::string &type) {
  std::string rows = "tensor<?x37x" + type + ">";
  std::string numbers = "tensor<?x" + type + ">";
  std::string op = std::string("math.") + f.name;
  return "func.func @f(%X: " + rows + ", %U: " + numbers + ") -> (" + rows +
         ", " + numbers + ") {\n  %r:2 = geo.rowwise rows(%x = %X : " + rows +
         ", %u = %U : " + numbers + ") {\n    %y = " + op + " %x : vector<37x" +
         type + ">\n    %v = " + op + " %u : " + type +
         "\n    geo.yield %y, %v : vector<37x" + type + ">, " + type +
         "\n  } -> (" + rows + ", " + numbers +
         ")\n  return %r#0, %r#1 : " + rows + ", " + numbers + "\n}\n";
}

template <class T> void check(const Function &f, Target target) {
  Program program(makeModule(f, sizeof(T) == 4 ? "f32" : "f64"), target);
  ASSERT_TRUE(program) << program.errors;
  Array<T> x({40, 37}), y(x.shape, NAN), u({40}), v(u.shape, NAN);
  fill(x, f.low, f.high, 1);
  fill(u, f.low, f.high, 2);
  program("f", x, u, y, v);
  for (size_t i = 0; i < x.data.size(); ++i)
    ASSERT_LE(ulps(y.data[i], f.reference(x.data[i])), 3) << x.data[i];
  for (size_t i = 0; i < u.data.size(); ++i)
    ASSERT_LE(ulps(v.data[i], f.reference(u.data[i])), 3) << u.data[i];
}

class Math : public testing::TestWithParam<std::tuple<Function, Target>> {};

INSTANTIATE_TEST_SUITE_P(
    Functions, Math,
    testing::Combine(testing::ValuesIn(functions),
                     testing::Values(Target::loops, Target::cpu)),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) +
             (std::get<1>(info.param) == Target::cpu ? "_cpu" : "_loops");
    });

TEST_P(Math, IsLoweredForBothTypes) {
  auto [f, target] = GetParam();
  check<float>(f, target);
  check<double>(f, target);
}

} // namespace
