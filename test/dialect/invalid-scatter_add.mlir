// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: one id per row.
func.func @c1(%R: tensor<4x8xf32>, %ids: tensor<3xi32>) {
  // expected-error @below {{'geo.scatter_add' op expects a table [V, d], ids [N] and rows [N, d] of the table's element type, but got 'tensor<50x8xf32>', 'tensor<3xi32>' and 'tensor<4x8xf32>'}}
  %0 = geo.scatter_add %R[%ids] : tensor<4x8xf32>, tensor<3xi32> -> tensor<50x8xf32>
  return
}

// -----

// C1: sums of points are no points.
func.func @c1_points(%R: tensor<?x8xf32, #geo.euclidean>, %ids: tensor<?xi32>) {
  // expected-error @below {{'geo.scatter_add' op expects a plain result, but got 'tensor<50x8xf32, #geo.euclidean>'}}
  %0 = geo.scatter_add %R[%ids] : tensor<?x8xf32, #geo.euclidean>, tensor<?xi32> -> tensor<50x8xf32, #geo.euclidean>
  return
}

// -----

// C2: a size where the result has none.
func.func @c2(%R: tensor<?x8xf32>, %ids: tensor<?xi32>) {
  // expected-error @below {{'geo.scatter_add' op expects `size` iff the result has a dynamic number of rows, but got 'tensor<?x8xf32>' without size}}
  %0 = geo.scatter_add %R[%ids] : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  return
}

// -----

// C2: and only there.
func.func @c2_static(%R: tensor<?x8xf32>, %ids: tensor<?xi32>, %v: index) {
  // expected-error @below {{'geo.scatter_add' op expects `size` iff the result has a dynamic number of rows, but got 'tensor<50x8xf32>' with size}}
  %0 = geo.scatter_add %R[%ids] size %v : tensor<?x8xf32>, tensor<?xi32> -> tensor<50x8xf32>
  return
}
