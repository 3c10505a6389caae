// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x8xf32>, %d: tensor<8x?xf32>) {
  // CHECK: geo.matmul %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  %0 = geo.matmul %a, %b : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  // CHECK: geo.matmul %{{.*}}, %{{.*}} transpose_b : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  %1 = geo.matmul %a, %c transpose_b : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  // CHECK: geo.matmul %{{.*}}, %{{.*}} transpose_a : tensor<8x?xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  %2 = geo.matmul %d, %b transpose_a : tensor<8x?xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  // CHECK: geo.matmul %{{.*}}, %{{.*}} transpose_a transpose_b {tag} : tensor<8x?xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  %3 = geo.matmul %d, %c transpose_a transpose_b {tag} : tensor<8x?xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
  return
}
