// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views, constants and numbers at function level, and what is returned.
#include "test/lowering/Harness.h"
#include <cmath>

using namespace geo;
using namespace geo::test;

namespace {

class TensorOps : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, TensorOps,
                         testing::Values(Target::loops, Target::cpu,
                                         Target::simt),
                         [](const auto &info) { return name(info.param); });

const char *views = R"mlir(
func.func @f(%X: tensor<?x?x3xf32>) -> (tensor<?x?x3xf32>, tensor<?x3xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %X, %c0 : tensor<?x?x3xf32>
  %b = tensor.dim %X, %c1 : tensor<?x?x3xf32>
  %flat = tensor.collapse_shape %X [[0, 1], [2]] : tensor<?x?x3xf32> into tensor<?x3xf32>
  %Y = geo.rowwise rows(%x = %flat : tensor<?x3xf32>) {
    %y = arith.addf %x, %x : vector<3xf32>
    geo.yield %y : vector<3xf32>
  } -> (tensor<?x3xf32>)
  %back = tensor.expand_shape %Y [[0, 1], [2]] output_shape [%t, %b, 3] : tensor<?x3xf32> into tensor<?x?x3xf32>
  %n = arith.muli %t, %b : index
  return %back, %Y, %n : tensor<?x?x3xf32>, tensor<?x3xf32>, index
})mlir";

TEST_P(TensorOps, ViewsAndSizes) {
  Program program(views, GetParam());
  ASSERT_TRUE(program) << program.errors;
  for (auto [t, b] : {std::pair<int64_t, int64_t>{2, 5}, {0, 4}, {1, 1}}) {
    Array<float> x({t, b, 3}), back({t, b, 3}, NAN), flat({t * b, 3}, NAN);
    int64_t n = -1;
    fill(x, -1, 1, 21);
    program("f", x, back, flat, n);
    EXPECT_EQ(n, t * b);
    for (size_t i = 0; i < x.data.size(); ++i) {
      EXPECT_EQ(back.data[i], 2 * x.data[i]);
      EXPECT_EQ(flat.data[i], 2 * x.data[i]);
    }
  }
}

const char *constants = R"mlir(
func.func @f(%X: tensor<2x3xf32>, %s: f64) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, f64, f64) {
  %table = arith.constant dense<[1.0, -2.5, 4.0]> : tensor<3xf32>
  %zero = arith.constant dense<0.0> : tensor<2x3xf32>
  %c = arith.constant 0.5 : f64
  %e = geo.even tanhc %s : f64
  %p = arith.mulf %e, %c : f64
  %d = geo.detach %X : tensor<2x3xf32>
  %Y, %q = geo.rowwise rows(%x = %d : tensor<2x3xf32>, %z = %zero : tensor<2x3xf32>)
      shared(%w = %table : tensor<3xf32>) {
    %y = arith.mulf %x, %w : vector<3xf32>
    %v = arith.addf %y, %z : vector<3xf32>
    %n = geo.dot %v, %v : vector<3xf32>
    geo.yield %v, %n : vector<3xf32>, f64
  } -> (tensor<2x3xf32>) sums (f64)
  return %Y, %table, %X, %q, %p : tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>, f64, f64
})mlir";

TEST_P(TensorOps, ConstantsNumbersAndReturnedArguments) {
  Program program(constants, GetParam());
  ASSERT_TRUE(program) << program.errors;
  Array<float> x({2, 3}), y({2, 3}, NAN), table({3}, NAN), same({2, 3}, NAN);
  double s = 4, q = NAN, p = NAN;
  fill(x, -1, 1, 22);
  program("f", x, s, y, table, same, q, p);
  const float want[] = {1, -2.5f, 4};
  double sum = 0;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(y(i, j), x(i, j) * want[j]);
      sum += static_cast<double>(y(i, j)) * y(i, j);
      EXPECT_EQ(same(i, j), x(i, j));
      EXPECT_EQ(table(j), want[j]);
    }
  // The product keeps the digits that the stored row has lost.
  EXPECT_NEAR(q, sum, 1e-7 * sum);
  EXPECT_NEAR(p, 0.5 * std::tanh(2.0) / 2, 1e-16);
}

