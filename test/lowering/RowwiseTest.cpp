// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row programs, products, gathers and scans against long double.
#include "test/lowering/Harness.h"
#include <cmath>

using namespace geo;
using namespace geo::test;

namespace {

/// Replaces every `$D` of a module by the row length.
std::string withLength(std::string text, int64_t d) {
  std::string number = std::to_string(d);
  for (size_t at; (at = text.find("$D")) != std::string::npos;)
    text.replace(at, 2, number);
  return text;
}

class Lowering : public testing::TestWithParam<std::tuple<Target, int>> {
protected:
  Target target() { return std::get<0>(GetParam()); }
  int64_t d() { return std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    Targets, Lowering,
    testing::Combine(testing::Values(Target::loops, Target::cpu, Target::simt),
                     testing::Values(1, 3, 97, 130)),
    [](const auto &info) {
      return name(std::get<0>(info.param)) +
             std::to_string(std::get<1>(info.param));
    });

const char *rowwise = R"mlir(
func.func @f(%X: tensor<?x$Dxf32>, %a: tensor<?xf64>, %W: tensor<$Dxf32>, %s: f64)
    -> (tensor<?x$Dxf32>, tensor<?xf64>, tensor<$Dxf32>, f64) {
  %r:4 = geo.rowwise rows(%x = %X : tensor<?x$Dxf32>, %u = %a : tensor<?xf64>)
      shared(%w = %W : tensor<$Dxf32>, %t = %s : f64) {
    %q = geo.dot %x, %w : vector<$Dxf32>
    %e = arith.mulf %q, %t : f64
    %v = arith.addf %e, %u : f64
    %y = geo.scale %v, %x : vector<$Dxf32>
    %z = math.tanh %y : vector<$Dxf32>
    %p = arith.mulf %z, %w : vector<$Dxf32>
    %m = vector.reduction <maximumf>, %p : vector<$Dxf32> into f32
    %b = vector.broadcast %m : f32 to vector<$Dxf32>
    %o = arith.subf %z, %b : vector<$Dxf32>
    geo.yield %o, %v, %z, %q : vector<$Dxf32>, f64, vector<$Dxf32>, f64
  } -> (tensor<?x$Dxf32>, tensor<?xf64>) sums (tensor<$Dxf32>, f64)
  return %r#0, %r#1, %r#2, %r#3 : tensor<?x$Dxf32>, tensor<?xf64>, tensor<$Dxf32>, f64
})mlir";

TEST_P(Lowering, Rowwise) {
  Program program(withLength(rowwise, d()), target());
  ASSERT_TRUE(program) << program.errors;
  for (int64_t rows : {0, 1, 7, 64}) {
    Array<float> x({rows, d()}), w({d()}), y({rows, d()}, NAN), sum({d()}, NAN);
    Array<double> a({rows}), v({rows}, NAN);
    double s = 0.37, total = NAN;
    fill(x, -1, 1, 1);
    fill(w, -1, 1, 2);
    fill(a, -1, 1, 3);
    program("f", x, a, w, s, y, v, sum, total);
    std::vector<long double> wantSum(d());
    long double wantTotal = 0;
    for (int64_t i = 0; i < rows; ++i) {
      long double q = 0;
      for (int64_t j = 0; j < d(); ++j)
        q += static_cast<long double>(x(i, j)) * w(j);
      long double want = q * s + a(i);
      EXPECT_NEAR(v(i), want, 1e-14L * d());
      wantTotal += q;
      std::vector<long double> z(d());
      long double most = -INFINITY;
      for (int64_t j = 0; j < d(); ++j) {
        z[j] = std::tanh(want * x(i, j));
        wantSum[j] += z[j];
        most = std::max(most, z[j] * w(j));
      }
      for (int64_t j = 0; j < d(); ++j)
        EXPECT_NEAR(y(i, j), z[j] - most, 4e-7L) << i << ' ' << j;
    }
    EXPECT_NEAR(total, wantTotal, 1e-13L * d() * (rows + 1));
    for (int64_t j = 0; j < d(); ++j)
      EXPECT_NEAR(sum(j), wantSum[j], 2e-7L * (rows + 1)) << j;
  }
}

const char *product = R"mlir(
func.func @nn(%A: tensor<?x$Dxf32>, %B: tensor<$Dx5xf32>) -> tensor<?x5xf32> {
  %C = geo.matmul %A, %B : tensor<?x$Dxf32>, tensor<$Dx5xf32> -> tensor<?x5xf32>
  return %C : tensor<?x5xf32>
}
func.func @nt(%A: tensor<?x$Dxf32>, %B: tensor<?x$Dxf32>) -> tensor<?x?xf32> {
  %C = geo.matmul %A, %B transpose_b : tensor<?x$Dxf32>, tensor<?x$Dxf32> -> tensor<?x?xf32>
  return %C : tensor<?x?xf32>
}
func.func @tn(%A: tensor<?x$Dxf32>, %B: tensor<?x5xf32>) -> tensor<$Dx5xf32> {
  %C = geo.matmul %A, %B transpose_a : tensor<?x$Dxf32>, tensor<?x5xf32> -> tensor<$Dx5xf32>
  return %C : tensor<$Dx5xf32>
})mlir";

