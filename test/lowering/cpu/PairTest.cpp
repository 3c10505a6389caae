// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair programs on vectors and threads against scalar loops in f64.
#include "test/lowering/Harness.h"

#include "runtime/Skipping.h"
#include "runtime/Threads.h"
#include <cmath>
#include <cstring>

using namespace geo;
using namespace geo::test;

namespace {

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Two Grams, a row scalar, a column scalar and a shared number. The partials
// are as made up as the logit: nothing here depends on their being right.
const char *region = R"mlir({
  %ab = arith.mulf %u, %w : $M
  %m = arith.mulf %g, %ab : $M
  %q = geo.even asinhc %m : $M
  %q1 = geo.even asinhc %m {order = 1 : i64} : $M
  %qq = arith.mulf %q, %q : $M
  %d2 = arith.mulf %m, %qq : $M
  %half = arith.constant 0.5 : $M
  %p = arith.mulf %g2, %half : $M
  %s = arith.subf %d2, %p : $M
  %z0 = arith.divf %s, %t : $M
  %z = arith.negf %z0 : $M
)mlir";

const char *partials = R"mlir(
  %zg = arith.mulf %q1, %w : $M
  %zg2 = arith.mulf %half, %u : $M
  %zu = arith.addf %qq, %half : $M
  %zw = arith.mulf %q, %g2 : $M
  %zt = arith.divf %z, %t : $M
)mlir";

const char *signature =
    R"mlir(%X: tensor<?x$Dxf32>, %Y: tensor<$Vx$Dxf32>, %X2: tensor<?x5xf32>, %Y2: tensor<$Vx5xf32>, %U: tensor<?xf64>, %V: tensor<$Vxf64>, %T: f64, %ids: tensor<?xi32>)mlir";

const char *operands =
    R"mlir(grams(%g = sqdiff %X, %Y : tensor<?x$Dxf32>, tensor<$Vx$Dxf32>, %g2 = $K %X2, %Y2 : tensor<?x5xf32>, tensor<$Vx5xf32>)
    row(%u = %U : tensor<?xf64>) column(%w = %V : tensor<$Vxf64>) shared(%t = %T : f64))mlir";

std::string makeModule(const std::string &math, int64_t d,
                       const std::string &storage = "f32") {
  std::string text;
  auto add = [&](const std::string &reducer, const std::string &results,
                 const std::string &targets) {
    std::string values = reducer == "none" ? "%r" : "%r#0, %r#1";
    std::string r = reducer == "none" ? "%r" : "%r:2";
    text += "func.func @" + reducer + "(" + signature + ") -> (" + results +
            ") {\n" + r + " = geo.pairwise " + reducer + " " + operands +
            targets + " math $M " + region + "geo.yield %z : $M } -> (" +
            results + ")\nreturn " + values + " : " + results + "\n}\n";
  };
  const std::string targets = " targets(%ids : tensor<?xi32>)";
  add("none", "tensor<?x?xf32>", "");
  add("softmax", "tensor<?x?xf32>, tensor<?xf64>", "");
  add("nll", "tensor<?xf64>, tensor<?xf64>", targets);
  const std::string grads =
      "tensor<?x$Dxf32>, tensor<?x5xf32>, tensor<$Vx$Dxf32>, "
      "tensor<$Vx5xf32>, tensor<?xf64>, tensor<$Vxf64>, f64";
  auto addGradient = [&](const std::string &reducer, const std::string &ct,
                         const std::string &more) {
    text += "func.func @" + reducer + "_grad(" + signature +
            ", %lse: tensor<?xf64>, %ct: " + ct + ") -> (" + grads +
            ") {\n%r:7 = geo.pairwise_grad " + reducer + " " + operands + more +
            " cotangent(%ct : " + ct + ") math $M " + region + partials +
            "geo.yield %z, %zg, %zg2, %zu, %zw, %zt : $M, $M, $M, $M, $M, $M } "
            "-> (" +
            grads +
            ")\nreturn %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : " + grads +
            "\n}\n";
  };
  const std::string lse = " lse(%lse : tensor<?xf64>)";
  addGradient("none", "tensor<?x?xf32>", "");
  addGradient("softmax", "tensor<?x?xf32>", lse);
  addGradient("nll", "tensor<?xf64>", targets + lse);
  // Loss and gradients at once; strips keep what they can where V is known.
  auto addFused = [&](const std::string &v) {
    std::string function =
        "func.func @fused" + (v == "?" ? "" : v) + "(" + signature +
        ", %ct: tensor<?xf64>) -> (" + grads +
        ", tensor<?xf64>, tensor<?xf64>) {\n%r:9 = geo.pairwise_grad nll " +
        operands + targets + " cotangent(%ct : tensor<?xf64>) math $M " +
        region + partials +
        "geo.yield %z, %zg, %zg2, %zu, %zw, %zt : $M, $M, $M, $M, $M, $M } -> "
        "(" +
        grads +
        ", tensor<?xf64>, tensor<?xf64>)\nreturn %r#0, %r#1, %r#2, %r#3, %r#4, "
        "%r#5, %r#6, %r#7, %r#8 : " +
        grads + ", tensor<?xf64>, tensor<?xf64>\n}\n";
    text += replaceAll(function, "$V", v);
  };
  for (int64_t v : {0, 131})
    addFused(v ? std::to_string(v) : "?");

  // The second factor has rows of another length, and of either kind.
  text = replaceAll(text, "$K", d % 3 == 1 ? "dot" : "sqdiff");
  text = replaceAll(text, "xf32>", "x" + storage + ">");
  text = replaceAll(text, "$V", "?");
  return replaceAll(replaceAll(text, "$M", math), "$D", std::to_string(d));
}

