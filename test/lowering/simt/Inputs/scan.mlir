// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of a recurrence of five steps with a product in each.
// UNNEEDED: barrier removed: 1 (the last of a step: steps alternate between two
//           buffers, and the first barrier of the next orders the rest)
// UNNEEDED: mask widened: 1 (no block is without rows)
// FUNCTION: scan
// ARGS: f32:9x19:uniform f32:5x9x19:uniform f32:19x19:uniform f32:9x19:nan f32:5x9x19:nan

func.func @scan(%h0: tensor<?x19xf32>, %U: tensor<?x?x19xf32>, %W: tensor<19x19xf32>) -> (tensor<?x19xf32>, tensor<?x?x19xf32>) {
  %end, %all = geo.scan init(%h = %h0 : tensor<?x19xf32>) inputs(%u = %U : tensor<?x?x19xf32>) shared(%w = %W : tensor<19x19xf32>) {
    %p = geo.matmul %h, %w : tensor<?x19xf32>, tensor<19x19xf32> -> tensor<?x19xf32>
    %n = geo.rowwise rows(%r = %p : tensor<?x19xf32>, %s = %u : tensor<?x19xf32>) {
      %v = arith.addf %r, %s : vector<19xf32>
      %y = math.tanh %v : vector<19xf32>
      %d = geo.dot %y, %s : vector<19xf32>
      %z = geo.scale %d, %y : vector<19xf32>
      geo.yield %z : vector<19xf32>
    } -> (tensor<?x19xf32>)
    geo.yield %n, %n : tensor<?x19xf32>, tensor<?x19xf32>
  } -> (tensor<?x19xf32>, tensor<?x?x19xf32>)
  return %end, %all : tensor<?x19xf32>, tensor<?x?x19xf32>
}
