// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair programs and their adjoints against long double. The logit is
// z = u <x, y> - s w |x' - y'|^2.
#include "test/lowering/Harness.h"
#include <cmath>

using namespace geo;
using namespace geo::test;

namespace {

class Pairs
    : public testing::TestWithParam<std::tuple<Target, int, const char *>> {
protected:
  Target target() { return std::get<0>(GetParam()); }
  int64_t d() { return std::get<1>(GetParam()); }
  std::string math() { return std::get<2>(GetParam()); }
  /// Of a logit of size about 1.
  long double tolerance() { return math() == "f64" ? 1e-7L : 3e-6L; }

  /// Replaces $D and $M.
  std::string adapt(std::string text) {
    for (const auto &[from, to] :
         {std::pair<std::string, std::string>{"$D", std::to_string(d())},
          {"$M", math()}})
      for (size_t at; (at = text.find(from)) != std::string::npos;)
        text.replace(at, 2, to);
    return text;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Targets, Pairs,
    testing::Combine(testing::Values(Target::loops, Target::cpu, Target::simt),
                     testing::Values(1, 3, 97), testing::Values("f64", "f32")),
    [](const auto &info) {
      return name(std::get<0>(info.param)) +
             std::to_string(std::get<1>(info.param)) + std::get<2>(info.param);
    });

/// Operands and the logits and Grams in long double.
struct Data {
  Data(int64_t n, int64_t v, int64_t d)
      : n(n), v(v), d(d), x({n, d}), y({v, d}), x2({n, d}), y2({v, d}), u({n}),
        w({v}), targets({n}) {
    double size = 1 / std::sqrt(static_cast<double>(d));
    fill(x, -size, size, 11);
    fill(y, -size, size, 12);
    fill(x2, -size, size, 13);
    fill(y2, -size, size, 14);
    fill(u, 0.5, 2, 15);
    fill(w, 0.5, 2, 16);
    for (int64_t i = 0; i < n; ++i)
      targets(i) = (5 * i + 2) % v;
  }

  long double dot(int64_t i, int64_t j) {
    long double sum = 0;
    for (int64_t p = 0; p < d; ++p)
      sum += static_cast<long double>(x(i, p)) * y(j, p);
    return sum;
  }
  long double sqdiff(int64_t i, int64_t j) {
    long double sum = 0;
    for (int64_t p = 0; p < d; ++p) {
      long double difference = static_cast<long double>(x2(i, p)) - y2(j, p);
      sum += difference * difference;
    }
    return sum;
  }
  long double logit(int64_t i, int64_t j) {
    return u(i) * dot(i, j) - s * w(j) * sqdiff(i, j);
  }
  long double lse(int64_t i) {
    long double sum = 0;
    for (int64_t j = 0; j < v; ++j)
      sum += std::exp(logit(i, j));
    return std::log(sum);
  }

  int64_t n, v, d;
  Array<float> x, y, x2, y2;
  Array<double> u, w;
  double s = 1.5;
  Array<int32_t> targets;
};

const std::string operands = R"mlir(
    grams(%a = dot %x, %y : tensor<?x$Dxf32>, tensor<?x$Dxf32>,
          %b = sqdiff %x2, %y2 : tensor<?x$Dxf32>, tensor<?x$Dxf32>)
    row(%ui = %u : tensor<?xf64>) column(%wj = %w : tensor<?xf64>)
    shared(%t = %s : f64))mlir";
const std::string logit = R"mlir({
    %p = arith.mulf %ui, %a : $M
    %q = arith.mulf %t, %wj : $M
    %r = arith.mulf %q, %b : $M
    %z = arith.subf %p, %r : $M)mlir";
const std::string parameters = R"mlir(
    %x: tensor<?x$Dxf32>, %y: tensor<?x$Dxf32>, %x2: tensor<?x$Dxf32>,
    %y2: tensor<?x$Dxf32>, %u: tensor<?xf64>, %w: tensor<?xf64>, %s: f64)mlir";

