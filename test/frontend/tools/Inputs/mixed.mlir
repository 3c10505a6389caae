// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
func.func @f(%x: tensor<4x8xf32, #geo.poincare<1.0>>) -> tensor<4x8xf32, #geo.poincare<1.0>> {
  %z = arith.addf %x, %x : tensor<4x8xf32, #geo.poincare<1.0>>
  return %z : tensor<4x8xf32, #geo.poincare<1.0>>
}
