// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of a product; no size is a whole number of tiles.
// FUNCTION: product
// ARGS: f32:70x70:uniform f32:70x90:uniform f32:70x90:nan

func.func @product(%a: tensor<?x70xf32>, %b: tensor<70x90xf32>) -> tensor<?x90xf32> {
  %0 = geo.matmul %a, %b : tensor<?x70xf32>, tensor<70x90xf32> -> tensor<?x90xf32>
  return %0 : tensor<?x90xf32>
}
