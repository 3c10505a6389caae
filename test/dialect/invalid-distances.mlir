// RUN: geo-opt %s --split-input-file --verify-diagnostics

// geo.sqdist C1: points of one manifold.
func.func @sqdist_c1(%x: tensor<?x4xf32, #geo.poincare<1.0>>, %y: tensor<?x4xf32, #geo.poincare<2.0>>) {
  // expected-error @below {{'geo.sqdist' op expects x and y to be points of one manifold, but got #geo.poincare<1.0> and #geo.poincare<2.0>}}
  %0 = geo.sqdist %x, %y : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<2.0>> -> tensor<?xf64>
  return
}

// -----

// geo.sqdist C1: of one dimension.
func.func @sqdist_c1_dimension(%x: tensor<?x4xf32, #geo.euclidean>, %y: tensor<?x8xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.sqdist' op expects x and y of one dimension and element type, but got 'tensor<?x4xf32, #geo.euclidean>' and 'tensor<?x8xf32, #geo.euclidean>'}}
  %0 = geo.sqdist %x, %y : tensor<?x4xf32, #geo.euclidean>, tensor<?x8xf32, #geo.euclidean> -> tensor<?xf64>
  return
}

// -----

// geo.sqdist C1: no plain tensors.
func.func @sqdist_c1_plain(%x: tensor<?x4xf32, #geo.euclidean>, %y: tensor<?x4xf32>) {
  // expected-error @below {{'geo.sqdist' op expects y to be points of a manifold, but got 'tensor<?x4xf32>'}}
  %0 = geo.sqdist %x, %y : tensor<?x4xf32, #geo.euclidean>, tensor<?x4xf32> -> tensor<?xf64>
  return
}

// -----

// geo.sqdist C2.
func.func @sqdist_c2(%x: tensor<?x4xf32, #geo.poincare<"c">>) {
  // expected-error @below {{'geo.sqdist' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.sqdist %x, %x : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?xf64>
  return
}

// -----

// geo.sqdist C3: per row.
func.func @sqdist_c3(%x: tensor<3x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.sqdist' op expects a result of type 'tensor<3xf64>', but got 'tensor<3x3xf32>'}}
  %0 = geo.sqdist %x, %x : tensor<3x4xf32, #geo.euclidean>, tensor<3x4xf32, #geo.euclidean> -> tensor<3x3xf32>
  return
}

// -----

// geo.sqdist C3: as many rows.
func.func @sqdist_c3_rows(%x: tensor<3x4xf32, #geo.euclidean>, %y: tensor<5x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.sqdist' op expects x and y of one number of rows, but got 3 and 5}}
  %0 = geo.sqdist %x, %y : tensor<3x4xf32, #geo.euclidean>, tensor<5x4xf32, #geo.euclidean> -> tensor<3xf64>
  return
}

// -----

// geo.sqdist C4.
func.func @sqdist_c4(%x: tensor<3x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.sqdist' op expects math f32 or f64, but got 'bf16'}}
  %0 = geo.sqdist %x, %x all_pairs math bf16 : tensor<3x4xf32, #geo.euclidean>, tensor<3x4xf32, #geo.euclidean> -> tensor<3x3xf32>
  return
}

// -----

// geo.geodesic_dist C1.
func.func @geodesic_dist_c1(%x: tensor<?x4xf32, #geo.poincare<"a">>, %y: tensor<?x4xf32, #geo.poincare<"b">>, %c: f64) {
  // expected-error @below {{'geo.geodesic_dist' op expects x and y to be points of one manifold, but got #geo.poincare<"a"> and #geo.poincare<"b">}}
  %0 = geo.geodesic_dist %x, %y curvature(%c) : tensor<?x4xf32, #geo.poincare<"a">>, tensor<?x4xf32, #geo.poincare<"b">> -> tensor<?xf64>
  return
}

// -----

// geo.geodesic_dist C2.
func.func @geodesic_dist_c2(%x: tensor<?x4xf32, #geo.euclidean>, %c: f64) {
  // expected-error @below {{'geo.geodesic_dist' op expects 0 curvature operands, one per label of #geo.euclidean, but got 1}}
  %0 = geo.geodesic_dist %x, %x curvature(%c) : tensor<?x4xf32, #geo.euclidean>, tensor<?x4xf32, #geo.euclidean> -> tensor<?xf64>
  return
}

// -----

// geo.geodesic_dist C3.
func.func @geodesic_dist_c3(%x: tensor<3x4xf32, #geo.euclidean>, %y: tensor<5x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.geodesic_dist' op expects a result of type 'tensor<3x5xf32>', but got 'tensor<3x5xf64>'}}
  %0 = geo.geodesic_dist %x, %y all_pairs : tensor<3x4xf32, #geo.euclidean>, tensor<5x4xf32, #geo.euclidean> -> tensor<3x5xf64>
  return
}

// -----

