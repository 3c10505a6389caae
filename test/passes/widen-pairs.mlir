// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-expand --cse --geo-widen-pairs --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func @decoder
// CHECK-SAME: (%[[H:.*]]: tensor<?x4xf32>, %[[E:.*]]: tensor<5x4xf32>,
// CHECK-DAG: %[[WH:.*]] = geo.rowwise rows(%{{.*}} = %[[H]] : tensor<?x4xf32>)
// CHECK-DAG: %[[WE:.*]] = geo.rowwise rows(%{{.*}} = %[[E]] : tensor<5x4xf32>)
// CHECK-DAG: %[[A:.*]] = geo.rowwise rows(%{{.*}} = %[[WH]] : tensor<?x4xf64>)
// CHECK-DAG: %[[B:.*]] = geo.rowwise rows(%{{.*}} = %[[WE]] : tensor<5x4xf64>)
// CHECK: %[[P:.*]]:2 = geo.pairwise softmax grams(%{{.*}} = sqdiff %[[WH]], %[[WE]] : tensor<?x4xf64>, tensor<5x4xf64>)
// CHECK-SAME: row(%{{.*}} = %[[A]] : tensor<?xf64>) column(%{{.*}} = %[[B]] : tensor<5xf64>)
// CHECK: } -> (tensor<?x5xf64>, tensor<?xf64>)
// CHECK: %[[R:.*]] = geo.rowwise rows(%{{.*}} = %[[P]]#0 : tensor<?x5xf64>)
// CHECK: arith.truncf
// CHECK: return %[[R]] : tensor<?x5xf32>
func.func @decoder(%h: tensor<?x4xf32, #geo.poincare<"c">>, %e: tensor<5x4xf32, #geo.poincare<"c">>,
                   %tau: f64, %c: f64) -> tensor<?x5xf32> {
  %0 = geo.distance_log_softmax %h, %e tau(%tau) curvature(%c)
    : tensor<?x4xf32, #geo.poincare<"c">>, tensor<5x4xf32, #geo.poincare<"c">> -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// Rows as wide as the arithmetic, and a table that is not known.
// CHECK-LABEL: func @asItIs
// CHECK-NOT: geo.rowwise
// CHECK: return
func.func @asItIs(%x: tensor<3x4xf32, #geo.euclidean>, %y: tensor<5x4xf32, #geo.euclidean>,
                  %z: tensor<?x4xf32, #geo.euclidean>) -> (tensor<3x5xf32>, tensor<3x?xf32>) {
  %0 = geo.sqdist %x, %y all_pairs math f32 : tensor<3x4xf32, #geo.euclidean>, tensor<5x4xf32, #geo.euclidean> -> tensor<3x5xf32>
  %1 = geo.sqdist %x, %z all_pairs : tensor<3x4xf32, #geo.euclidean>, tensor<?x4xf32, #geo.euclidean> -> tensor<3x?xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x?xf32>
}
