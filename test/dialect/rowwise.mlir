// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s
// Row programs, and the ops that only stand inside regions.

// CHECK-LABEL: func.func @everything
func.func @everything(%X: tensor<?x8xf32>, %S: tensor<?xf64>, %W: tensor<8xf32>, %C: f64, %T: f32) {
  // CHECK: %{{.*}}:4 = geo.rowwise rows(%[[X:.*]] = %{{.*}} : tensor<?x8xf32>, %[[S:.*]] = %{{.*}} : tensor<?xf64>)
  // CHECK-SAME: shared(%[[W:.*]] = %{{.*}} : tensor<8xf32>, %[[C:.*]] = %{{.*}} : f64, %{{.*}} = %{{.*}} : f32) {
  // CHECK: %[[D:.*]] = geo.dot %[[X]], %[[W]] : vector<8xf32>
  // CHECK: %[[V:.*]] = geo.scale %[[D]], %[[X]] : vector<8xf32>
  // CHECK: geo.even tanhc %[[S]] : f64
  // CHECK: geo.even asinhc %[[S]] {order = 2 : i64} : f64
  // CHECK: geo.detach %[[V]] : vector<8xf32>
  // CHECK: geo.yield %[[V]], %[[D]], %{{.*}}, %[[D]] : vector<8xf32>, f64, vector<8xf32>, f64
  // CHECK: } -> (tensor<?x8xf32>, tensor<?xf64>) sums (tensor<8xf32>, f64)
  %r:4 = geo.rowwise rows(%x = %X : tensor<?x8xf32>, %s = %S : tensor<?xf64>)
      shared(%w = %W : tensor<8xf32>, %c = %C : f64, %t = %T : f32) {
    %d = geo.dot %x, %w : vector<8xf32>
    %v = geo.scale %d, %x : vector<8xf32>
    %e = geo.even tanhc %s : f64
    %f = geo.even asinhc %s {order = 2 : i64} : f64
    %g = geo.detach %v : vector<8xf32>
    geo.yield %v, %d, %g, %d : vector<8xf32>, f64, vector<8xf32>, f64
  } -> (tensor<?x8xf32>, tensor<?xf64>) sums (tensor<8xf32>, f64)
  return
}

// Only sums; an attribute of somebody else's.
// CHECK-LABEL: func.func @sums
func.func @sums(%X: tensor<3x8xf64>) -> f64 {
  // CHECK: geo.rowwise rows(%{{.*}} = %{{.*}} : tensor<3x8xf64>) attributes {tag = "a"} {
  // CHECK: } -> () sums (f64)
  %s = geo.rowwise rows(%x = %X : tensor<3x8xf64>) attributes {tag = "a"} {
    %d = geo.dot %x, %x : vector<8xf64>
    geo.yield %d : f64
  } -> () sums (f64)
  return %s : f64
}

// Every even function.
// CHECK-LABEL: func.func @even
func.func @even(%z: f64, %v: vector<4xf32>) {
  // CHECK: geo.even tanhc %{{.*}} : f64
  %0 = geo.even tanhc %z : f64
  // CHECK: geo.even artanhc
  %1 = geo.even artanhc %z : f64
  // CHECK: geo.even asinhc
  %2 = geo.even asinhc %z : f64
  // CHECK: geo.even sinhc
  %3 = geo.even sinhc %z : f64
  // CHECK: geo.even coshq
  %4 = geo.even coshq %z {order = 1 : i64} : f64
  // CHECK: geo.even sinc
  %5 = geo.even sinc %z : f64
  // CHECK: geo.even cosq
  %6 = geo.even cosq %z : f64
  // CHECK: geo.even asinc %{{.*}} : vector<4xf32>
  %7 = geo.even asinc %v : vector<4xf32>
  return
}

// Rows of f64 have sums of f64.
// CHECK-LABEL: func.func @wide
func.func @wide(%X: tensor<?x4xf64>) -> (tensor<4xf64>, f64) {
  // CHECK: } -> () sums (tensor<4xf64>, f64)
  %s:2 = geo.rowwise rows(%x = %X : tensor<?x4xf64>) {
    %n = geo.dot %x, %x : vector<4xf64>
    geo.yield %x, %n : vector<4xf64>, f64
  } -> () sums (tensor<4xf64>, f64)
  return %s#0, %s#1 : tensor<4xf64>, f64
}
