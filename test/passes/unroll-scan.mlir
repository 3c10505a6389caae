// RUN: geo-opt %s --geo-unroll-scan --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Three steps; the state that enters step 2 is detached.
// CHECK-LABEL: func.func @truncated
// CHECK-SAME: (%[[H0:.*]]: tensor<?x4xf32>, %[[U:.*]]: tensor<3x?x4xf32>, %[[W:.*]]: tensor<4x4xf32>)
// CHECK-NOT: geo.scan
// CHECK: %[[H1:.*]] = geo.matmul %[[H0]], %[[W]]
// CHECK-NOT: geo.detach
// CHECK: %[[H2:.*]] = geo.matmul %[[H1]], %[[W]]
// CHECK: %[[D:.*]] = geo.detach %[[H2]] : tensor<?x4xf32>
// CHECK: %[[H3:.*]] = geo.matmul %[[D]], %[[W]]
// CHECK: return %[[H3]]
func.func @truncated(%h0: tensor<?x4xf32>, %U: tensor<3x?x4xf32>, %W: tensor<4x4xf32>) -> tensor<?x4xf32> {
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<3x?x4xf32>)
      shared(%w = %W : tensor<4x4xf32>) truncate 2 {
    %n = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    geo.yield %n : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  return %end : tensor<?x4xf32>
}

// -----

// Output t stands at index t; reverse scans take the last step first, and set
// the state to zero where a truncated scan cuts.
// CHECK-LABEL: func.func @reverse
// CHECK-SAME: (%[[H:.*]]: tensor<5x4xf32>, %[[U:.*]]: tensor<2x5x4xf32>, %[[W:.*]]: tensor<4x4xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<5x4xf32>
// CHECK: tensor.extract_slice %[[U]][1, 0, 0] [1, 5, 4]
// CHECK: %[[A:.*]] = geo.matmul %[[H]], %[[W]]
// CHECK: %[[S:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[1, 0, 0] [1, 5, 4]
// CHECK: tensor.extract_slice %[[U]][0, 0, 0] [1, 5, 4]
// CHECK: %[[B:.*]] = geo.matmul %[[ZERO]], %[[W]]
// CHECK: tensor.insert_slice %[[B]] into %[[S]][0, 0, 0] [1, 5, 4]
func.func @reverse(%h0: tensor<5x4xf32>, %U: tensor<2x5x4xf32>, %W: tensor<4x4xf32>)
    -> (tensor<5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>) {
  %r:3 = geo.scan init(%h = %h0 : tensor<5x4xf32>) inputs(%u = %U : tensor<2x5x4xf32>)
      shared(%w = %W : tensor<4x4xf32>) truncate 1 reverse {
    %n = geo.matmul %h, %w : tensor<5x4xf32>, tensor<4x4xf32> -> tensor<5x4xf32>
    geo.yield %n, %n, %u : tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>
  } -> (tensor<5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>)
  return %r#0, %r#1, %r#2 : tensor<5x4xf32>, tensor<2x5x4xf32>, tensor<2x5x4xf32>
}

// -----

func.func @dynamic(%h0: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{'geo.scan' op expects a static number of steps to unroll, but got 'tensor<?x?x4xf32>'}}
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<?x?x4xf32>) {
    geo.yield %u : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  return %end : tensor<?x4xf32>
}
