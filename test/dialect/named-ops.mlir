// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s
// Every named op, with a constant curvature and with a label.

// CHECK-LABEL: func.func @constant_curvature
func.func @constant_curvature(%v: tensor<?x4xf32>, %ids: tensor<?xi32>, %tau: f64) {
  // CHECK: geo.point %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  %x = geo.point %v : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  // CHECK: geo.coords %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32>
  %0 = geo.coords %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32>
  // CHECK: geo.mobius_add %{{.*}}, %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>>
  %1 = geo.mobius_add %x, %x : tensor<?x4xf32, #geo.poincare<1.0>>
  // CHECK: geo.expmap0 %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  %2 = geo.expmap0 %v : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  // CHECK: geo.logmap0 %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32>
  %3 = geo.logmap0 %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x4xf32>
  // CHECK: geo.expmap %{{.*}}, %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32>
  %4 = geo.expmap %x, %v : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32>
  // CHECK: geo.conformal_factor %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  %5 = geo.conformal_factor %x : tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  // CHECK: geo.project %{{.*}} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  %6 = geo.project %v : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  // CHECK: geo.sqdist %{{.*}}, %{{.*}} : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  %7 = geo.sqdist %x, %x : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  // CHECK: geo.geodesic_dist %{{.*}}, %{{.*}} all_pairs : {{.*}} -> tensor<?x?xf32>
  %8 = geo.geodesic_dist %x, %1 all_pairs : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x?xf32>
  // CHECK: geo.distance_log_softmax %{{.*}}, %{{.*}} tau(%{{.*}}) : {{.*}} -> tensor<?x?xf32>
  %9 = geo.distance_log_softmax %x, %1 tau(%tau) : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?x?xf32>
  // CHECK: geo.distance_nll %{{.*}}, %{{.*}} targets(%{{.*}} : tensor<?xi32>) tau(%{{.*}}) : {{.*}} -> tensor<?xf64>
  %10 = geo.distance_nll %x, %1 targets(%ids : tensor<?xi32>) tau(%tau) : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?x4xf32, #geo.poincare<1.0>> -> tensor<?xf64>
  return
}

// CHECK-LABEL: func.func @label
func.func @label(%v: tensor<?x4xf32>, %x: tensor<?x4xf32, #geo.poincare<"c">>, %ids: tensor<?xi32>, %tau: f64, %c: f64) {
  // CHECK: geo.mobius_add %{{.*}}, %{{.*}} curvature(%{{.*}}) : tensor<?x4xf32, #geo.poincare<"c">>
  %1 = geo.mobius_add %x, %x curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">>
  // CHECK: geo.expmap0 %{{.*}} curvature(%{{.*}}) : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  %2 = geo.expmap0 %v curvature(%c) : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  // CHECK: geo.logmap0 %{{.*}} curvature(%{{.*}}) : {{.*}} -> tensor<?x4xf32>
  %3 = geo.logmap0 %x curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x4xf32>
  // CHECK: geo.expmap %{{.*}}, %{{.*}} curvature(%{{.*}}) :
  %4 = geo.expmap %x, %v curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32>
  // CHECK: geo.conformal_factor %{{.*}} curvature(%{{.*}}) : {{.*}} -> tensor<?xf64>
  %5 = geo.conformal_factor %x curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?xf64>
  // CHECK: geo.project %{{.*}} curvature(%{{.*}}) {fraction = 5.000000e-01 : f64} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  %6 = geo.project %v curvature(%c) {fraction = 0.5 : f64} : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<"c">>
  // CHECK: geo.sqdist %{{.*}}, %{{.*}} curvature(%{{.*}}) all_pairs math f32 : {{.*}} -> tensor<?x?xf32>
  %7 = geo.sqdist %x, %1 curvature(%c) all_pairs math f32 : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x?xf32>
  // CHECK: geo.geodesic_dist %{{.*}}, %{{.*}} curvature(%{{.*}}) : {{.*}} -> tensor<?xf64>
  %8 = geo.geodesic_dist %x, %1 curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?xf64>
  // CHECK: geo.distance_log_softmax %{{.*}}, %{{.*}} tau(%{{.*}}) curvature(%{{.*}}) math f32 : {{.*}} -> tensor<?x?xf32>
  %9 = geo.distance_log_softmax %x, %1 tau(%tau) curvature(%c) math f32 : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x?xf32>
  // CHECK: geo.distance_nll %{{.*}}, %{{.*}} targets(%{{.*}} : tensor<?xi32>) tau(%{{.*}}) curvature(%{{.*}}) math f64 : {{.*}} -> tensor<?xf64>
  %10 = geo.distance_nll %x, %1 targets(%ids : tensor<?xi32>) tau(%tau) curvature(%c) math f64 : tensor<?x4xf32, #geo.poincare<"c">>, tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?xf64>
  return
}

// Flat space has no curvature.
// CHECK-LABEL: func.func @flat
func.func @flat(%x: tensor<3x4xf64, #geo.euclidean>, %v: tensor<3x4xf64>) {
  // CHECK: geo.expmap %{{.*}}, %{{.*}} : tensor<3x4xf64, #geo.euclidean>, tensor<3x4xf64>
  %0 = geo.expmap %x, %v : tensor<3x4xf64, #geo.euclidean>, tensor<3x4xf64>
  return
}