const char *scanNumbers = R"mlir(
func.func @f(%h0: tensor<2x3xf32>, %n0: f64, %U: tensor<?x2x3xf32>) -> (tensor<2x3xf32>, f64) {
  %end, %count = geo.scan init(%h = %h0 : tensor<2x3xf32>, %n = %n0 : f64)
      inputs(%u = %U : tensor<?x2x3xf32>) {
    %two = arith.constant 2.0 : f64
    %m = arith.mulf %n, %two : f64
    %y = geo.rowwise rows(%hr = %h : tensor<2x3xf32>, %ur = %u : tensor<2x3xf32>) shared(%s = %n : f64) {
      %a = geo.scale %s, %ur : vector<3xf32>
      %b = arith.addf %a, %hr : vector<3xf32>
      geo.yield %b : vector<3xf32>
    } -> (tensor<2x3xf32>)
    geo.yield %y, %m : tensor<2x3xf32>, f64
  } -> (tensor<2x3xf32>, f64)
  return %end, %count : tensor<2x3xf32>, f64
})mlir";

TEST_P(TensorOps, NumberStatesOfScans) {
  Program program(scanNumbers, GetParam());
  ASSERT_TRUE(program) << program.errors;
  for (int64_t steps : {0, 1, 3}) {
    Array<float> h({2, 3}, 1), u({steps, 2, 3}, 0.5f), end({2, 3}, NAN);
    double n = 1, count = NAN;
    program("f", h, n, u, end, count);
    EXPECT_EQ(count, std::pow(2, steps));
    for (float x : end.data)
      EXPECT_EQ(x, 1 + 0.5f * (count - 1)); // 1 + sum of 0.5 * 2^t
  }
}

// Blocks that are returned, reshaped and read by row; numbers as columns.
const char *columns = R"mlir(
func.func @f(%X: tensor<?x19xf32>, %T: tensor<?xf64>, %n: index, %m: index)
    -> (tensor<?x17xf32>, tensor<?x?x2xf32>, tensor<?x22xf32>, tensor<?xf64>, tensor<?x1xf32>) {
  %a = geo.columns %X[1] : tensor<?x19xf32> -> tensor<?x17xf32>
  %b = geo.columns %X[4] : tensor<?x19xf32> -> tensor<?x2xf32>
  %c = tensor.expand_shape %b [[0, 1], [2]] output_shape [%n, %m, 2] : tensor<?x2xf32> into tensor<?x?x2xf32>
  %d = geo.rowwise rows(%x = %a : tensor<?x17xf32>) {
    %y = arith.addf %x, %x : vector<17xf32>
    geo.yield %y : vector<17xf32>
  } -> (tensor<?x17xf32>)
  %e = geo.concat_columns %T, %d, %b at [0, 2, 19] : tensor<?xf64>, tensor<?x17xf32>, tensor<?x2xf32> -> tensor<?x22xf32>
  %g = geo.columns %X[18] : tensor<?x19xf32> -> tensor<?xf64>
  %h = geo.columns %X[0] : tensor<?x19xf32> -> tensor<?x1xf32>
  return %a, %c, %e, %g, %h : tensor<?x17xf32>, tensor<?x?x2xf32>, tensor<?x22xf32>, tensor<?xf64>, tensor<?x1xf32>
})mlir";

