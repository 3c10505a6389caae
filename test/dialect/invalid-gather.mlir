// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: a table of rows.
func.func @c1(%E: tensor<50xf32>, %ids: tensor<?xi32>) {
  // expected-error @below {{'geo.gather' op expects a table [V, d], ids [N] and rows [N, d] of the table's element type, but got 'tensor<50xf32>', 'tensor<?xi32>' and 'tensor<?x8xf32>'}}
  %0 = geo.gather %E[%ids] : tensor<50xf32>, tensor<?xi32> -> tensor<?x8xf32>
  return
}

// -----

// C1: ids of i32.
func.func @c1_ids(%E: tensor<50x8xf32>, %ids: tensor<?xi64>) {
  // expected-error @below {{'geo.gather' op operand #1 must be ranked tensor of 32-bit signless integer values, but got 'tensor<?xi64>'}}
  %0 = geo.gather %E[%ids] : tensor<50x8xf32>, tensor<?xi64> -> tensor<?x8xf32>
  return
}

// -----

// C1: one row per id.
func.func @c1_rows(%E: tensor<50x8xf32>, %ids: tensor<3xi32>) {
  // expected-error @below {{'geo.gather' op expects a table [V, d], ids [N] and rows [N, d] of the table's element type, but got 'tensor<50x8xf32>', 'tensor<3xi32>' and 'tensor<4x8xf32>'}}
  %0 = geo.gather %E[%ids] : tensor<50x8xf32>, tensor<3xi32> -> tensor<4x8xf32>
  return
}

// -----

// C1: of the table's row length.
func.func @c1_length(%E: tensor<50x8xf32>, %ids: tensor<3xi32>) {
  // expected-error @below {{'geo.gather' op expects a table [V, d], ids [N] and rows [N, d] of the table's element type, but got 'tensor<50x8xf32>', 'tensor<3xi32>' and 'tensor<3x4xf32>'}}
  %0 = geo.gather %E[%ids] : tensor<50x8xf32>, tensor<3xi32> -> tensor<3x4xf32>
  return
}

// -----

// C1: rows of points stay points.
func.func @c1_points(%E: tensor<50x8xf32, #geo.poincare<1.0>>, %ids: tensor<3xi32>) {
  // expected-error @below {{'geo.gather' op expects rows with the table's encoding, but got 'tensor<50x8xf32, #geo.poincare<1.0>>' and 'tensor<3x8xf32>'}}
  %0 = geo.gather %E[%ids] : tensor<50x8xf32, #geo.poincare<1.0>>, tensor<3xi32> -> tensor<3x8xf32>
  return
}