std::string getForward() {
  std::string yield = "\n    geo.yield %z : $M\n  }";
  return "func.func @none(" + parameters + ") -> tensor<?x?xf32> {\n" +
         "  %o = geo.pairwise none" + operands + " math $M " + logit + yield +
         " -> (tensor<?x?xf32>)\n  return %o : tensor<?x?xf32>\n}\n" +
         "func.func @softmax(" + parameters +
         ") -> (tensor<?x?xf32>, tensor<?xf64>) {\n" +
         "  %o:2 = geo.pairwise softmax" + operands + " math $M " + logit +
         yield + " -> (tensor<?x?xf32>, tensor<?xf64>)\n" +
         "  return %o#0, %o#1 : tensor<?x?xf32>, tensor<?xf64>\n}\n" +
         "func.func @nll(" + parameters + ", %ids: tensor<?xi32>" +
         ") -> (tensor<?xf64>, tensor<?xf64>) {\n" +
         "  %o:2 = geo.pairwise nll" + operands +
         " targets(%ids : tensor<?xi32>) math $M " + logit + yield +
         " -> (tensor<?xf64>, tensor<?xf64>)\n" +
         "  return %o#0, %o#1 : tensor<?xf64>, tensor<?xf64>\n}\n";
}

TEST_P(Pairs, Forward) {
  Program program(adapt(getForward()), target());
  ASSERT_TRUE(program) << program.errors;
  for (auto [n, v] :
       {std::pair<int64_t, int64_t>{0, 4}, {1, 1}, {1, 37}, {9, 50}, {70, 3}}) {
    Data data(n, v, d());
    Array<float> z({n, v}, NAN), logp({n, v}, NAN);
    Array<double> lse({n}, NAN), lse2({n}, NAN), nll({n}, NAN);
    program("none", data.x, data.y, data.x2, data.y2, data.u, data.w, data.s,
            z);
    program("softmax", data.x, data.y, data.x2, data.y2, data.u, data.w, data.s,
            logp, lse);
    program("nll", data.x, data.y, data.x2, data.y2, data.u, data.w, data.s,
            data.targets, nll, lse2);
    for (int64_t i = 0; i < n; ++i) {
      long double want = data.lse(i);
      EXPECT_NEAR(lse(i), want, tolerance()) << n << 'x' << v;
      EXPECT_NEAR(lse2(i), want, tolerance());
      EXPECT_NEAR(nll(i), want - data.logit(i, data.targets(i)), tolerance());
      for (int64_t j = 0; j < v; ++j) {
        EXPECT_NEAR(z(i, j), data.logit(i, j), 3e-6L);
        EXPECT_NEAR(logp(i, j), data.logit(i, j) - want, 5e-6L);
      }
    }
  }
}

std::string getGradient(const std::string &reducer, const std::string &targets,
                        const std::string &lse, const std::string &cotangent) {
  std::string partials = R"mlir(
    %dw = arith.mulf %t, %b : $M
    %ndw = arith.negf %dw : $M
    %nq = arith.negf %q : $M
    %ds = arith.mulf %wj, %b : $M
    %nds = arith.negf %ds : $M
    geo.yield %z, %ui, %nq, %a, %ndw, %nds : $M, $M, $M, $M, $M, $M
  })mlir";
  std::string results = "tensor<?x$Dxf32>, tensor<?x$Dxf32>, tensor<?x$Dxf32>, "
                        "tensor<?x$Dxf32>, tensor<?xf64>, tensor<?xf64>, f64";
  auto argument = [](const std::string &name, const std::string &type) {
    return type.empty() ? "" : ", " + name + ": " + type;
  };
  auto operand = [](const std::string &keyword, const std::string &name,
                    const std::string &type) {
    return type.empty() ? "" : " " + keyword + "(" + name + " : " + type + ")";
  };
  return "func.func @" + reducer + "(" + parameters +
         argument("%ids", targets) + argument("%l", lse) +
         argument("%ct", cotangent) + ") -> (" + results + ") {\n" +
         "  %o:7 = geo.pairwise_grad " + reducer + operands +
         operand("targets", "%ids", targets) + operand("lse", "%l", lse) +
         operand("cotangent", "%ct", cotangent) + " math $M " + logit +
         partials + " -> (" + results + ")\n" +
         "  return %o#0, %o#1, %o#2, %o#3, %o#4, %o#5, %o#6 : " + results +
         "\n}\n";
}

