// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of a row program with a sum over rows; no whole number of
// vectors in a row.
// FUNCTION: rows
// ARGS: f32:37x131:uniform f32:37x131:nan f64=0

func.func @rows(%X: tensor<?x131xf32>) -> (tensor<?x131xf32>, f64) {
  %y, %s = geo.rowwise rows(%r = %X : tensor<?x131xf32>) {
    %one = arith.constant 1.0 : f64
    %sq = geo.dot %r, %r : vector<131xf32>
    %f = arith.divf %one, %sq : f64
    %y = geo.scale %f, %r : vector<131xf32>
    geo.yield %y, %f : vector<131xf32>, f64
  } -> (tensor<?x131xf32>) sums (f64)
  return %y, %s : tensor<?x131xf32>, f64
}
