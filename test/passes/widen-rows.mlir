// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-widen-rows --canonicalize | FileCheck %s

// Rows are rounded where they are written, and for functions of every element.
// CHECK-LABEL: func @sum
// CHECK-SAME: tensor<?x4xf32>
// CHECK: geo.rowwise
// CHECK-DAG: %[[X:.*]] = arith.extf %{{.*}} : vector<4xf32> to vector<4xf64>
// CHECK-DAG: %[[Y:.*]] = arith.extf %{{.*}} : vector<4xf32> to vector<4xf64>
// CHECK: %[[A:.*]] = geo.scale %{{.*}}, %[[X]] : vector<4xf64>
// CHECK: %[[B:.*]] = arith.addf %[[A]], %[[Y]] : vector<4xf64>
// CHECK: %[[N:.*]] = arith.truncf %[[B]] : vector<4xf64> to vector<4xf32>
// CHECK: %[[T:.*]] = math.tanh %[[N]] : vector<4xf32>
// CHECK: %[[W:.*]] = arith.extf %[[T]] : vector<4xf32> to vector<4xf64>
// CHECK: %[[D:.*]] = geo.dot %[[W]], %[[B]] : vector<4xf64>
// CHECK: %[[R:.*]] = vector.broadcast %[[D]] : f64 to vector<4xf64>
// CHECK: %[[S:.*]] = arith.addf %[[W]], %[[R]] : vector<4xf64>
// CHECK: %[[O:.*]] = arith.truncf %[[S]] : vector<4xf64> to vector<4xf32>
// CHECK: geo.yield %[[O]], %[[T]], %[[D]] : vector<4xf32>, vector<4xf32>, f64
func.func @sum(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %s: f64)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, f64) {
  %r:3 = geo.rowwise rows(%a = %x : tensor<?x4xf32>, %b = %y : tensor<?x4xf32>)
      shared(%k = %s : f64) {
    %0 = geo.scale %k, %a : vector<4xf32>
    %1 = arith.addf %0, %b : vector<4xf32>
    %2 = math.tanh %1 : vector<4xf32>
    %3 = geo.dot %2, %1 : vector<4xf32>
    %4 = arith.truncf %3 : f64 to f32
    %5 = vector.broadcast %4 : f32 to vector<4xf32>
    %6 = arith.addf %2, %5 : vector<4xf32>
    geo.yield %6, %2, %3 : vector<4xf32>, vector<4xf32>, f64
  } -> (tensor<?x4xf32>, tensor<?x4xf32>) sums (f64)
  return %r#0, %r#1, %r#2 : tensor<?x4xf32>, tensor<?x4xf32>, f64
}

// Nothing cancels here that was not already there: the program stays as it is.
// CHECK-LABEL: func @elements
// CHECK: arith.addf %{{.*}} : vector<4xf32>
func.func @elements(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = geo.rowwise rows(%a = %x : tensor<?x4xf32>) {
    %0 = math.tanh %a : vector<4xf32>
    %1 = arith.addf %0, %a : vector<4xf32>
    geo.yield %1 : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return %r : tensor<?x4xf32>
}

// Rows of f64, conditions and constants.
// CHECK-LABEL: func @mixed
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00> : vector<4xf64>
// CHECK: arith.cmpf olt, %{{.*}}, %[[C]] : vector<4xf64>
// CHECK: %[[S:.*]] = arith.select %{{.*}} : vector<4xi1>, vector<4xf64>
// CHECK: %[[F:.*]] = arith.truncf %[[S]]
// CHECK: geo.yield %[[F]], %{{.*}}, %[[S]] : vector<4xf32>, vector<4xf64>, vector<4xf64>
func.func @mixed(%x: tensor<?x4xf32>, %y: tensor<?x4xf64>, %s: f64)
    -> (tensor<?x4xf32>, tensor<?x4xf64>, tensor<?x4xf64>) {
  %r:3 = geo.rowwise rows(%a = %x : tensor<?x4xf32>, %b = %y : tensor<?x4xf64>)
      shared(%k = %s : f64) {
    %two = arith.constant dense<2.0> : vector<4xf32>
    %0 = geo.scale %k, %a : vector<4xf32>
    %1 = arith.cmpf olt, %0, %two : vector<4xf32>
    %2 = arith.select %1, %0, %two : vector<4xi1>, vector<4xf32>
    %3 = arith.extf %2 : vector<4xf32> to vector<4xf64>
    %4 = arith.addf %3, %b : vector<4xf64>
    geo.yield %2, %4, %3 : vector<4xf32>, vector<4xf64>, vector<4xf64>
  } -> (tensor<?x4xf32>, tensor<?x4xf64>, tensor<?x4xf64>)
  return %r#0, %r#1, %r#2 : tensor<?x4xf32>, tensor<?x4xf64>, tensor<?x4xf64>
}
