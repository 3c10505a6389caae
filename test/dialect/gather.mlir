// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

// CHECK-LABEL: func.func @gather
func.func @gather(%E: tensor<50x8xf32>, %P: tensor<?x8xf32, #geo.poincare<1.0>>, %ids: tensor<?xi32>) {
  // CHECK: geo.gather %{{.*}}[%{{.*}}] : tensor<50x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %0 = geo.gather %E[%ids] : tensor<50x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  // CHECK: geo.gather %{{.*}}[%{{.*}}] : tensor<?x8xf32, #geo.poincare<1.0>>, tensor<?xi32> -> tensor<?x8xf32, #geo.poincare<1.0>>
  %1 = geo.gather %P[%ids] : tensor<?x8xf32, #geo.poincare<1.0>>, tensor<?xi32> -> tensor<?x8xf32, #geo.poincare<1.0>>
  return
}
