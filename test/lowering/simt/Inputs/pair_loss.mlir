// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of a pair program: two tiles of rows, three of columns, three
// chunks of a row, none of them whole; some
// pairs that are so close that they are computed again.
// HOST: arith.constant 263 -> arith.constant 1
// FUNCTION: loss
// ARGS: f32:70x70:mixed f32:150x70:mixed f64:70:uniform f64:150:uniform i32:70:below-150 f64:70:nan f64:70:nan

func.func @loss(%X: tensor<?x70xf32>, %Y: tensor<?x70xf32>, %U: tensor<?xf64>, %V: tensor<?xf64>, %ids: tensor<?xi32>) -> (tensor<?xf64>, tensor<?xf64>) {
  %r:2 = geo.pairwise nll grams(%g = sqdiff %X, %Y : tensor<?x70xf32>, tensor<?x70xf32>) row(%u = %U : tensor<?xf64>) column(%w = %V : tensor<?xf64>) targets(%ids : tensor<?xi32>) math f32 {
    %c = arith.constant -0.1 : f32
    %s = arith.mulf %g, %c : f32
    %b = arith.addf %u, %w : f32
    %z = arith.addf %s, %b : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  return %r#0, %r#1 : tensor<?xf64>, tensor<?xf64>
}
