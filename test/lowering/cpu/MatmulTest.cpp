// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of many shapes: every way to split them, and every remainder.
#include "test/lowering/Harness.h"

#include "runtime/Threads.h"
#include <cmath>
#include <cstring>

using namespace geo;
using namespace geo::test;

namespace {

struct Shape {
  int64_t m, n, k;
};

std::string size(int64_t n, bool isStatic) {
  return isStatic ? std::to_string(n) : "?";
}

/// @f for one shape, with static sizes or dynamic ones.
std::string makeModule(Shape s, bool ta, bool tb, bool isStatic,
                       const std::string &type) {
  auto tensor = [&](int64_t a, int64_t b, bool transposed) {
    if (transposed)
      std::swap(a, b);
    return "tensor<" + size(a, isStatic) + "x" + size(b, isStatic) + "x" +
           type + ">";
  };
  std::string a = tensor(s.m, s.k, ta), b = tensor(s.k, s.n, tb),
              c = tensor(s.m, s.n, false);
  return "func.func @f(%A: " + a + ", %B: " + b + ") -> " + c +
         " {\n%C = geo.matmul %A, %B" + (ta ? " transpose_a" : "") +
         (tb ? " transpose_b" : "") + " : " + a + ", " + b + " -> " + c +
         "\nreturn %C : " + c + "\n}\n";
}

template <class T>
void run(Program &program, Shape s, bool ta, bool tb, double tolerance) {
  ASSERT_TRUE(program) << program.errors;
  Array<T> A(ta ? std::vector<int64_t>{s.k, s.m}
                : std::vector<int64_t>{s.m, s.k}),
      B(tb ? std::vector<int64_t>{s.n, s.k} : std::vector<int64_t>{s.k, s.n});
  fill(A, -1, 1, 1);
  fill(B, -1, 1, 2);
  Array<double> want({s.m, s.n});
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t p = 0; p < s.k; ++p)
      for (int64_t j = 0; j < s.n; ++j)
        want(i, j) += static_cast<double>(ta ? A(p, i) : A(i, p)) *
                      (tb ? B(j, p) : B(p, j));
  for (int threads : {1, 2, 3}) {
    rt::setNumThreads(threads);
    Array<T> C({s.m, s.n}, NAN), again({s.m, s.n}, NAN);
    program("f", A, B, C);
    for (size_t i = 0; i < C.data.size(); ++i)
      ASSERT_NEAR(C.data[i], want.data[i],
                  tolerance * std::sqrt(static_cast<double>(s.k) + 1))
          << s.m << 'x' << s.n << 'x' << s.k << " at " << i << " on "
          << threads;
    program("f", A, B, again);
    if (!C.data.empty())
      EXPECT_EQ(std::memcmp(C.data.data(), again.data.data(),
                            C.data.size() * sizeof(T)),
                0);
  }
  rt::setNumThreads(0);
}

// Flags: 1 transposes a, 2 transposes b, 4 makes sizes static.
class CpuMatmul : public testing::TestWithParam<std::tuple<int, const char *>> {
protected:
  bool ta() { return std::get<0>(GetParam()) & 1; }
  bool tb() { return std::get<0>(GetParam()) & 2; }
  bool isStatic() { return std::get<0>(GetParam()) & 4; }
  const char *machine() { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Flags, CpuMatmul,
                         testing::Combine(testing::Range(0, 8),
                                          testing::Values("avx2", "")));

TEST_P(CpuMatmul, AgreesWithDouble) {
  Shape shapes[] = {{1, 1, 1},    {7, 33, 5}, {3, 130, 97},  {70, 1, 8},
                    {129, 65, 0}, {0, 5, 3},  {33, 40, 1100}};
  if (!isStatic()) {
    Program program(makeModule({}, ta(), tb(), false, "f32"), Target::cpu, "",
                    machine());
    for (Shape s : shapes)
      run<float>(program, s, ta(), tb(), 1e-6);
    return;
  }
  for (Shape s : {shapes[1], shapes[2], shapes[6]}) {
    Program program(makeModule(s, ta(), tb(), true, "f32"), Target::cpu, "",
                    machine());
    run<float>(program, s, ta(), tb(), 1e-6);
  }
}

TEST_P(CpuMatmul, TakesF64) {
  Shape shape = {37, 21, 50};
  Program program(makeModule(shape, ta(), tb(), isStatic(), "f64"), Target::cpu,
                  "", machine());
  run<double>(program, shape, ta(), tb(), 2e-15);
}

} // namespace