// geo.geodesic_dist C4.
func.func @geodesic_dist_c4(%x: tensor<3x4xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.geodesic_dist' op expects math f32 or f64, but got 'i32'}}
  %0 = geo.geodesic_dist %x, %x all_pairs math i32 : tensor<3x4xf32, #geo.euclidean>, tensor<3x4xf32, #geo.euclidean> -> tensor<3x3xf32>
  return
}

// -----

// geo.distance_log_softmax C1.
func.func @log_softmax_c1(%h: tensor<?x4xf32, #geo.euclidean>, %e: tensor<50x4xf32>, %tau: f64) {
  // expected-error @below {{'geo.distance_log_softmax' op expects e to be points of a manifold, but got 'tensor<50x4xf32>'}}
  %0 = geo.distance_log_softmax %h, %e tau(%tau) : tensor<?x4xf32, #geo.euclidean>, tensor<50x4xf32> -> tensor<?x50xf32>
  return
}

// -----

// geo.distance_log_softmax C2.
func.func @log_softmax_c2(%h: tensor<?x4xf32, #geo.poincare<"c">>, %e: tensor<50x4xf32, #geo.poincare<"c">>, %tau: f64) {
  // expected-error @below {{'geo.distance_log_softmax' op expects 1 curvature operand, one per label of #geo.poincare<"c">, but got 0}}
  %0 = geo.distance_log_softmax %h, %e tau(%tau) : tensor<?x4xf32, #geo.poincare<"c">>, tensor<50x4xf32, #geo.poincare<"c">> -> tensor<?x50xf32>
  return
}

// -----

// geo.distance_log_softmax C3.
func.func @log_softmax_c3(%h: tensor<?x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %tau: f64) {
  // expected-error @below {{'geo.distance_log_softmax' op expects a result of type 'tensor<?x50xf32>', but got 'tensor<?x40xf32>'}}
  %0 = geo.distance_log_softmax %h, %e tau(%tau) : tensor<?x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<?x40xf32>
  return
}

// -----

// geo.distance_log_softmax C4.
func.func @log_softmax_c4(%h: tensor<?x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %tau: f64) {
  // expected-error @below {{'geo.distance_log_softmax' op expects math f32 or f64, but got 'f16'}}
  %0 = geo.distance_log_softmax %h, %e tau(%tau) math f16 : tensor<?x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<?x50xf32>
  return
}

// -----

// geo.distance_nll C1.
func.func @nll_c1(%h: tensor<?x4xf32, #geo.euclidean>, %e: tensor<50x8xf32, #geo.euclidean>, %t: tensor<?xi32>, %tau: f64) {
  // expected-error @below {{'geo.distance_nll' op expects h and e of one dimension and element type, but got 'tensor<?x4xf32, #geo.euclidean>' and 'tensor<50x8xf32, #geo.euclidean>'}}
  %0 = geo.distance_nll %h, %e targets(%t : tensor<?xi32>) tau(%tau) : tensor<?x4xf32, #geo.euclidean>, tensor<50x8xf32, #geo.euclidean> -> tensor<?xf64>
  return
}

// -----

// geo.distance_nll C2.
func.func @nll_c2(%h: tensor<?x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %t: tensor<?xi32>, %tau: f64) {
  // expected-error @below {{'geo.distance_nll' op expects 0 curvature operands, one per label of #geo.euclidean, but got 1}}
  %0 = geo.distance_nll %h, %e targets(%t : tensor<?xi32>) tau(%tau) curvature(%tau) : tensor<?x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<?xf64>
  return
}

// -----

// geo.distance_nll C3: one target per row.
func.func @nll_c3(%h: tensor<3x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %t: tensor<4xi32>, %tau: f64) {
  // expected-error @below {{'geo.distance_nll' op expects targets of type 'tensor<3xi32>', but got 'tensor<4xi32>'}}
  %0 = geo.distance_nll %h, %e targets(%t : tensor<4xi32>) tau(%tau) : tensor<3x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<3xf64>
  return
}

// -----

// geo.distance_nll C3: one number per row.
func.func @nll_c3_result(%h: tensor<3x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %t: tensor<3xi32>, %tau: f64) {
  // expected-error @below {{'geo.distance_nll' op expects a result of type 'tensor<3xf64>', but got 'tensor<3x50xf32>'}}
  %0 = geo.distance_nll %h, %e targets(%t : tensor<3xi32>) tau(%tau) : tensor<3x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<3x50xf32>
  return
}

// -----

// geo.distance_nll C4.
func.func @nll_c4(%h: tensor<3x4xf32, #geo.euclidean>, %e: tensor<50x4xf32, #geo.euclidean>, %t: tensor<3xi32>, %tau: f64) {
  // expected-error @below {{'geo.distance_nll' op expects math f32 or f64, but got 'f16'}}
  %0 = geo.distance_nll %h, %e targets(%t : tensor<3xi32>) tau(%tau) math f16 : tensor<3x4xf32, #geo.euclidean>, tensor<50x4xf32, #geo.euclidean> -> tensor<3xf64>
  return
}
