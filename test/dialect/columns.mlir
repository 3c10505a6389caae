// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<?x8xf32>, %y: tensor<4x8xf64>) {
  // CHECK: geo.columns %{{.*}}[3] : tensor<?x8xf32> -> tensor<?x5xf32>
  %a = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x5xf32>
  // CHECK: geo.columns %{{.*}}[0] : tensor<?x8xf32> -> tensor<?xf64>
  %b = geo.columns %x[0] : tensor<?x8xf32> -> tensor<?xf64>
  // CHECK: geo.columns %{{.*}}[7] : tensor<4x8xf64> -> tensor<4x1xf64>
  %c = geo.columns %y[7] : tensor<4x8xf64> -> tensor<4x1xf64>
  return
}

// CHECK-LABEL: func.func @concat
func.func @concat(%t: tensor<?xf64>, %a: tensor<?x3xf32>, %b: tensor<?x5xf32>) {
  // CHECK: geo.concat_columns %{{.*}}, %{{.*}}, %{{.*}} at [0, 1, 4] : tensor<?xf64>, tensor<?x3xf32>, tensor<?x5xf32> -> tensor<?x9xf32>
  %x = geo.concat_columns %t, %a, %b at [0, 1, 4] : tensor<?xf64>, tensor<?x3xf32>, tensor<?x5xf32> -> tensor<?x9xf32>
  // Columns between and around are zero.
  // CHECK: geo.concat_columns %{{.*}}, %{{.*}} at [2, 6] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x12xf32>
  %y = geo.concat_columns %a, %a at [2, 6] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x12xf32>
  return
}
