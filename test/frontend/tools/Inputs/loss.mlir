// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @loss(%W: tensor<4x4xf32>, %x: tensor<?x4xf32, #geo.poincare<1.0>>, %e: tensor<10x4xf32, #geo.poincare<1.0>>, %t: tensor<?xi32>, %tau: f64) -> f64 {
  %v = geo.logmap0 %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32>
  %h = geo.matmul %v, %W : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  %p = geo.expmap0 %h : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  %n = geo.distance_nll %p, %e targets(%t : tensor<?xi32>) tau(%tau) : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<10x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  %s = geo.rowwise rows(%a = %n : tensor<?xf64>) {
    geo.yield %a : f64
  } -> () sums (f64)
  return %s : f64
}
func.func @step(%W: tensor<4x4xf32>, %x: tensor<?x4xf32, #geo.poincare<1.0>>, %e: tensor<10x4xf32, #geo.poincare<1.0>>, %t: tensor<?xi32>, %tau: f64) -> (f64, tensor<4x4xf32>, f64) {
  %l, %dW, %dt = geo.gradient @loss(%W, %x, %e, %t, %tau) wrt [0, 4] : (tensor<4x4xf32>, tensor<?x4xf32, #geo.poincare<1.0>>, tensor<10x4xf32, #geo.poincare<1.0>>, tensor<?xi32>, f64) -> (f64, tensor<4x4xf32>, f64)
  return %l, %dW, %dt : f64, tensor<4x4xf32>, f64
}
