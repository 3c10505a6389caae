// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair programs as kernels, run on the host under all checks of the simt
// machine, against scalar loops in f64.
#include "test/lowering/cpu/PairHarness.h"

using namespace geo;
using namespace geo::test;

namespace {

class GpuPairs : public testing::TestWithParam<int> {
protected:
  /// Both directions, and the fused form, which gives the same bits twice.
  template <class T>
  void check(const std::string &math, const std::string &rows, double value,
             double gradientValue) {
    int64_t d = GetParam();
    Program exact(makeModule("f64", d, rows), Target::loops);
    ASSERT_TRUE(exact) << exact.errors;
    Program kernels(makeModule(math, d, rows), Target::simt);
    ASSERT_TRUE(kernels) << kernels.errors;
    int64_t sizes[][2] = {{0, 5}, {1, 1}, {7, 33}, {70, 131}};
    for (auto [n, v] : sizes)
      for (std::string reducer : {"none", "softmax", "nll"}) {
        Inputs<T> in(n, v, d);
        std::string run = reducer + " " + std::to_string(n) + "x" +
                          std::to_string(v) + "x" + std::to_string(d);
        Outputs<T> want, wantGradient, got, gradient, again;
        forward(exact, reducer, in, want);
        if (reducer != "none")
          in.lse = want.doubles.back();
        backward(exact, reducer, in, wantGradient);
        forward(kernels, reducer, in, got);
        expectNear(got, want, value, value, run);
        backward(kernels, reducer, in, gradient);
        expectNear(gradient, wantGradient, gradientValue, gradientValue,
                   run + " gradient");
        backward(kernels, reducer, in, again);
        EXPECT_TRUE(areEqual(gradient, again)) << run;
        if (reducer == "nll")
          checkFused(kernels, in, want, wantGradient, gradientValue,
                     gradientValue, run);
      }
  }
};
INSTANTIATE_TEST_SUITE_P(RowLength, GpuPairs, testing::Values(1, 131));

TEST_P(GpuPairs, AgreeWithLoops) { check<float>("f32", "f32", 2e-6, 1e-5); }

TEST_P(GpuPairs, WideAgreeWithLoops) {
  check<double>("f64", "f64", 1e-13, 1e-12);
}

} // namespace
