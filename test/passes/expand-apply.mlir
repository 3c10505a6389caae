// RUN: geo-opt %s --split-input-file --geo-check-points --geo-expand --canonicalize --cse --verify-diagnostics | FileCheck %s
// Formulas by name: rows, pairs, own derivatives.

geo.formula @update(h: row, v: row, b: row, c: number) = poincare.add(h, poincare.expmap0(v + b, c), c)

// CHECK-LABEL: func @row
// CHECK: geo.rowwise rows(%{{.*}} = %arg0 : tensor<?x8xf32>, %{{.*}} = %arg1 : tensor<?x8xf32>) shared(%{{.*}} = %arg2 : tensor<8xf32>, %{{.*}} = %arg3 : f64)
// CHECK: geo.even tanhc
// CHECK: -> (tensor<?x8xf32>)
func.func @row(%h: tensor<?x8xf32, #geo.poincare<1.0>>, %v: tensor<?x8xf32>, %b: tensor<8xf32>, %c: f64)
    -> tensor<?x8xf32, #geo.poincare<1.0>> {
  %0 = geo.apply @update(%h, %v, %b, %c) : (tensor<?x8xf32, #geo.poincare<1.0>>, tensor<?x8xf32>, tensor<8xf32>, f64)
    -> tensor<?x8xf32, #geo.poincare<1.0>>
  return %0 : tensor<?x8xf32, #geo.poincare<1.0>>
}

// -----
// What belongs to one side is computed once per row or column; |x + y|^2 takes
// the columns negated; in `math f32` only the pair term is f32.
geo.formula @logit(h: row, e: column, t: number) {
  let r = dot(h, e)
  yield r * r / t - sqrt(sqnorm(h + e)) * sqnorm(h) + sqrt(sqnorm(e))
}
// CHECK-LABEL: func @pairs
// CHECK: %[[ROW:.*]] = geo.rowwise rows({{.*}} = %arg0 : tensor<?x8xf32>)
// CHECK: %[[COLUMN:.*]]:2 = geo.rowwise rows({{.*}} = %arg1 : tensor<5x8xf32>)
// CHECK: arith.negf
// CHECK: %[[OUT:.*]]:2 = geo.pairwise softmax
// CHECK-SAME: sqdiff %arg0, %[[COLUMN]]#0
// CHECK-SAME: dot %arg0, %arg1
// CHECK-SAME: row({{.*}} = %[[ROW]] : tensor<?xf64>) column({{.*}} = %[[COLUMN]]#1 : tensor<5xf64>)
// CHECK-SAME: shared({{.*}} = %arg2 : f64) math f32
// CHECK: return %[[OUT]]#0
func.func @pairs(%h: tensor<?x8xf32>, %e: tensor<5x8xf32>, %t: f64) -> tensor<?x5xf32> {
  %0 = geo.apply_pairs @logit(%h, %e, %t) softmax math f32 : (tensor<?x8xf32>, tensor<5x8xf32>, f64) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----
// expected-error @below {{expects a pair program to use rows of both sides only in dot and sqnorm, of sums of rows that belong to one side each}}
geo.formula @mixed(h: row, e: column) = sqnorm(dot(h, e) * h - e)
func.func @f(%h: tensor<?x8xf32>, %e: tensor<5x8xf32>) -> tensor<?x5xf32> {
  %0 = geo.apply_pairs @mixed(%h, %e) none : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----
geo.formula @no_gram(h: row, e: column) = sqnorm(h) + sqnorm(e)
func.func @f(%h: tensor<?x8xf32>, %e: tensor<5x8xf32>) -> tensor<?x5xf32> {
  // expected-error @below {{expects a pair program to depend on both sides by a Gram}}
  %0 = geo.apply_pairs @no_gram(%h, %e) none : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----
// An own derivative stands beside the formula until it is used.
geo.formula @square(x: row) = dot(x, x) vjp(ct: number) = 3 * ct * x
// CHECK-LABEL: func @own
// CHECK: geo.with_vjp(%{{.*}}) : (vector<8xf32>) -> f64 {
// CHECK: } vjp {
func.func @own(%x: tensor<?x8xf32>) -> tensor<?xf64> {
  %0 = geo.apply @square(%x) : (tensor<?x8xf32>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----
// A factor of a product at a time; distances add up.
// CHECK-LABEL: func @product
// CHECK-DAG: %[[H0:.*]] = geo.columns %arg0[0] : tensor<?x8xf32> -> tensor<?x3xf32>
// CHECK-DAG: %[[H1:.*]] = geo.columns %arg0[3] : tensor<?x8xf32> -> tensor<?x5xf32>
// CHECK-DAG: %[[E0:.*]] = geo.columns %arg1[0] : tensor<10x8xf32> -> tensor<10x3xf32>
// CHECK-DAG: %[[E1:.*]] = geo.columns %arg1[3] : tensor<10x8xf32> -> tensor<10x5xf32>
// CHECK: geo.pairwise nll grams(
// CHECK-DAG: sqdiff %[[H0]], %[[E0]]
// CHECK-DAG: sqdiff %[[H1]], %[[E1]]
// CHECK: geo.concat_columns %{{.*}}, %{{.*}} at [0, 3]
!h = tensor<?x8xf32, #geo.product<#geo.poincare<"c"> x 3, #geo.euclidean x 5>>
!e = tensor<10x8xf32, #geo.product<#geo.poincare<"c"> x 3, #geo.euclidean x 5>>
func.func @product(%h: !h, %e: !e, %c: f64, %tau: f64, %ids: tensor<?xi32>) -> (tensor<?xf64>, !h) {
  %n = geo.distance_nll %h, %e targets(%ids : tensor<?xi32>) tau(%tau) curvature(%c) math f32 : !h, !e -> tensor<?xf64>
  %s = geo.mobius_add %h, %h curvature(%c) : !h
  return %n, %s : tensor<?xf64>, !h
}

// -----
// Sums of rows of both sides are split: <x - p, a> = <x, a> - <p, a>, the second
// one number per column.
geo.formula @plane(x: row, p: column, a: column) = dot(x - p, a)
// CHECK-LABEL: func @planes
// CHECK: %[[PA:.*]] = geo.rowwise rows(%[[P:.*]] = %arg1 : tensor<5x8xf32>, %[[A:.*]] = %arg2 : tensor<5x8xf32>)
// CHECK: %[[N:.*]] = arith.negf %[[P]]
// CHECK: geo.dot %[[N]], %[[A]]
// CHECK: geo.pairwise none grams(%[[G:.*]] = dot %arg0, %arg2 {{.*}}) column(%[[W:.*]] = %[[PA]] : tensor<5xf64>) math f64
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[G]], %[[W]] : f64
// CHECK-NEXT: geo.yield %[[Z]]
func.func @planes(%x: tensor<?x8xf32>, %p: tensor<5x8xf32>, %a: tensor<5x8xf32>) -> tensor<?x5xf32> {
  %0 = geo.apply_pairs @plane(%x, %p, %a) none : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----
// A squared norm stays one difference, whatever its terms; numbers move out.
geo.formula @bent(x: row, y: column, b: row) = sqnorm(sqnorm(y) * (x - (2 * (y - x) - b)))
// CHECK-LABEL: func @differences
// CHECK: %[[P:.*]] = geo.rowwise
// CHECK: %[[Q:.*]]:2 = geo.rowwise rows(%{{.*}} = %arg1 : tensor<5x8xf32>)
// CHECK: geo.pairwise none grams(%[[G:.*]] = sqdiff %[[P]], %[[Q]]#{{[01]}} {{.*}}math f64
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: geo.yield
func.func @differences(%x: tensor<?x8xf32>, %y: tensor<5x8xf32>, %b: tensor<?x8xf32>) -> tensor<?x5xf32> {
  %0 = geo.apply_pairs @bent(%x, %y, %b) none : (tensor<?x8xf32>, tensor<5x8xf32>, tensor<?x8xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