template <class T> struct Inputs {
  Array<T> X, Y, X2, Y2;
  Array<double> U, V;
  double tau = 1.7;
  Array<int32_t> ids;
  Array<double> lse, ct;
  Array<T> table;

  Inputs(int64_t n, int64_t v, int64_t d)
      : X({n, d}), Y({v, d}), X2({n, 5}), Y2({v, 5}), U({n}), V({v}), ids({n}),
        lse({n}), ct({n}), table({n, v}) {
    double scale = 1 / std::sqrt(static_cast<double>(d));
    fill(X, -scale, scale, 1);
    fill(Y, -scale, scale, 2);
    fill(X2, -1, 1, 3);
    fill(Y2, -1, 1, 4);
    fill(U, 0.5, 2, 5);
    fill(V, 0.5, 2, 6);
    fill(ct, -1, 1, 7);
    fill(table, -1, 1, 8);
    for (int64_t i = 0; i < n; ++i)
      ids(i) = static_cast<int32_t>((i * 7 + 2) % v);
    // Close pairs, of a target and of another column, and a coincident one; in
    // the second factor, others.
    for (int64_t i = 0; i < n; i += 4)
      for (int64_t p = 0; p < 5; ++p)
        X2(i, p) = Y2((ids(i) + i % 3) % v, p) * (i % 8 == 0 ? 1 : 1.001f);
    for (int64_t i = 0; i < n; i += 3)
      for (int64_t p = 0; p < d; ++p)
        X(i, p) = Y((ids(i) + i % 2) % v, p) * (i % 9 == 0 ? 1 : 1.001f);
  }
};

template <class T> struct Outputs {
  std::vector<Array<T>> floats;
  std::vector<Array<double>> doubles;
  double number = NAN;
};

template <class T>
void forward(Program &program, const std::string &reducer, Inputs<T> &in,
             Outputs<T> &out) {
  int64_t n = in.X.shape[0], v = in.Y.shape[0];
  Array<T> table({n, v}, NAN);
  Array<double> nll({n}, NAN), lse({n}, NAN);
  if (reducer == "none")
    program("none", in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids,
            table);
  if (reducer == "softmax")
    program("softmax", in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids,
            table, lse);
  if (reducer == "nll")
    program("nll", in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids, nll,
            lse);
  if (reducer != "nll")
    out.floats.push_back(table);
  else
    out.doubles.push_back(nll);
  if (reducer != "none")
    out.doubles.push_back(lse);
}

