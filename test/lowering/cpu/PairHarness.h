// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pair program of every kind of operand, run by all its ops.
#ifndef GEOC_TEST_LOWERING_CPU_PAIRHARNESS_H
#define GEOC_TEST_LOWERING_CPU_PAIRHARNESS_H

#include "test/lowering/Harness.h"

#include <cmath>
#include <cstring>

namespace geo::test {

inline std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Two Grams, a row scalar, a column scalar and a shared number. The partials
// are as made up as the logit: nothing here depends on their being right.
inline const char *const region = R"mlir({
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

inline const char *const partials = R"mlir(
  %zg = arith.mulf %q1, %w : $M
  %zg2 = arith.mulf %half, %u : $M
  %zu = arith.addf %qq, %half : $M
  %zw = arith.mulf %q, %g2 : $M
  %zt = arith.divf %z, %t : $M
)mlir";

inline const char *const signature =
    R"mlir(%X: tensor<$Nx$Dxf32>, %Y: tensor<$Vx$Dxf32>, %X2: tensor<$Nx5xf32>, %Y2: tensor<$Vx5xf32>, %U: tensor<$Nxf64>, %V: tensor<$Vxf64>, %T: f64, %ids: tensor<$Nxi32>)mlir";

inline const char *const operands =
    R"mlir(grams(%g = sqdiff %X, %Y : tensor<$Nx$Dxf32>, tensor<$Vx$Dxf32>, %g2 = $K %X2, %Y2 : tensor<$Nx5xf32>, tensor<$Vx5xf32>)
    row(%u = %U : tensor<$Nxf64>) column(%w = %V : tensor<$Vxf64>) shared(%t = %T : f64))mlir";

inline std::string makeModule(const std::string &math, int64_t d,
                              const std::string &storage = "f32",
                              const std::string &rows = "?") {
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
  const std::string targets = " targets(%ids : tensor<$Nxi32>)";
  add("none", "tensor<$Nx?xf32>", "");
  add("softmax", "tensor<$Nx?xf32>, tensor<$Nxf64>", "");
  add("nll", "tensor<$Nxf64>, tensor<$Nxf64>", targets);
  const std::string grads =
      "tensor<$Nx$Dxf32>, tensor<$Nx5xf32>, tensor<$Vx$Dxf32>, "
      "tensor<$Vx5xf32>, tensor<$Nxf64>, tensor<$Vxf64>, f64";
  auto addGradient = [&](const std::string &reducer, const std::string &ct,
                         const std::string &more) {
    text += "func.func @" + reducer + "_grad(" + signature +
            ", %lse: tensor<$Nxf64>, %ct: " + ct + ") -> (" + grads +
            ") {\n%r:7 = geo.pairwise_grad " + reducer + " " + operands + more +
            " cotangent(%ct : " + ct + ") math $M " + region + partials +
            "geo.yield %z, %zg, %zg2, %zu, %zw, %zt : $M, $M, $M, $M, $M, $M } "
            "-> (" +
            grads +
            ")\nreturn %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : " + grads +
            "\n}\n";
  };
  const std::string lse = " lse(%lse : tensor<$Nxf64>)";
  addGradient("none", "tensor<$Nx?xf32>", "");
  addGradient("softmax", "tensor<$Nx?xf32>", lse);
  addGradient("nll", "tensor<$Nxf64>", targets + lse);
  // Loss and gradients at once; strips keep what they can where V is known.
  auto addFused = [&](const std::string &v) {
    std::string function =
        "func.func @fused" + (v == "?" ? "" : v) + "(" + signature +
        ", %ct: tensor<$Nxf64>) -> (" + grads +
        ", tensor<$Nxf64>, tensor<$Nxf64>) {\n%r:9 = geo.pairwise_grad nll " +
        operands + targets + " cotangent(%ct : tensor<$Nxf64>) math $M " +
        region + partials +
        "geo.yield %z, %zg, %zg2, %zu, %zw, %zt : $M, $M, $M, $M, $M, $M } -> "
        "(" +
        grads +
        ", tensor<$Nxf64>, tensor<$Nxf64>)\nreturn %r#0, %r#1, %r#2, %r#3, "
        "%r#4, "
        "%r#5, %r#6, %r#7, %r#8 : " +
        grads + ", tensor<$Nxf64>, tensor<$Nxf64>\n}\n";
    text += replaceAll(function, "$V", v);
  };
  for (int64_t v : {0, 131})
    addFused(v ? std::to_string(v) : "?");

  // The second factor has rows of another length, and of either kind.
  text = replaceAll(text, "$K", d % 3 == 1 ? "dot" : "sqdiff");
  text = replaceAll(text, "xf32>", "x" + storage + ">");
  text = replaceAll(text, "$V", "?");
  text = replaceAll(text, "$N", rows);
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

} // namespace geo::test

#endif // GEOC_TEST_LOWERING_CPU_PAIRHARNESS_H
