// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of columns apart and together again, in functions and in scans.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

TEST(ColumnsGradient, BlocksAndNumbers) {
  // Blocks that meet, overlap and leave columns out; numbers as a column, and a
  // column as numbers; a gap in the concatenation.
  EXPECT_TRUE(checkAll(R"mlir(
func.func @f(%X: tensor<?x21xf32>, %T: tensor<?xf64>) -> (f64, tensor<?x18xf32>) {
  %a = geo.columns %X[0] : tensor<?x21xf32> -> tensor<?x3xf32>
  %b = geo.columns %X[3] : tensor<?x21xf32> -> tensor<?x11xf32>
  %c = geo.columns %X[2] : tensor<?x21xf32> -> tensor<?x3xf32>
  %n = geo.columns %X[20] : tensor<?x21xf32> -> tensor<?xf64>
  %p = geo.rowwise rows(%x = %a : tensor<?x3xf32>, %y = %c : tensor<?x3xf32>) {
    %s = math.sin %x : vector<3xf32>
    %m = arith.mulf %s, %y : vector<3xf32>
    geo.yield %m : vector<3xf32>
  } -> (tensor<?x3xf32>)
  %q:2 = geo.rowwise rows(%x = %b : tensor<?x11xf32>, %k = %n : tensor<?xf64>, %t = %T : tensor<?xf64>) {
    %s = geo.scale %k, %x : vector<11xf32>
    %d = geo.dot %s, %x : vector<11xf32>
    %e = arith.mulf %d, %t : f64
    geo.yield %s, %e : vector<11xf32>, f64
  } -> (tensor<?x11xf32>, tensor<?xf64>)
  %z = geo.concat_columns %q#1, %p, %q#0, %T at [0, 1, 5, 17] : tensor<?xf64>, tensor<?x3xf32>, tensor<?x11xf32>, tensor<?xf64> -> tensor<?x18xf32>
  %l = geo.rowwise rows(%x = %z : tensor<?x18xf32>) {
    %s = math.sin %x : vector<18xf32>
    %d = geo.dot %s, %x : vector<18xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l, %z : f64, tensor<?x18xf32>
}
)mlir",
                       {spread({7, 21}, -1, 1), spread({7}, .5, 1)}));
}

TEST(ColumnsGradient, PairsOfColumns) {
  // Each factor of a pair program sees its block of the same rows.
  EXPECT_TRUE(checkAll(
      R"mlir(
func.func @f(%X: tensor<5x9xf32>, %Y: tensor<6x9xf32>, %I: tensor<5xi32>) -> f64 {
  %a = geo.columns %X[0] : tensor<5x9xf32> -> tensor<5x3xf32>
  %b = geo.columns %Y[0] : tensor<6x9xf32> -> tensor<6x3xf32>
  %c = geo.columns %X[3] : tensor<5x9xf32> -> tensor<5x6xf32>
  %d = geo.columns %Y[3] : tensor<6x9xf32> -> tensor<6x6xf32>
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %a, %b : tensor<5x3xf32>, tensor<6x3xf32>,
      %h = dot %c, %d : tensor<5x6xf32>, tensor<6x6xf32>) targets(%I : tensor<5xi32>) math f32 {
    %m = arith.mulf %g, %g : f32
    %z = arith.subf %h, %m : f32
    geo.yield %z : f32
  } -> (tensor<5xf64>, tensor<5xf64>)
  %l = geo.rowwise rows(%x = %nll : tensor<5xf64>) {
    geo.yield %x : f64
  } -> () sums (f64)
  return %l : f64
}
)mlir",
      {spread({5, 9}, -1, 1, 1), spread({6, 9}, -1, 1, 2), makeIds({5}, 6)}));
}

std::string makeScan(int truncate) {
  // The state is two blocks; one is updated by a product with columns of a
  // weight, the other by numbers; the output is a block and a number.
  return R"mlir(
func.func @f(%H: tensor<?x7xf32>, %U: tensor<?x?x7xf32>, %W: tensor<4x8xf32>, %K: tensor<?x5xf32>) -> (f64, tensor<?x?x5xf32>) {
  %end, %all = geo.scan init(%h = %H : tensor<?x7xf32>) inputs(%u = %U : tensor<?x?x7xf32>)
      shared(%w = %W : tensor<4x8xf32>) truncate )mlir" +
         std::to_string(truncate) + R"mlir( {
    %a = geo.columns %h[0] : tensor<?x7xf32> -> tensor<?x4xf32>
    %b = geo.columns %h[4] : tensor<?x7xf32> -> tensor<?x3xf32>
    %p = geo.columns %u[0] : tensor<?x7xf32> -> tensor<?x4xf32>
    %q = geo.columns %u[4] : tensor<?x7xf32> -> tensor<?x3xf32>
    %v = geo.columns %w[2] : tensor<4x8xf32> -> tensor<4x4xf32>
    %m = geo.matmul %a, %v : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n:2 = geo.rowwise rows(%x = %m : tensor<?x4xf32>, %y = %p : tensor<?x4xf32>) {
      %s = arith.addf %x, %y : vector<4xf32>
      %t = math.tanh %s : vector<4xf32>
      %d = geo.dot %t, %t : vector<4xf32>
      geo.yield %t, %d : vector<4xf32>, f64
    } -> (tensor<?x4xf32>, tensor<?xf64>)
    %r = geo.rowwise rows(%x = %b : tensor<?x3xf32>, %y = %q : tensor<?x3xf32>, %d = %n#1 : tensor<?xf64>) {
      %s = geo.scale %d, %y : vector<3xf32>
      %t = arith.addf %s, %x : vector<3xf32>
      %z = math.sin %t : vector<3xf32>
      geo.yield %z : vector<3xf32>
    } -> (tensor<?x3xf32>)
    %next = geo.concat_columns %n#0, %r at [0, 4] : tensor<?x4xf32>, tensor<?x3xf32> -> tensor<?x7xf32>
    %out = geo.concat_columns %n#1, %a at [0, 1] : tensor<?xf64>, tensor<?x4xf32> -> tensor<?x5xf32>
    geo.yield %next, %out : tensor<?x7xf32>, tensor<?x5xf32>
  } -> (tensor<?x7xf32>, tensor<?x?x5xf32>)
  %flat = tensor.collapse_shape %all [[0, 1], [2]] : tensor<?x?x5xf32> into tensor<?x5xf32>
  %l = geo.rowwise rows(%x = %flat : tensor<?x5xf32>, %k = %K : tensor<?x5xf32>) {
    %d = geo.dot %x, %k : vector<5xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  %e = geo.rowwise rows(%x = %end : tensor<?x7xf32>) {
    %d = geo.dot %x, %x : vector<7xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  %loss = arith.addf %l, %e : f64
  return %loss, %all : f64, tensor<?x?x5xf32>
}
)mlir";
}

TEST(ColumnsGradient, InScans) {
  for (int truncate : {0, 2})
    EXPECT_TRUE(
        checkAll(makeScan(truncate),
                 {spread({3, 7}, -1, 1, 1), spread({5, 3, 7}, -1, 1, 2),
                  spread({4, 8}, -.5, .5, 3), spread({15, 5}, -1, 1, 4)}))
        << truncate;
}

} // namespace
