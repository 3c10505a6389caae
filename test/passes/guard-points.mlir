// RUN: geo-opt %s --geo-check-points --geo-guard-points | FileCheck %s
// RUN: geo-opt %s --geo-check-points --geo-guard-points --geo-expand --geo-differentiate | FileCheck %s --check-prefix=PLAIN
// Each batch of points is measured once, before the first op that uses it.

// CHECK-LABEL: func @decoder
func.func @decoder(%h: tensor<?x8xf32, #geo.poincare<"c">>, %e: tensor<10x8xf32, #geo.poincare<"c">>,
                   %c: f64, %tau: f64, %ids: tensor<?xi32>) -> (tensor<?xf64>, tensor<?x8xf32>) {
  // CHECK: %[[H:.*]] = geo.coords %arg0
  // CHECK: %[[M:.*]]:2 = geo.rowwise rows(%{{.*}} = %[[H]] : tensor<?x8xf32>) shared(%{{.*}} = %arg2 : f64)
  // CHECK: geo.report_outside "geo.distance_nll at {{.*}}guard-points.mlir:{{[0-9]+}}" %[[M]]#0, %[[M]]#1 : tensor<?xf64>, tensor<?xf64>
  // CHECK: geo.report_outside "geo.distance_nll at {{.*}}" %{{.*}}#0, %{{.*}}#1 : tensor<10xf64>, tensor<10xf64>
  // CHECK: geo.distance_nll
  %n = geo.distance_nll %h, %e targets(%ids : tensor<?xi32>) tau(%tau) curvature(%c)
    : tensor<?x8xf32, #geo.poincare<"c">>, tensor<10x8xf32, #geo.poincare<"c">> -> tensor<?xf64>
  // CHECK-NOT: geo.report_outside
  %l = geo.logmap0 %h curvature(%c) : tensor<?x8xf32, #geo.poincare<"c">> -> tensor<?x8xf32>
  return %n, %l : tensor<?xf64>, tensor<?x8xf32>
}

// The factors that have a rim are measured, flat space is not.
// CHECK-LABEL: func @product
// PLAIN-LABEL: func @product
func.func @product(%x: tensor<?x8xf32, #geo.product<#geo.poincare<1.0> x 3, #geo.euclidean x 5>>) -> tensor<?x8xf32> {
  // CHECK: geo.columns %{{.*}}[0] : tensor<?x8xf32> -> tensor<?x3xf32>
  // CHECK: geo.report_outside
  // CHECK-NOT: geo.report_outside
  // PLAIN: geo.report_outside
  %l = geo.logmap0 %x : tensor<?x8xf32, #geo.product<#geo.poincare<1.0> x 3, #geo.euclidean x 5>> -> tensor<?x8xf32>
  return %l : tensor<?x8xf32>
}