template <class T>
void backward(Program &program, const std::string &reducer, Inputs<T> &in,
              Outputs<T> &out) {
  int64_t n = in.X.shape[0], v = in.Y.shape[0], d = in.X.shape[1];
  Array<T> dX({n, d}, NAN), dX2({n, 5}, NAN), dY({v, d}, NAN), dY2({v, 5}, NAN);
  Array<double> dU({n}, NAN), dV({v}, NAN);
  double dT = NAN;
  std::string name = reducer + "_grad";
  if (reducer == "nll")
    program(name.c_str(), in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids,
            in.lse, in.ct, dX, dX2, dY, dY2, dU, dV, dT);
  else
    program(name.c_str(), in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids,
            in.lse, in.table, dX, dX2, dY, dY2, dU, dV, dT);
  out.floats = {dX, dX2, dY, dY2};
  out.doubles = {dU, dV};
  out.number = dT;
}

/// The gradients, then nll and lse. By the function for V columns where there
/// is one.
template <class T>
void fused(Program &program, bool isStatic, Inputs<T> &in, Outputs<T> &out) {
  int64_t n = in.X.shape[0], v = in.Y.shape[0], d = in.X.shape[1];
  Array<T> dX({n, d}, NAN), dX2({n, 5}, NAN), dY({v, d}, NAN), dY2({v, 5}, NAN);
  Array<double> dU({n}, NAN), dV({v}, NAN), nll({n}, NAN), lse({n}, NAN);
  std::string name = "fused" + (isStatic ? std::to_string(v) : "");
  program(name.c_str(), in.X, in.Y, in.X2, in.Y2, in.U, in.V, in.tau, in.ids,
          in.ct, dX, dX2, dY, dY2, dU, dV, out.number, nll, lse);
  out.floats = {dX, dX2, dY, dY2};
  out.doubles = {dU, dV, nll, lse};
}

template <class T>
void expectNear(const Array<T> &got, const Array<T> &want, double tolerance,
                const std::string &what) {
  double scale = 0.1; // of the terms that cancel in a sum
  for (T x : want.data)
    scale = std::max(scale, std::abs(static_cast<double>(x)));
  for (size_t i = 0; i < want.data.size(); ++i)
    ASSERT_NEAR(got.data[i], want.data[i], tolerance * scale)
        << what << " at " << i;
}

template <class T>
void expectNear(const Outputs<T> &got, const Outputs<T> &want, double tolerance,
                double doubleTolerance, const std::string &what) {
  for (size_t i = 0; i < want.floats.size(); ++i)
    expectNear(got.floats[i], want.floats[i], tolerance,
               what + " table " + std::to_string(i));
  for (size_t i = 0; i < want.doubles.size(); ++i)
    expectNear(got.doubles[i], want.doubles[i], doubleTolerance,
               what + " column " + std::to_string(i));
  if (!std::isnan(want.number))
    EXPECT_NEAR(got.number, want.number,
                doubleTolerance * std::max(1.0, std::abs(want.number)) * 30)
        << what;
}

template <class T> bool areEqual(const Outputs<T> &a, const Outputs<T> &b) {
  auto same = [](const auto &x, const auto &y) {
    return x.data.size() == y.data.size() &&
           (x.data.empty() ||
            std::memcmp(x.data.data(), y.data.data(),
                        x.data.size() * sizeof(x.data[0])) == 0);
  };
  for (size_t i = 0; i < a.floats.size(); ++i)
    if (!same(a.floats[i], b.floats[i]))
      return false;
  for (size_t i = 0; i < a.doubles.size(); ++i)
    if (!same(a.doubles[i], b.doubles[i]))
      return false;
  return std::memcmp(&a.number, &b.number, sizeof(double)) == 0;
}

/// A fused op against the two that it stands for.
template <class T>
void checkFused(Program &program, Inputs<T> &in, const Outputs<T> &wantLoss,
                const Outputs<T> &wantGradient, double tolerance,
                double doubleTolerance, const std::string &what) {
  Outputs<T> want = wantGradient;
  want.doubles.push_back(wantLoss.doubles[0]);
  want.doubles.push_back(wantLoss.doubles[1]);
  for (bool isStatic : {false, true}) {
    if (isStatic && in.Y.shape[0] != 131)
      continue;
    Outputs<T> got, again;
    fused(program, isStatic, in, got);
    expectNear(got, want, tolerance, doubleTolerance,
               what + (isStatic ? " fused, kept" : " fused"));
    fused(program, isStatic, in, again);
    EXPECT_TRUE(areEqual(got, again)) << what;
  }
}

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

/// Columns far from most rows: tiles without a pair that counts are left out,
/// and no bit tells.
TEST_P(CpuPairs, SkippedTilesChangeNothing) {
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
