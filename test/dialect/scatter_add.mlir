// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

// CHECK-LABEL: func.func @scatter_add
func.func @scatter_add(%R: tensor<?x8xf32>, %ids: tensor<?xi32>, %v: index) {
  // CHECK: geo.scatter_add %{{.*}}[%{{.*}}] : tensor<?x8xf32>, tensor<?xi32> -> tensor<50x8xf32>
  %0 = geo.scatter_add %R[%ids] : tensor<?x8xf32>, tensor<?xi32> -> tensor<50x8xf32>
  // CHECK: geo.scatter_add %{{.*}}[%{{.*}}] size %{{.*}} : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %1 = geo.scatter_add %R[%ids] size %v : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  return
}