TEST_P(Lowering, Matmul) {
  Program program(withLength(product, d()), target());
  ASSERT_TRUE(program) << program.errors;
  auto check = [&](const char *name, std::vector<int64_t> a,
                   std::vector<int64_t> b, bool ta, bool tb) {
    Array<float> A(a), B(b);
    int64_t m = a[ta], n = b[!tb], k = a[!ta];
    Array<float> C({m, n}, NAN);
    fill(A, -1, 1, 4);
    fill(B, -1, 1, 5);
    program(name, A, B, C);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        long double want = 0;
        for (int64_t p = 0; p < k; ++p)
          want += static_cast<long double>(ta ? A(p, i) : A(i, p)) *
                  (tb ? B(j, p) : B(p, j));
        EXPECT_NEAR(C(i, j), want, 1e-6L * std::sqrt(k + 1.0L)) << name;
      }
  };
  for (int64_t m : {0, 1, 6, 33}) {
    check("nn", {m, d()}, {d(), 5}, false, false);
    check("nt", {m, d()}, {19, d()}, false, true);
    check("tn", {m, d()}, {m, 5}, true, false);
  }
}

const char *table = R"mlir(
func.func @gather(%E: tensor<?x$Dxf32>, %ids: tensor<?xi32>) -> tensor<?x$Dxf32> {
  %R = geo.gather %E[%ids] : tensor<?x$Dxf32>, tensor<?xi32> -> tensor<?x$Dxf32>
  return %R : tensor<?x$Dxf32>
}
func.func @scatter(%R: tensor<?x$Dxf32>, %ids: tensor<?xi32>, %v: index) -> tensor<?x$Dxf32> {
  %E = geo.scatter_add %R[%ids] size %v : tensor<?x$Dxf32>, tensor<?xi32> -> tensor<?x$Dxf32>
  return %E : tensor<?x$Dxf32>
})mlir";

TEST_P(Lowering, GatherAndScatter) {
  Program program(withLength(table, d()), target());
  ASSERT_TRUE(program) << program.errors;
  int64_t size = 11;
  for (int64_t n : {0, 1, 40}) {
    Array<float> E({size, d()}), R({n, d()}, NAN), S({size, d()}, NAN);
    Array<int32_t> ids({n});
    fill(E, -1, 1, 6);
    for (int64_t i = 0; i < n; ++i)
      ids(i) = (i * 7 + 3) % (size - 1); // the last id never occurs
    program("gather", E, ids, R);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < d(); ++j)
        EXPECT_EQ(R(i, j), E(ids(i), j));
    program("scatter", R, ids, size, S);
    for (int64_t v = 0; v < size; ++v) {
      int64_t count = std::count(ids.data.begin(), ids.data.end(), v);
      for (int64_t j = 0; j < d(); ++j)
        EXPECT_NEAR(S(v, j), static_cast<long double>(E(v, j)) * count, 1e-6L);
    }
  }
}

