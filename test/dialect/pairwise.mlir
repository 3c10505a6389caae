// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s
// Pair programs: every reducer, both Gram kinds, and the adjoint.

// CHECK-LABEL: func.func @none
func.func @none(%X: tensor<?x8xf32>, %Y: tensor<50x8xf32>, %P: tensor<?x2xf32>, %Q: tensor<50x2xf32>,
                %U: tensor<?xf64>, %W: tensor<50xf64>, %C: f64) -> tensor<?x50xf32> {
  // CHECK: geo.pairwise none grams(%[[G:.*]] = sqdiff %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<50x8xf32>,
  // CHECK-SAME: %[[H:.*]] = dot %{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<50x2xf32>)
  // CHECK-SAME: row(%[[U:.*]] = %{{.*}} : tensor<?xf64>) column(%{{.*}} = %{{.*}} : tensor<50xf64>)
  // CHECK-SAME: shared(%{{.*}} = %{{.*}} : f64) math f64 {
  // CHECK: arith.addf %[[G]], %[[H]] : f64
  // CHECK: geo.yield %{{.*}} : f64
  // CHECK: } -> tensor<?x50xf32>
  %z = geo.pairwise none grams(%g = sqdiff %X, %Y : tensor<?x8xf32>, tensor<50x8xf32>,
                               %h = dot %P, %Q : tensor<?x2xf32>, tensor<50x2xf32>)
      row(%u = %U : tensor<?xf64>) column(%w = %W : tensor<50xf64>) shared(%c = %C : f64) math f64 {
    %a = arith.addf %g, %h : f64
    geo.yield %a : f64
  } -> (tensor<?x50xf32>)
  return %z : tensor<?x50xf32>
}

// CHECK-LABEL: func.func @softmax
func.func @softmax(%X: tensor<?x8xf32>, %Y: tensor<?x8xf32>) {
  // CHECK: %{{.*}}:2 = geo.pairwise softmax grams(%{{.*}} = dot %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<?x8xf32>) math f32 attributes {tag = 1 : i64} {
  // CHECK: } -> (tensor<?x?xf32>, tensor<?xf64>)
  %p, %lse = geo.pairwise softmax grams(%g = dot %X, %Y : tensor<?x8xf32>, tensor<?x8xf32>) math f32
      attributes {tag = 1 : i64} {
    geo.yield %g : f32
  } -> (tensor<?x?xf32>, tensor<?xf64>)
  return
}

// CHECK-LABEL: func.func @nll
func.func @nll(%X: tensor<?x8xf32>, %Y: tensor<50x8xf32>, %T: f64, %ids: tensor<?xi32>, %ct: tensor<?xf64>) {
  // CHECK: geo.pairwise nll grams({{.*}}) shared({{.*}}) targets(%{{.*}} : tensor<?xi32>) math f32 {
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %X, %Y : tensor<?x8xf32>, tensor<50x8xf32>)
      shared(%t = %T : f64) targets(%ids : tensor<?xi32>) math f32 {
    %q = arith.divf %g, %t : f32
    geo.yield %q : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  // CHECK: %{{.*}}:3 = geo.pairwise_grad nll grams(%{{.*}} = sqdiff %{{.*}}, %{{.*}} : tensor<?x8xf32>, tensor<50x8xf32>)
  // CHECK-SAME: shared(%{{.*}} = %{{.*}} : f64) targets(%{{.*}} : tensor<?xi32>) lse(%{{.*}} : tensor<?xf64>) cotangent(%{{.*}} : tensor<?xf64>) math f32 {
  // CHECK: geo.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
  // CHECK: } -> (tensor<?x8xf32>, tensor<50x8xf32>, f64)
  %dx, %dy, %dt = geo.pairwise_grad nll grams(%g = sqdiff %X, %Y : tensor<?x8xf32>, tensor<50x8xf32>)
      shared(%t = %T : f64) targets(%ids : tensor<?xi32>) lse(%lse : tensor<?xf64>)
      cotangent(%ct : tensor<?xf64>) math f32 {
    %q = arith.divf %g, %t : f32
    geo.yield %q, %q, %q : f32, f32, f32
  } -> (tensor<?x8xf32>, tensor<50x8xf32>, f64)
  return
}

// CHECK-LABEL: func.func @no_lse
func.func @no_lse(%X: tensor<?x8xf32>, %Y: tensor<50x8xf32>, %ct: tensor<?x50xf32>) {
  // CHECK: geo.pairwise_grad none grams({{.*}}) cotangent(%{{.*}} : tensor<?x50xf32>) math f64 {
  %dx, %dy = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<?x8xf32>, tensor<50x8xf32>)
      cotangent(%ct : tensor<?x50xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<?x8xf32>, tensor<50x8xf32>)
  return
}

// The table has the element type of the rows; factors have their own lengths.
// CHECK-LABEL: func.func @wide
func.func @wide(%x: tensor<3x2xf64>, %y: tensor<5x2xf64>, %p: tensor<3x7xf64>, %q: tensor<5x7xf64>) {
  // CHECK: -> (tensor<3x5xf64>, tensor<3xf64>)
  %o:2 = geo.pairwise softmax grams(%g = sqdiff %x, %y : tensor<3x2xf64>, tensor<5x2xf64>, %h = sqdiff %p, %q : tensor<3x7xf64>, tensor<5x7xf64>) math f64 {
    %z = arith.addf %g, %h : f64
    geo.yield %z : f64
  } -> (tensor<3x5xf64>, tensor<3xf64>)
  return
}

// Fused with its primal: no lse, and nll and lse at the end.
// CHECK-LABEL: func.func @fused
func.func @fused(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ids: tensor<3xi32>, %ct: tensor<3xf64>) {
  // CHECK: geo.pairwise_grad nll grams(%{{.*}} = dot %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<5x4xf32>) targets(%{{.*}} : tensor<3xi32>) cotangent(%{{.*}} : tensor<3xf64>) math f32 {
  // CHECK: } -> (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xf64>, tensor<3xf64>)
  %r:4 = geo.pairwise_grad nll grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) targets(%ids : tensor<3xi32>) cotangent(%ct : tensor<3xf64>) math f32 {
    %one = arith.constant 1.0 : f32
    geo.yield %g, %one : f32, f32
  } -> (tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xf64>, tensor<3xf64>)
  return
}
