// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair programs on vectors and threads against scalar loops in f64.
#include "test/lowering/cpu/PairHarness.h"

#include "runtime/Skipping.h"
#include "runtime/Threads.h"

using namespace geo;
using namespace geo::test;

namespace {

class CpuPairs : public testing::TestWithParam<int> {
protected:
  void TearDown() override { rt::setNumThreads(0); }
};
INSTANTIATE_TEST_SUITE_P(RowLength, CpuPairs,
                         testing::Values(1, 3, 8, 97, 131));

TEST_P(CpuPairs, AgreeWithLoops) {
  int64_t d = GetParam();
  Program exact(makeModule("f64", d), Target::loops);
  ASSERT_TRUE(exact) << exact.errors;
  Program fast(makeModule("f32", d), Target::cpu);
  ASSERT_TRUE(fast) << fast.errors;
  Program narrow(makeModule("f32", d), Target::cpu, "", "avx2");
  ASSERT_TRUE(narrow) << narrow.errors;
  Program accurate(makeModule("f64", d), Target::cpu);
  ASSERT_TRUE(accurate) << accurate.errors;
  int64_t sizes[][2] = {{0, 5}, {1, 1}, {7, 33}, {70, 131}, {301, 400}};
  for (auto [n, v] : sizes)
    for (std::string reducer : {"none", "softmax", "nll"}) {
      Inputs<float> in(n, v, d);
      std::string what = reducer + " " + std::to_string(n) + "x" +
                         std::to_string(v) + "x" + std::to_string(d);
      Outputs<float> want, wantGradient;
      forward(exact, reducer, in, want);
      if (reducer != "none")
        in.lse = want.doubles.back();
      backward(exact, reducer, in, wantGradient);
      for (int threads : {1, 2, 3}) {
        rt::setNumThreads(threads);
        std::string run = what + " on " + std::to_string(threads);
        Outputs<float> got, again, gradient, gradientAgain;
        forward(fast, reducer, in, got);
        expectNear(got, want, 2e-6, 2e-6, run);
        backward(fast, reducer, in, gradient);
        expectNear(gradient, wantGradient, 1e-5, 1e-5, run + " gradient");
        forward(fast, reducer, in, again);
        backward(fast, reducer, in, gradientAgain);
        EXPECT_TRUE(areEqual(got, again)) << run;
        EXPECT_TRUE(areEqual(gradient, gradientAgain)) << run;
        bool isNll = reducer == "nll";
        if (isNll)
          checkFused(fast, in, want, wantGradient, 1e-5, 1e-5, run);
        if (n > 70)
          continue;
        Outputs<float> onAvx2, gradientOnAvx2;
        forward(narrow, reducer, in, onAvx2);
        expectNear(onAvx2, want, 2e-6, 2e-6, run + " avx2");
        backward(narrow, reducer, in, gradientOnAvx2);
        expectNear(gradientOnAvx2, wantGradient, 1e-5, 1e-5,
                   run + " avx2 gradient");
        if (isNll)
          checkFused(narrow, in, want, wantGradient, 1e-5, 1e-5, run + " avx2");
        Outputs<float> close, closeGradient;
        forward(accurate, reducer, in, close);
        expectNear(close, want, 1e-7, 1e-13, run + " f64");
        backward(accurate, reducer, in, closeGradient);
        expectNear(closeGradient, wantGradient, 1e-7, 1e-12,
                   run + " f64 gradient");
        if (isNll)
          checkFused(accurate, in, want, wantGradient, 1e-7, 1e-12,
                     run + " f64");
      }
    }
}

TEST_P(CpuPairs, WideAgreeWithLoops) {
  int64_t d = GetParam();
  Program exact(makeModule("f64", d, "f64"), Target::loops);
  ASSERT_TRUE(exact) << exact.errors;
  Program host(makeModule("f64", d, "f64"), Target::cpu);
  ASSERT_TRUE(host) << host.errors;
  Program narrow(makeModule("f64", d, "f64"), Target::cpu, "", "avx2");
  ASSERT_TRUE(narrow) << narrow.errors;
  int64_t sizes[][2] = {{0, 5}, {1, 1}, {7, 33}, {70, 131}};
  for (auto [n, v] : sizes)
    for (std::string reducer : {"none", "softmax", "nll"}) {
      Inputs<double> in(n, v, d);
      std::string what = reducer + " " + std::to_string(n) + "x" +
                         std::to_string(v) + "x" + std::to_string(d);
      Outputs<double> want, wantGradient;
      forward(exact, reducer, in, want);
      if (reducer != "none")
        in.lse = want.doubles.back();
      backward(exact, reducer, in, wantGradient);
      for (int threads : {1, 3})
        for (Program *program : {&host, &narrow}) {
          rt::setNumThreads(threads);
          std::string run = what + " on " + std::to_string(threads);
          Outputs<double> got, gradient;
          forward(*program, reducer, in, got);
          expectNear(got, want, 1e-13, 1e-13, run);
          backward(*program, reducer, in, gradient);
          expectNear(gradient, wantGradient, 1e-12, 1e-12, run + " gradient");
          if (reducer == "nll")
            checkFused(*program, in, want, wantGradient, 1e-12, 1e-12, run);
        }
    }
}

class CpuSkips : public CpuPairs {};
INSTANTIATE_TEST_SUITE_P(RowLength, CpuSkips, testing::Values(8, 97));

/// Columns far from most rows: tiles without a pair that counts are left out,
/// and no bit tells.
TEST_P(CpuSkips, ChangeNothing) {
  int64_t d = GetParam();
  Program exact(makeModule("f64", d), Target::loops);
  ASSERT_TRUE(exact) << exact.errors;
  for (std::string math : {"f32", "f64"})
    for (std::string kind : {"", "avx2"}) {
      if (math == "f64" && !kind.empty())
        continue;
      Program program(makeModule(math, d), Target::cpu, "", kind);
      ASSERT_TRUE(program) << program.errors;
      Inputs<float> in(70, 131, d);
      in.tau = 0.004;
      // Rows near the targets, which lie in few panels.
      for (int64_t i = 0; i < 70; ++i) {
        in.ids(i) = static_cast<int32_t>(i % 5);
        in.U(i) = 1;
        for (int64_t p = 0; p < d; ++p)
          in.X(i, p) = in.Y(in.ids(i), p) * 1.01f;
      }
      for (int64_t j = 0; j < 131; ++j)
        in.V(j) = j < 64 ? 1 : 9;
      Outputs<float> want, wantGradient;
      forward(exact, "nll", in, want);
      in.lse = want.doubles.back();
      backward(exact, "nll", in, wantGradient);
      for (int threads : {1, 3}) {
        rt::setNumThreads(threads);
        std::string what = math + kind + " on " + std::to_string(threads);
        checkFused(program, in, want, wantGradient, 1e-5, 1e-5, what);
        for (bool isStatic : {false, true}) {
          Outputs<float> skipped, whole;
          rt::takeTileCounts();
          fused(program, isStatic, in, skipped);
          rt::TileCounts counts = rt::takeTileCounts();
          EXPECT_GT(counts.skippedShare(), 0.05) << what;
          EXPECT_LT(counts.skippedShare(), 0.9) << what;
          rt::setSkipping(false);
          fused(program, isStatic, in, whole);
          rt::setSkipping(true);
          EXPECT_TRUE(areEqual(skipped, whole)) << what;
        }
      }
    }
}

/// Fewer rows than a tile has, known by type.
TEST_P(CpuPairs, FewRowsAgreeWithLoops) {
  int64_t d = GetParam(), v = 131;
  for (int64_t n : {1, 3})
    for (std::string math : {"f32", "f64"})
      for (std::string kind : {"", "avx2"}) {
        std::string rows = std::to_string(n);
        auto make = [&](const std::string &math) {
          std::string text = makeModule(math, d, "f32", rows);
          return text.substr(0, text.find("func.func @none_grad"));
        };
        Program exact(make("f64"), Target::loops);
        ASSERT_TRUE(exact) << exact.errors;
        Program few(make(math), Target::cpu, "", kind);
        ASSERT_TRUE(few) << few.errors;
        for (std::string reducer : {"none", "softmax", "nll"}) {
          Inputs<float> in(n, v, d);
          Outputs<float> want, got;
          forward(exact, reducer, in, want);
          forward(few, reducer, in, got);
          bool isWide = math == "f64";
          expectNear(got, want, isWide ? 1e-7 : 2e-6, isWide ? 1e-13 : 2e-6,
                     reducer + " " + math + kind);
        }
      }
}

/// The oracle's own fused form.
TEST_P(CpuPairs, FusedLoopsAgreeWithTheirParts) {
  Program exact(makeModule("f64", GetParam()), Target::loops);
  ASSERT_TRUE(exact) << exact.errors;
  Inputs<float> in(7, 131, GetParam());
  Outputs<float> want, wantGradient;
  forward(exact, "nll", in, want);
  in.lse = want.doubles.back();
  backward(exact, "nll", in, wantGradient);
  checkFused(exact, in, want, wantGradient, 1e-7, 1e-14, "loops");
}

} // namespace