/// Runs the gradient by `call` and compares, with G = dL/dz.
template <class Call, class G>
void checkGradient(Data &data, Call call, G getG, long double tolerance) {
  int64_t n = data.n, v = data.v, d = data.d;
  Array<float> dx({n, d}, NAN), dx2({n, d}, NAN), dy({v, d}, NAN),
      dy2({v, d}, NAN);
  Array<double> du({n}, NAN), dw({v}, NAN);
  double ds = NAN;
  call(dx, dx2, dy, dy2, du, dw, ds);
  std::vector<long double> wantX(n * d), wantX2(n * d), wantY(v * d),
      wantY2(v * d), wantU(n), wantW(v);
  long double wantS = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < v; ++j) {
      long double g = getG(i, j), a = g * data.u(i),
                  b = -g * data.s * data.w(j);
      for (int64_t p = 0; p < d; ++p) {
        long double difference =
            static_cast<long double>(data.x2(i, p)) - data.y2(j, p);
        wantX[i * d + p] += a * data.y(j, p);
        wantY[j * d + p] += a * data.x(i, p);
        wantX2[i * d + p] += 2 * b * difference;
        wantY2[j * d + p] -= 2 * b * difference;
      }
      wantU[i] += g * data.dot(i, j);
      wantW[j] -= g * data.s * data.sqdiff(i, j);
      wantS -= g * data.w(j) * data.sqdiff(i, j);
    }
  auto compare = [&](auto &got, const std::vector<long double> &want,
                     const char *what) {
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got.data[i], want[i], tolerance) << what << ' ' << i;
  };
  compare(dx, wantX, "dx");
  compare(dx2, wantX2, "dx2");
  compare(dy, wantY, "dy");
  compare(dy2, wantY2, "dy2");
  compare(du, wantU, "du");
  compare(dw, wantW, "dw");
  EXPECT_NEAR(ds, wantS, tolerance * n);
}

TEST_P(Pairs, Gradient) {
  std::string text =
      getGradient("none", "", "", "tensor<?x?xf32>") +
      getGradient("softmax", "", "tensor<?xf64>", "tensor<?x?xf32>") +
      getGradient("nll", "tensor<?xi32>", "tensor<?xf64>", "tensor<?xf64>");
  Program program(adapt(text), target());
  ASSERT_TRUE(program) << program.errors;
  for (auto [n, v] :
       {std::pair<int64_t, int64_t>{0, 4}, {1, 1}, {1, 37}, {9, 50}, {70, 3}}) {
    Data data(n, v, d());
    Array<float> ct({n, v});
    Array<double> ctRow({n}), lse({n});
    fill(ct, -1, 1, 17);
    fill(ctRow, -1, 1, 18);
    for (int64_t i = 0; i < n; ++i)
      lse(i) = data.lse(i);
    auto p = [&](int64_t i, int64_t j) {
      return std::exp(data.logit(i, j) - data.lse(i));
    };
    // Sums of up to n or v terms of size 1.
    long double allowed = 3e-6L * std::max(n, v);
    checkGradient(
        data,
        [&](auto &dx, auto &dx2, auto &dy, auto &dy2, auto &du, auto &dw,
            auto &ds) {
          program("none", data.x, data.y, data.x2, data.y2, data.u, data.w,
                  data.s, ct, dx, dx2, dy, dy2, du, dw, ds);
        },
        [&](int64_t i, int64_t j) -> long double { return ct(i, j); }, allowed);
    checkGradient(
        data,
        [&](auto &dx, auto &dx2, auto &dy, auto &dy2, auto &du, auto &dw,
            auto &ds) {
          program("softmax", data.x, data.y, data.x2, data.y2, data.u, data.w,
                  data.s, lse, ct, dx, dx2, dy, dy2, du, dw, ds);
        },
        [&, v = v](int64_t i, int64_t j) {
          long double sum = 0;
          for (int64_t k = 0; k < v; ++k)
            sum += ct(i, k);
          return ct(i, j) - p(i, j) * sum;
        },
        allowed);
    checkGradient(
        data,
        [&](auto &dx, auto &dx2, auto &dy, auto &dy2, auto &du, auto &dw,
            auto &ds) {
          program("nll", data.x, data.y, data.x2, data.y2, data.u, data.w,
                  data.s, data.targets, lse, ctRow, dx, dx2, dy, dy2, du, dw,
                  ds);
        },
        [&](int64_t i, int64_t j) {
          return ctRow(i) * (p(i, j) - (j == data.targets(i)));
        },
        allowed);
  }
}

