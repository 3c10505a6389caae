// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --canonicalize --split-input-file | FileCheck %s

// A piece is what was put there.
// CHECK-LABEL: func.func @piece
// CHECK-SAME: (%[[A:.*]]: tensor<?x3xf32>, %[[B:.*]]: tensor<?x5xf32>)
func.func @piece(%a: tensor<?x3xf32>, %b: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x2xf32>, tensor<?xf64>) {
  %x = geo.concat_columns %a, %b at [0, 3] : tensor<?x3xf32>, tensor<?x5xf32> -> tensor<?x8xf32>
  %y = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x5xf32>
  // CHECK: %[[P:.*]] = geo.columns %[[A]][1] : tensor<?x3xf32> -> tensor<?x2xf32>
  %p = geo.columns %x[1] : tensor<?x8xf32> -> tensor<?x2xf32>
  // CHECK: %[[N:.*]] = geo.columns %[[B]][4] : tensor<?x5xf32> -> tensor<?xf64>
  %n = geo.columns %x[7] : tensor<?x8xf32> -> tensor<?xf64>
  // CHECK: return %[[B]], %[[P]], %[[N]]
  return %y, %p, %n : tensor<?x5xf32>, tensor<?x2xf32>, tensor<?xf64>
}

// -----

// Numbers that were rounded are not what they were; others are.
// CHECK-LABEL: func.func @numbers
// CHECK-SAME: (%[[T:.*]]: tensor<?xf64>, %[[S:.*]]: tensor<?xf32>, %[[A:.*]]: tensor<?x3xf32>)
func.func @numbers(%t: tensor<?xf64>, %s: tensor<?xf32>, %a: tensor<?x3xf32>) -> (tensor<?xf64>, tensor<?xf32>, tensor<?x1xf32>) {
  // CHECK: %[[X:.*]] = geo.concat_columns
  %x = geo.concat_columns %t, %s, %a at [0, 1, 2] : tensor<?xf64>, tensor<?xf32>, tensor<?x3xf32> -> tensor<?x5xf32>
  // CHECK: %[[U:.*]] = geo.columns %[[X]][0]
  %u = geo.columns %x[0] : tensor<?x5xf32> -> tensor<?xf64>
  %v = geo.columns %x[1] : tensor<?x5xf32> -> tensor<?xf32>
  // CHECK: %[[W:.*]] = geo.concat_columns %[[S]] at [0] : tensor<?xf32> -> tensor<?x1xf32>
  %w = geo.columns %x[1] : tensor<?x5xf32> -> tensor<?x1xf32>
  // CHECK: return %[[U]], %[[S]], %[[W]]
  return %u, %v, %w : tensor<?xf64>, tensor<?xf32>, tensor<?x1xf32>
}

// -----

// All columns of a tensor, apart and together again.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>)
func.func @whole(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
  %a = geo.columns %x[0] : tensor<?x8xf32> -> tensor<?x3xf32>
  %b = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x1xf32>
  %c = geo.columns %x[4] : tensor<?x8xf32> -> tensor<?x4xf32>
  // CHECK-NOT: concat_columns
  %y = geo.concat_columns %a, %b, %c at [0, 3, 4] : tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  // CHECK: %[[Z:.*]] = geo.columns %[[X]][0] : tensor<?x8xf32> -> tensor<?x4xf32>
  %z = geo.concat_columns %a, %b at [0, 3] : tensor<?x3xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  // CHECK: return %[[X]], %[[Z]]
  return %y, %z : tensor<?x8xf32>, tensor<?x4xf32>
}

// -----

// Other orders and gaps stay.
// CHECK-LABEL: func.func @stays
func.func @stays(%x: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x9xf32>) {
  %a = geo.columns %x[0] : tensor<?x8xf32> -> tensor<?x4xf32>
  %b = geo.columns %x[4] : tensor<?x8xf32> -> tensor<?x4xf32>
  // CHECK: geo.concat_columns %{{.*}}, %{{.*}} at [0, 4] :
  %y = geo.concat_columns %b, %a at [0, 4] : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x8xf32>
  // CHECK: geo.concat_columns %{{.*}}, %{{.*}} at [0, 5] :
  %z = geo.concat_columns %a, %b at [0, 5] : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x9xf32>
  return %y, %z : tensor<?x8xf32>, tensor<?x9xf32>
}

// -----

// Columns of columns, and pieces of pieces.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[T:.*]]: tensor<?xf64>)
func.func @nested(%x: tensor<?x8xf32>, %t: tensor<?xf64>) -> (tensor<?x2xf32>, tensor<?x10xf32>) {
  %a = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x4xf32>
  // CHECK: %[[B:.*]] = geo.columns %[[X]][5] : tensor<?x8xf32> -> tensor<?x2xf32>
  %b = geo.columns %a[2] : tensor<?x4xf32> -> tensor<?x2xf32>
  // CHECK: %[[C:.*]] = geo.concat_columns %[[T]], %[[X]] at [0, 2]
  %c = geo.concat_columns %t at [0] : tensor<?xf64> -> tensor<?x2xf32>
  %d = geo.concat_columns %c, %x at [0, 2] : tensor<?x2xf32>, tensor<?x8xf32> -> tensor<?x10xf32>
  // CHECK: return %[[B]], %[[C]]
  return %b, %d : tensor<?x2xf32>, tensor<?x10xf32>
}

// -----

// Whole pieces with what is between them; parts of pieces stay.
// CHECK-LABEL: func.func @pieces
// CHECK-SAME: (%[[T:.*]]: tensor<?xf64>, %[[A:.*]]: tensor<?x3xf32>, %[[B:.*]]: tensor<?x2xf32>)
func.func @pieces(%t: tensor<?xf64>, %a: tensor<?x3xf32>, %b: tensor<?x2xf32>) -> (tensor<?x5xf32>, tensor<?x4xf32>) {
  // CHECK: %[[X:.*]] = geo.concat_columns
  %x = geo.concat_columns %a, %t, %b at [0, 4, 5] : tensor<?x3xf32>, tensor<?xf64>, tensor<?x2xf32> -> tensor<?x8xf32>
  // CHECK: %[[Y:.*]] = geo.concat_columns %[[T]], %[[B]] at [1, 2] : tensor<?xf64>, tensor<?x2xf32> -> tensor<?x5xf32>
  %y = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x5xf32>
  // CHECK: %[[Z:.*]] = geo.columns %[[X]][2]
  %z = geo.columns %x[2] : tensor<?x8xf32> -> tensor<?x4xf32>
  // CHECK: return %[[Y]], %[[Z]]
  return %y, %z : tensor<?x5xf32>, tensor<?x4xf32>
}
