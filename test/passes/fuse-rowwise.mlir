// RUN: geo-opt %s --geo-fuse-rowwise --split-input-file | FileCheck %s

// A chain becomes one program; what another op reads stays a result.
// CHECK-LABEL: func.func @chain
//  CHECK-SAME: (%[[X:.*]]: tensor<?x8xf32>, %[[S:.*]]: f64)
func.func @chain(%x: tensor<?x8xf32>, %s: f64) -> (tensor<?x8xf32>, tensor<?x8xf32>, f64) {
  // CHECK: %[[R:.*]]:3 = geo.rowwise rows(%[[XR:.*]] = %[[X]] : tensor<?x8xf32>) shared(%[[SR:.*]] = %[[S]] : f64) {
  // CHECK-NEXT: %[[A:.*]] = geo.scale %[[SR]], %[[XR]]
  // CHECK-NEXT: %[[B:.*]] = math.tanh %[[A]]
  // CHECK-NEXT: %[[D:.*]] = geo.dot %[[B]], %[[A]]
  // CHECK-NEXT: geo.yield %[[B]], %[[A]], %[[D]]
  // CHECK-NEXT: } -> (tensor<?x8xf32>, tensor<?x8xf32>) sums (f64)
  %a = geo.rowwise rows(%xr = %x : tensor<?x8xf32>) shared(%sr = %s : f64) {
    %y = geo.scale %sr, %xr : vector<8xf32>
    geo.yield %y : vector<8xf32>
  } -> (tensor<?x8xf32>)
  %b, %d = geo.rowwise rows(%ar = %a : tensor<?x8xf32>) {
    %y = math.tanh %ar : vector<8xf32>
    %q = geo.dot %y, %ar : vector<8xf32>
    geo.yield %y, %q : vector<8xf32>, f64
  } -> (tensor<?x8xf32>) sums (f64)
  // CHECK: return %[[R]]#0, %[[R]]#1, %[[R]]#2
  return %b, %a, %d : tensor<?x8xf32>, tensor<?x8xf32>, f64
}

// -----

// A sum is complete only after the last row: what reads it stays apart, also where
// a sum over rows of length 8 is read as 8 rows.
// CHECK-LABEL: func.func @sum_is_a_barrier
func.func @sum_is_a_barrier(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  // CHECK-COUNT-3: geo.rowwise
  // CHECK-NOT: geo.rowwise
  %y, %s, %t = geo.rowwise rows(%xr = %x : tensor<8x8xf32>) {
    %q = geo.dot %xr, %xr : vector<8xf32>
    geo.yield %xr, %q, %xr : vector<8xf32>, f64, vector<8xf32>
  } -> (tensor<8x8xf32>) sums (f64, tensor<8xf32>)
  %z = geo.rowwise rows(%yr = %y : tensor<8x8xf32>) shared(%sr = %s : f64) {
    %v = geo.scale %sr, %yr : vector<8xf32>
    geo.yield %v : vector<8xf32>
  } -> (tensor<8x8xf32>)
  %w = geo.rowwise rows(%tr = %t : tensor<8xf32>) {
    %v = arith.addf %tr, %tr : f32
    geo.yield %v : f32
  } -> (tensor<8xf32>)
  return %z, %w : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// Rows of another length, and a use in between, keep programs apart.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<?x8xf32>, %z: tensor<?x4xf32>, %w: tensor<8x8xf32>) -> (tensor<?x4xf32>, tensor<?x8xf32>) {
  // CHECK-COUNT-4: geo.rowwise
  // CHECK-NOT: geo.rowwise
  %n = geo.rowwise rows(%xr = %x : tensor<?x8xf32>) {
    %q = geo.dot %xr, %xr : vector<8xf32>
    geo.yield %q : f64
  } -> (tensor<?xf64>)
  %a = geo.rowwise rows(%zr = %z : tensor<?x4xf32>, %nr = %n : tensor<?xf64>) {
    %y = geo.scale %nr, %zr : vector<4xf32>
    geo.yield %y : vector<4xf32>
  } -> (tensor<?x4xf32>)
  %t = geo.rowwise rows(%xr = %x : tensor<?x8xf32>) {
    %y = math.tanh %xr : vector<8xf32>
    geo.yield %y : vector<8xf32>
  } -> (tensor<?x8xf32>)
  %m = geo.matmul %t, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %b = geo.rowwise rows(%tr = %t : tensor<?x8xf32>, %mr = %m : tensor<?x8xf32>) {
    %y = arith.addf %tr, %mr : vector<8xf32>
    geo.yield %y : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %a, %b : tensor<?x4xf32>, tensor<?x8xf32>
}