TEST_P(TensorOps, Columns) {
  Program program(columns, GetParam());
  ASSERT_TRUE(program) << program.errors;
  for (auto [n, m] : {std::pair<int64_t, int64_t>{3, 5}, {1, 1}, {0, 2}}) {
    int64_t rows = n * m;
    Array<float> x({rows, 19}), a({rows, 17}, NAN), c({n, m, 2}, NAN),
        e({rows, 22}, NAN), h({rows, 1}, NAN);
    Array<double> t({rows}), g({rows}, NAN);
    fill(x, -1, 1, 23);
    fill(t, -1, 1, 24);
    int64_t sizes[] = {n, m};
    program("f", x, t, sizes[0], sizes[1], a, c, e, g, h);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < 17; ++j) {
        EXPECT_EQ(a(i, j), x(i, j + 1));
        EXPECT_EQ(e(i, j + 2), 2 * x(i, j + 1));
      }
      for (int64_t j = 0; j < 2; ++j) {
        EXPECT_EQ(c.data[2 * i + j], x(i, j + 4));
        EXPECT_EQ(e(i, j + 19), x(i, j + 4));
      }
      EXPECT_EQ(e(i, 0), static_cast<float>(t(i)));
      EXPECT_EQ(e(i, 1), 0);
      EXPECT_EQ(e(i, 21), 0);
      EXPECT_EQ(g(i), x(i, 18));
      EXPECT_EQ(h(i, 0), x(i, 0));
    }
  }
}

// Pieces that are read after the whole, stand in two wholes, and are returned
// themselves; a whole that is used up before its piece.
const char *places = R"mlir(
func.func @f(%X: tensor<?x3xf32>) -> (tensor<?x7xf32>, tensor<?x3xf32>, tensor<?x4xf32>) {
  %a = geo.rowwise rows(%x = %X : tensor<?x3xf32>) {
    %y = arith.addf %x, %x : vector<3xf32>
    geo.yield %y : vector<3xf32>
  } -> (tensor<?x3xf32>)
  %b, %n = geo.rowwise rows(%x = %a : tensor<?x3xf32>) {
    %y = arith.mulf %x, %x : vector<3xf32>
    %s = geo.dot %x, %x : vector<3xf32>
    geo.yield %y, %s : vector<3xf32>, f64
  } -> (tensor<?x3xf32>, tensor<?xf64>)
  %w = geo.concat_columns %a, %b at [0, 4] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x7xf32>
  %v = geo.concat_columns %a, %n at [0, 3] : tensor<?x3xf32>, tensor<?xf64> -> tensor<?x4xf32>
  %u = geo.rowwise rows(%x = %w : tensor<?x7xf32>) {
    %y = arith.addf %x, %x : vector<7xf32>
    geo.yield %y : vector<7xf32>
  } -> (tensor<?x7xf32>)
  %c = geo.rowwise rows(%x = %a : tensor<?x3xf32>, %z = %b : tensor<?x3xf32>) {
    %y = arith.subf %z, %x : vector<3xf32>
    geo.yield %y : vector<3xf32>
  } -> (tensor<?x3xf32>)
  return %u, %c, %v : tensor<?x7xf32>, tensor<?x3xf32>, tensor<?x4xf32>
})mlir";

TEST_P(TensorOps, PiecesInPlace) {
  Program program(places, GetParam());
  ASSERT_TRUE(program) << program.errors;
  for (int64_t rows : {0, 1, 6}) {
    Array<float> x({rows, 3}), u({rows, 7}, NAN), c({rows, 3}, NAN),
        v({rows, 4}, NAN);
    fill(x, -1, 1, 25);
    program("f", x, u, c, v);
    for (int64_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < 3; ++j) {
        float a = 2 * x(i, j);
        EXPECT_EQ(u(i, j), 2 * a);
        EXPECT_EQ(u(i, j + 4), 2 * (a * a));
        EXPECT_EQ(c(i, j), a * a - a);
        EXPECT_EQ(v(i, j), a);
        sum += double(a) * a;
      }
      EXPECT_EQ(u(i, 3), 0);
      EXPECT_NEAR(v(i, 3), sum, 1e-6);
    }
  }
}

} // namespace
