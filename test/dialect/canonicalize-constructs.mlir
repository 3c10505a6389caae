// RUN: geo-opt %s --canonicalize --split-input-file | FileCheck %s

// Equal operands merge; those that the region does not read go.
// CHECK-LABEL: func.func @rowwise_operands
//  CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<?x8xf32>, %{{.*}}: f64)
func.func @rowwise_operands(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %s: f64) -> tensor<?x8xf32> {
  // CHECK: geo.rowwise rows(%[[R:.*]] = %[[X]] : tensor<?x8xf32>) {
  // CHECK-NEXT: arith.addf %[[R]], %[[R]]
  %z = geo.rowwise rows(%a = %x : tensor<?x8xf32>, %b = %y : tensor<?x8xf32>, %c = %x : tensor<?x8xf32>) shared(%t = %s : f64) {
    %w = arith.addf %a, %c : vector<8xf32>
    geo.yield %w : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %z : tensor<?x8xf32>
}

// -----

// One row operand stays, since it gives the number of rows: the cheapest.
// CHECK-LABEL: func.func @rowwise_count
//  CHECK-SAME: (%{{.*}}: tensor<?x8xf32>, %[[N:.*]]: tensor<?xf32>
func.func @rowwise_count(%x: tensor<?x8xf32>, %n: tensor<?xf32>, %v: tensor<8xf32>) -> tensor<?x8xf32> {
  // CHECK: geo.rowwise rows(%{{.*}} = %[[N]] : tensor<?xf32>) shared(%[[V:.*]] = %{{.*}} : tensor<8xf32>) {
  // CHECK-NEXT: geo.yield %[[V]]
  %z = geo.rowwise rows(%a = %x : tensor<?x8xf32>, %m = %n : tensor<?xf32>) shared(%t = %v : tensor<8xf32>) {
    geo.yield %t : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %z : tensor<?x8xf32>
}

// -----

// Unused results go, sums among them.
// CHECK-LABEL: func.func @rowwise_results
func.func @rowwise_results(%x: tensor<?x8xf32>) -> f64 {
  // CHECK: %[[S:.*]] = geo.rowwise
  // CHECK: } -> () sums (f64)
  // CHECK: return %[[S]]
  %y, %n, %s, %t = geo.rowwise rows(%a = %x : tensor<?x8xf32>) {
    %d = geo.dot %a, %a : vector<8xf32>
    geo.yield %a, %d, %d, %a : vector<8xf32>, f64, f64, vector<8xf32>
  } -> (tensor<?x8xf32>, tensor<?xf64>) sums (f64, tensor<8xf32>)
  return %s : f64
}

// -----

// CHECK-LABEL: func.func @scan
//  CHECK-SAME: (%[[H:.*]]: tensor<?x4xf32>, %[[U:.*]]: tensor<?x?x4xf32>, %{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<4x4xf32>)
func.func @scan(%h: tensor<?x4xf32>, %u: tensor<?x?x4xf32>, %m: tensor<?x?xf32>, %w: tensor<4x4xf32>) -> tensor<?x4xf32> {
  // CHECK: geo.scan init(%{{.*}} = %[[H]] : tensor<?x4xf32>) inputs(%{{.*}} = %[[U]] : tensor<?x?x4xf32>) truncate 2 {
  // CHECK: geo.yield %{{.*}} : tensor<?x4xf32>
  // CHECK: } -> tensor<?x4xf32>
  %end, %all = geo.scan init(%s = %h : tensor<?x4xf32>) inputs(%x = %u : tensor<?x?x4xf32>, %k = %m : tensor<?x?xf32>) shared(%v = %w : tensor<4x4xf32>) truncate 2 {
    %n = geo.rowwise rows(%a = %s : tensor<?x4xf32>, %b = %x : tensor<?x4xf32>) {
      %y = arith.addf %a, %b : vector<4xf32>
      geo.yield %y : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n, %s : tensor<?x4xf32>, tensor<?x4xf32>
  } -> (tensor<?x4xf32>, tensor<?x?x4xf32>)
  return %end : tensor<?x4xf32>
}
