// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products as kernels, run on the host under all checks of the simt
// machine, against long double: remainders in every dimension, sums that
// several blocks share.
#include "test/lowering/Harness.h"

using namespace geo;
using namespace geo::test;

namespace {

class GpuMatmul : public testing::TestWithParam<std::tuple<bool, bool>> {
protected:
  bool transposeA() { return std::get<0>(GetParam()); }
  bool transposeB() { return std::get<1>(GetParam()); }

  std::string makeModule(const std::string &type) {
    std::string tensor = "tensor<?x?x" + type + ">";
    return "func.func @product(%a: " + tensor + ", %b: " + tensor + ") -> " +
           tensor + " {\n  %c = geo.matmul %a, %b" +
           (transposeA() ? " transpose_a" : "") +
           (transposeB() ? " transpose_b" : "") + " : " + tensor + ", " +
           tensor + " -> " + tensor + "\n  return %c : " + tensor + "\n}\n";
  }

  template <class T> void check(const std::string &type, double tolerance) {
    Program program(makeModule(type), Target::simt);
    ASSERT_TRUE(program) << program.errors;
    int64_t sizes[][3] = {{0, 3, 5},    {3, 0, 5},   {3, 5, 0},
                          {1, 1, 1},    {5, 7, 3},   {64, 64, 64},
                          {65, 33, 66}, {7, 700, 9}, {130, 129, 2}};
    for (auto [m, k, n] : sizes) {
      Array<T> a(transposeA() ? std::vector{k, m} : std::vector{m, k});
      Array<T> b(transposeB() ? std::vector{n, k} : std::vector{k, n});
      Array<T> c({m, n}, NAN);
      fill(a, -1, 1, 5);
      fill(b, -1, 1, 6);
      program("product", a, b, c);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          long double sum = 0, size = 0;
          for (int64_t p = 0; p < k; ++p) {
            long double term =
                static_cast<long double>(transposeA() ? a(p, i) : a(i, p)) *
                (transposeB() ? b(j, p) : b(p, j));
            sum += term;
            size += std::fabs(term);
          }
          EXPECT_NEAR(c(i, j), sum, tolerance * size)
              << m << 'x' << k << 'x' << n << " at " << i << ", " << j;
        }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Transposes, GpuMatmul,
                         testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(GpuMatmul, IsRight) { check<float>("f32", 6e-7); }

TEST_P(GpuMatmul, WideIsRight) { check<double>("f64", 1e-15); }

} // namespace