const char *scan = R"mlir(
func.func @f(%h0: tensor<?x$Dxf32>, %U: tensor<?x?x$Dxf32>, %W: tensor<$Dx$Dxf32>)
    -> (tensor<?x$Dxf32>, tensor<?x?x$Dxf32>, tensor<?x?x$Dxf32>) {
  %end, %all, %before = geo.scan init(%h = %h0 : tensor<?x$Dxf32>)
      inputs(%u = %U : tensor<?x?x$Dxf32>) shared(%w = %W : tensor<$Dx$Dxf32>) $M {
    %a = geo.matmul %h, %w : tensor<?x$Dxf32>, tensor<$Dx$Dxf32> -> tensor<?x$Dxf32>
    %n = geo.rowwise rows(%ar = %a : tensor<?x$Dxf32>, %ur = %u : tensor<?x$Dxf32>) {
      %s = arith.addf %ar, %ur : vector<$Dxf32>
      %y = math.tanh %s : vector<$Dxf32>
      geo.yield %y : vector<$Dxf32>
    } -> (tensor<?x$Dxf32>)
    geo.yield %n, %n, %h : tensor<?x$Dxf32>, tensor<?x$Dxf32>, tensor<?x$Dxf32>
  } -> (tensor<?x$Dxf32>, tensor<?x?x$Dxf32>, tensor<?x?x$Dxf32>)
  return %end, %all, %before : tensor<?x$Dxf32>, tensor<?x?x$Dxf32>, tensor<?x?x$Dxf32>
})mlir";

TEST_P(Lowering, Scan) {
  struct Mode {
    const char *text;
    int64_t truncate;
    bool reverse;
  };
  for (Mode mode :
       {Mode{"", 0, false}, Mode{"truncate 3", 3, false},
        Mode{"reverse", 0, true}, Mode{"truncate 3 reverse", 3, true}}) {
    std::string text = withLength(scan, d());
    text.replace(text.find("$M"), 2, mode.text);
    Program program(text, target());
    ASSERT_TRUE(program) << program.errors;
    for (int64_t steps : {0, 1, 8}) {
      int64_t batch = 5;
      Array<float> h0({batch, d()}), U({steps, batch, d()}), W({d(), d()});
      Array<float> end({batch, d()}, NAN), all({steps, batch, d()}, NAN),
          before({steps, batch, d()}, NAN);
      fill(h0, -1, 1, 7);
      fill(U, -1, 1, 8);
      fill(W, -1.0 / d(), 1.0 / d(), 9);
      program("f", h0, U, W, end, all, before);
      std::vector<long double> h(h0.data.begin(), h0.data.end());
      for (int64_t step = 0; step < steps; ++step) {
        int64_t t = mode.reverse ? steps - 1 - step : step;
        std::vector<long double> next(h.size());
        for (int64_t i = 0; i < batch; ++i)
          for (int64_t j = 0; j < d(); ++j) {
            EXPECT_NEAR(before(t, i, j), h[i * d() + j], 2e-6L);
            long double sum = U(t, i, j);
            for (int64_t k = 0; k < d(); ++k)
              sum += h[i * d() + k] * W(k, j);
            next[i * d() + j] = std::tanh(sum);
            EXPECT_NEAR(all(t, i, j), next[i * d() + j], 2e-6L);
          }
        h = next;
        if (mode.reverse && mode.truncate && t > 0 && t % mode.truncate == 0)
          std::fill(h.begin(), h.end(), 0);
      }
      for (int64_t i = 0; i < batch; ++i)
        for (int64_t j = 0; j < d(); ++j)
          EXPECT_NEAR(end(i, j), h[i * d() + j], 2e-6L) << mode.text;
    }
  }
}

} // namespace
