// RUN: geo-opt %s | FileCheck %s
// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt %s --mlir-print-op-generic | geo-opt | FileCheck %s
// One op per standard formula, and those made of several.

!p = tensor<?x4xf32, #geo.poincare<"c">>
!t = tensor<?x4xf32>
!n = tensor<?xf64>

// CHECK-LABEL: func @points
func.func @points(%x: !p, %y: !p, %w: !p, %v: !t, %r: f64, %s: !n, %c: f64) {
  // CHECK: geo.neg %{{.*}} curvature(%{{.*}}) : tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x4xf32, #geo.poincare<"c">>
  %0 = geo.neg %x curvature(%c) : !p -> !p
  // CHECK: geo.scalar_mul %{{.*}}, %{{.*}} curvature(%{{.*}}) : f64, tensor<?x4xf32, #geo.poincare<"c">> ->
  %1 = geo.scalar_mul %r, %x curvature(%c) : f64, !p -> !p
  // CHECK: geo.scalar_mul %{{.*}}, %{{.*}} curvature(%{{.*}}) : tensor<?xf64>, tensor<?x4xf32, #geo.poincare<"c">> ->
  %2 = geo.scalar_mul %s, %x curvature(%c) : !n, !p -> !p
  // CHECK: geo.gyration %{{.*}}, %{{.*}}, %{{.*}} curvature
  %3 = geo.gyration %x, %y, %w curvature(%c) : !p, !p, !p -> !p
  // CHECK: geo.retract %{{.*}}, %{{.*}} curvature
  %4 = geo.retract %x, %v curvature(%c) : !p, !t -> !p
  // CHECK: geo.geodesic %{{.*}}, %{{.*}}, %{{.*}} curvature({{.*}}, f64 ->
  %5 = geo.geodesic %x, %y, %r curvature(%c) : !p, !p, f64 -> !p
  // CHECK: geo.wrapped_normal %{{.*}}, %{{.*}} curvature
  %6 = geo.wrapped_normal %x, %v curvature(%c) : !p, !t -> !p
  // CHECK: geo.fn_apply @functions::@tanh(%{{.*}}) curvature
  %7 = geo.fn_apply @functions::@tanh(%x) curvature(%c) : !p -> !p
  return
}

// CHECK-LABEL: func @vectors
func.func @vectors(%x: !p, %y: !p, %v: !t, %c: f64) {
  // CHECK: geo.logmap %{{.*}}, %{{.*}} curvature
  %0 = geo.logmap %x, %y curvature(%c) : !p, !p -> !t
  // CHECK: geo.egrad2rgrad %{{.*}}, %{{.*}} curvature
  %1 = geo.egrad2rgrad %x, %v curvature(%c) : !p, !t -> !t
  // CHECK: geo.transport0 %{{.*}}, %{{.*}} curvature
  %2 = geo.transport0 %x, %v curvature(%c) : !p, !t -> !t
  // CHECK: geo.transport %{{.*}}, %{{.*}}, %{{.*}} curvature
  %3 = geo.transport %x, %y, %v curvature(%c) : !p, !p, !t -> !t
  return
}

// CHECK-LABEL: func @numbers
func.func @numbers(%x: !p, %y: !p, %u: !t, %v: !t, %c: f64) {
  // CHECK: geo.dist0 %{{.*}} curvature
  %0 = geo.dist0 %x curvature(%c) : !p -> !n
  // CHECK: geo.inner %{{.*}}, %{{.*}}, %{{.*}} curvature
  %1 = geo.inner %x, %u, %v curvature(%c) : !p, !t, !t -> !n
  // CHECK: geo.norm %{{.*}}, %{{.*}} curvature
  %2 = geo.norm %x, %v curvature(%c) : !p, !t -> !n
  // CHECK: geo.plane_dist %{{.*}}, %{{.*}}, %{{.*}} curvature
  %3 = geo.plane_dist %x, %y, %v curvature(%c) : !p, !p, !t -> !n
  return
}

// CHECK-LABEL: func @batches
func.func @batches(%x: tensor<7x4xf32, #geo.lorentz<2.0>>, %m: tensor<3x4xf32>, %w: tensor<?x7xf32>, %a: tensor<7x5xf32>) {
  // CHECK: geo.matvec %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x3xf32, #geo.lorentz<2.0>>
  %0 = geo.matvec %m, %x : tensor<3x4xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x3xf32, #geo.lorentz<2.0>>
  // CHECK: geo.midpoint %{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32, #geo.lorentz<2.0>>
  %1 = geo.midpoint %w, %x : tensor<?x7xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32, #geo.lorentz<2.0>>
  // CHECK: geo.lift %{{.*}} : tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x5xf32>
  %2 = geo.lift %x : tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x5xf32>
  // CHECK: geo.drop %{{.*}} : tensor<7x5xf32> -> tensor<7x4xf32, #geo.lorentz<2.0>>
  %3 = geo.drop %a : tensor<7x5xf32> -> tensor<7x4xf32, #geo.lorentz<2.0>>
  // CHECK: geo.convert %{{.*}} : tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x4xf32, #geo.poincare<2.0>>
  %4 = geo.convert %x : tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x4xf32, #geo.poincare<2.0>>
  return
}
