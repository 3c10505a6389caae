// RUN: geo-opt %s --canonicalize --split-input-file | FileCheck %s
// Folds by geometry, and where they must not fire.

!points = tensor<3x4xf32, #geo.poincare<1.0>>
!flat = tensor<3x4xf32, #geo.euclidean>

// log0(exp0 v) = v and exp0(log0 x) = x.
// CHECK-LABEL: func.func @inverse
// CHECK-SAME: (%[[V:.*]]: tensor<3x4xf32>, %[[X:.*]]: tensor<3x4xf32, #geo.poincare<1.0>>)
// CHECK-NEXT: return %[[V]], %[[X]]
func.func @inverse(%v: tensor<3x4xf32>, %x: !points) -> (tensor<3x4xf32>, !points) {
  %0 = geo.expmap0 %v : tensor<3x4xf32> -> !points
  %1 = geo.logmap0 %0 : !points -> tensor<3x4xf32>
  %2 = geo.logmap0 %x : !points -> tensor<3x4xf32>
  %3 = geo.expmap0 %2 : tensor<3x4xf32> -> !points
  return %1, %3 : tensor<3x4xf32>, !points
}

// -----

// Not between two curvatures, be they numbers or values.
// CHECK-LABEL: func.func @other_curvature
// CHECK: geo.logmap0
// CHECK: geo.expmap0
// CHECK: geo.expmap0
// CHECK: geo.logmap0
func.func @other_curvature(%x: tensor<3x4xf32, #geo.poincare<1.0>>, %v: tensor<3x4xf32>, %c: f64, %d: f64)
    -> (tensor<3x4xf32, #geo.poincare<2.0>>, tensor<3x4xf32>) {
  %0 = geo.logmap0 %x : tensor<3x4xf32, #geo.poincare<1.0>> -> tensor<3x4xf32>
  %1 = geo.expmap0 %0 : tensor<3x4xf32> -> tensor<3x4xf32, #geo.poincare<2.0>>
  %2 = geo.expmap0 %v curvature(%c) : tensor<3x4xf32> -> tensor<3x4xf32, #geo.poincare<"c">>
  %3 = geo.logmap0 %2 curvature(%d) : tensor<3x4xf32, #geo.poincare<"c">> -> tensor<3x4xf32>
  return %1, %3 : tensor<3x4xf32, #geo.poincare<2.0>>, tensor<3x4xf32>
}

// -----

// With one labelled curvature it folds.
// CHECK-LABEL: func.func @label
// CHECK-SAME: (%[[V:.*]]: tensor<3x4xf32>,
// CHECK-NEXT: return %[[V]]
func.func @label(%v: tensor<3x4xf32>, %c: f64) -> tensor<3x4xf32> {
  %0 = geo.expmap0 %v curvature(%c) : tensor<3x4xf32> -> tensor<3x4xf32, #geo.poincare<"c">>
  %1 = geo.logmap0 %0 curvature(%c) : tensor<3x4xf32, #geo.poincare<"c">> -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

!points = tensor<3x4xf32, #geo.poincare<1.0>>

// x (+) 0 = x and 0 (+) x = x.
// CHECK-LABEL: func.func @add_zero
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32, #geo.poincare<1.0>>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @add_zero(%x: !points) -> (!points, !points) {
  %zero = arith.constant dense<0.0> : tensor<3x4xf32>
  %origin = geo.point %zero : tensor<3x4xf32> -> !points
  %0 = geo.mobius_add %x, %origin : !points
  %1 = geo.mobius_add %origin, %x : !points
  return %0, %1 : !points, !points
}

// -----

!points = tensor<3x4xf32, #geo.poincare<1.0>>

// Another constant stays.
// CHECK-LABEL: func.func @add_constant
// CHECK: geo.mobius_add
func.func @add_constant(%x: !points) -> !points {
  %c = arith.constant dense<0.5> : tensor<3x4xf32>
  %p = geo.point %c : tensor<3x4xf32> -> !points
  %0 = geo.mobius_add %x, %p : !points
  return %0 : !points
}

// -----

!points = tensor<3x4xf32, #geo.poincare<1.0>>

// d(x, x) = 0 per row, but not for all pairs.
// CHECK-LABEL: func.func @self_distance
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<3xf64>
// CHECK: %[[ALL:.*]] = geo.sqdist {{.*}} all_pairs
// CHECK: return %[[ZERO]], %[[ZERO]], %[[ALL]]
func.func @self_distance(%x: !points) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xf32>) {
  %0 = geo.sqdist %x, %x : !points, !points -> tensor<3xf64>
  %1 = geo.geodesic_dist %x, %x : !points, !points -> tensor<3xf64>
  %2 = geo.sqdist %x, %x all_pairs : !points, !points -> tensor<3x3xf32>
  return %0, %1, %2 : tensor<3xf64>, tensor<3xf64>, tensor<3x3xf32>
}

// -----

// A dynamic number of rows has no constant.
// CHECK-LABEL: func.func @self_distance_dynamic
// CHECK: geo.sqdist
func.func @self_distance_dynamic(%x: tensor<?x4xf32, #geo.euclidean>) -> tensor<?xf64> {
  %0 = geo.sqdist %x, %x : tensor<?x4xf32, #geo.euclidean>, tensor<?x4xf32, #geo.euclidean> -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

!points = tensor<3x4xf32, #geo.poincare<1.0>>

// The two doors undo each other, but coordinates never become points of another
// manifold for free.
// CHECK-LABEL: func.func @doors
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32, #geo.poincare<1.0>>, %[[V:.*]]: tensor<3x4xf32>)
// CHECK: %[[C:.*]] = geo.coords %[[X]]
// CHECK: %[[P:.*]] = geo.point %[[C]] : tensor<3x4xf32> -> tensor<3x4xf32, #geo.euclidean>
// CHECK: return %[[X]], %[[V]], %[[P]]
func.func @doors(%x: !points, %v: tensor<3x4xf32>) -> (!points, tensor<3x4xf32>, tensor<3x4xf32, #geo.euclidean>) {
  %0 = geo.coords %x : !points -> tensor<3x4xf32>
  %1 = geo.point %0 : tensor<3x4xf32> -> !points
  %2 = geo.point %v : tensor<3x4xf32> -> !points
  %3 = geo.coords %2 : !points -> tensor<3x4xf32>
  %4 = geo.point %0 : tensor<3x4xf32> -> tensor<3x4xf32, #geo.euclidean>
  return %1, %3, %4 : !points, tensor<3x4xf32>, tensor<3x4xf32, #geo.euclidean>
}
