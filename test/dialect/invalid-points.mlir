// RUN: geo-opt %s --split-input-file --verify-diagnostics

// geo.coords C1: out of points only.
func.func @coords_c1(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.coords' op expects points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.coords %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// geo.coords C1: to the same plain tensor.
func.func @coords_c1_type(%x: tensor<?x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.coords' op expects coordinates of type 'tensor<?x4xf32>', but got 'tensor<?x4xf64>'}}
  %0 = geo.coords %x : tensor<?x4xf32, #geo.euclidean> -> tensor<?x4xf64>
  return
}

// -----

// geo.point C1: into points only.
func.func @point_c1(%x: tensor<?x4xf32>) {
  // expected-error @below {{'geo.point' op expects points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.point %x : tensor<?x4xf32> -> tensor<?x4xf32>
  return
}

// -----

// geo.point C1: from a plain tensor.
func.func @point_c1_points(%x: tensor<?x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.point' op expects coordinates of type 'tensor<?x4xf32>', but got 'tensor<?x4xf32, #geo.euclidean>'}}
  %0 = geo.point %x : tensor<?x4xf32, #geo.euclidean> -> tensor<?x4xf32, #geo.poincare<1.0>>
  return
}
