// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: matrices.
func.func @c1(%a: tensor<4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'geo.matmul' op expects plain matrices of one element type, but got 'tensor<4xf32>'}}
  %0 = geo.matmul %a, %b : tensor<4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return
}

// -----

// C1: of one element type.
func.func @c1_type(%a: tensor<3x4xf32>, %b: tensor<4x5xf64>) {
  // expected-error @below {{'geo.matmul' op expects plain matrices of one element type, but got 'tensor<4x5xf64>'}}
  %0 = geo.matmul %a, %b : tensor<3x4xf32>, tensor<4x5xf64> -> tensor<3x5xf32>
  return
}

// -----

// C1: no points.
func.func @c1_points(%a: tensor<3x4xf32, #geo.poincare<1.0>>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'geo.matmul' op expects plain matrices of one element type, but got 'tensor<3x4xf32, #geo.poincare<1.0>>'}}
  %0 = geo.matmul %a, %b : tensor<3x4xf32, #geo.poincare<1.0>>, tensor<4x5xf32> -> tensor<3x5xf32>
  return
}

// -----

// C2: what is contracted.
func.func @c2(%a: tensor<3x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'geo.matmul' op expects equal contracted sizes, but got 4 and 5}}
  %0 = geo.matmul %a, %b transpose_b : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x4xf32>
  return
}

// -----

// C3: the shape of the result.
func.func @c3(%a: tensor<4x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{'geo.matmul' op expects a result of shape 3x5, but got 'tensor<4x5xf32>'}}
  %0 = geo.matmul %a, %b transpose_a : tensor<4x3xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  return
}