const char *masked = R"mlir(
func.func @f(%x: tensor<?x1xf32>, %y: tensor<?x1xf32>, %mask: tensor<?xf64>, %ids: tensor<?xi32>)
    -> (tensor<?x?xf32>, tensor<?xf64>, tensor<?xf64>) {
  %p, %l = geo.pairwise softmax grams(%g = dot %x, %y : tensor<?x1xf32>, tensor<?x1xf32>)
      column(%m = %mask : tensor<?xf64>) math f64 {
    %z = arith.addf %g, %m : f64
    geo.yield %z : f64
  } -> (tensor<?x?xf32>, tensor<?xf64>)
  %n, %l2 = geo.pairwise nll grams(%g = dot %x, %y : tensor<?x1xf32>, tensor<?x1xf32>)
      column(%m = %mask : tensor<?xf64>) targets(%ids : tensor<?xi32>) math f64 {
    %z = arith.addf %g, %m : f64
    geo.yield %z : f64
  } -> (tensor<?xf64>, tensor<?xf64>)
  return %p, %l, %n : tensor<?x?xf32>, tensor<?xf64>, tensor<?xf64>
})mlir";

TEST(Reducers, MaskedColumnsAndLargeGaps) {
  Program program(masked, Target::loops);
  ASSERT_TRUE(program) << program.errors;
  Array<float> x({2, 1}), y({3, 1}), p({2, 3}, NAN);
  Array<double> mask({3}), lse({2}, NAN), nll({2}, NAN);
  Array<int32_t> ids({2});
  x.data = {1, -50};
  y.data = {2, 1, 0};
  mask.data = {0, -INFINITY, 0};
  ids.data = {0, 2};
  program("f", x, y, mask, ids, p, lse, nll);
  EXPECT_EQ(p(0, 1), -INFINITY);
  EXPECT_NEAR(lse(0), std::log(std::exp(2.0) + 1), 1e-15);
  // The target is the largest logit: nll = log1p(exp(-100)), not 0.
  EXPECT_NEAR(nll(1) / std::exp(-100.0), 1, 1e-14);
  // All columns masked: no distribution.
  mask.data = {-INFINITY, -INFINITY, -INFINITY};
  program("f", x, y, mask, ids, p, lse, nll);
  EXPECT_TRUE(std::isnan(lse(0)));
  EXPECT_TRUE(std::isnan(nll(1)));
  // A NaN in any column is seen, also in the first and the last.
  for (int64_t at : {0, 1, 2}) {
    mask.data = {0, 0, 0};
    mask(at) = NAN;
    program("f", x, y, mask, ids, p, lse, nll);
    EXPECT_TRUE(std::isnan(lse(0))) << at;
  }
}

} // namespace
