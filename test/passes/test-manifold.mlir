// RUN: geo-opt %s --geo-check-points --geo-expand --geo-differentiate --canonicalize --cse | FileCheck %s
// RUN: geo-opt %s --geo-check-points --geo-expand --geo-differentiate --inline --geo-lower-to-loops | FileCheck %s --check-prefix=CODE
// RUN: geo-opt %s --geo-check-points --geo-expand --geo-differentiate --inline --geo-lower-to-cpu | FileCheck %s --check-prefix=CODE
// CODE: func.func @step
// CODE-NOT: geo.scan
// CODE-NOT: geo.pairwise
// CODE-NOT: geo.rowwise
// A manifold that only this module knows: the unit sphere, by chords.
geo.manifold @chordal {
  formula @unit(x: row) = x / sqrt(sqnorm(x))
  formula @origin(x: row) = 0 * x + 1 / sqrt(length(x))
  formula @add(x: row, y: row) = unit(unit(x) + unit(y))
  formula @expmap0(v: row) = unit(origin(v) + v)
  formula @logmap0(x: row) = unit(x) - origin(x)
  formula @sqdist(x: row, y: row) {
    let a = 1 / sqrt(sqnorm(x))
    let b = 1 / sqrt(sqnorm(y))
    let d = 1 / a - 1 / b
    yield (sqnorm(x - y) - d * d) * (a * b)
  }
}

// A manifold that no pass knows: a recurrence on it with a decoder, and the
// gradients of both.

// CHECK-LABEL: func.func @step
// CHECK-NOT: chordal
// CHECK: call @loss_gradient
func.func @step(%w: tensor<4x4xf32>, %e: tensor<10x4xf32, #geo.manifold<@chordal>>,
    %h0: tensor<?x4xf32, #geo.manifold<@chordal>>, %ids: tensor<?x?xi32>,
    %targets: tensor<?xi32>, %tau: f64) -> (f64, tensor<4x4xf32>, tensor<10x4xf32>) {
  %loss, %dw, %de = geo.gradient @loss(%w, %e, %h0, %ids, %targets, %tau) wrt [0, 1]
    : (tensor<4x4xf32>, tensor<10x4xf32, #geo.manifold<@chordal>>, tensor<?x4xf32, #geo.manifold<@chordal>>,
       tensor<?x?xi32>, tensor<?xi32>, f64) -> (f64, tensor<4x4xf32>, tensor<10x4xf32>)
  return %loss, %dw, %de : f64, tensor<4x4xf32>, tensor<10x4xf32>
}

// CHECK-LABEL: func.func private @loss_gradient
// CHECK: geo.scan
// CHECK: geo.pairwise nll grams
// CHECK: geo.pairwise_grad nll grams
// CHECK: geo.scan {{.*}} reverse
// CHECK: return
func.func @loss(%w: tensor<4x4xf32>, %e: tensor<10x4xf32, #geo.manifold<@chordal>>,
    %h0: tensor<?x4xf32, #geo.manifold<@chordal>>, %ids: tensor<?x?xi32>,
    %targets: tensor<?xi32>, %tau: f64) -> f64 {
  %end, %all = geo.scan init(%h = %h0 : tensor<?x4xf32, #geo.manifold<@chordal>>)
      inputs(%i = %ids : tensor<?x?xi32>)
      shared(%wr = %w : tensor<4x4xf32>, %er = %e : tensor<10x4xf32, #geo.manifold<@chordal>>) truncate 2 {
    %x = geo.gather %er[%i] : tensor<10x4xf32, #geo.manifold<@chordal>>, tensor<?xi32> -> tensor<?x4xf32, #geo.manifold<@chordal>>
    %l = geo.logmap0 %h : tensor<?x4xf32, #geo.manifold<@chordal>> -> tensor<?x4xf32>
    %m = geo.matmul %l, %wr : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %p = geo.expmap0 %m : tensor<?x4xf32> -> tensor<?x4xf32, #geo.manifold<@chordal>>
    %n = geo.mobius_add %p, %x : tensor<?x4xf32, #geo.manifold<@chordal>>
    geo.yield %n, %n : tensor<?x4xf32, #geo.manifold<@chordal>>, tensor<?x4xf32, #geo.manifold<@chordal>>
  } -> (tensor<?x4xf32, #geo.manifold<@chordal>>, tensor<?x?x4xf32, #geo.manifold<@chordal>>)
  %flat = tensor.collapse_shape %all [[0, 1], [2]]
    : tensor<?x?x4xf32, #geo.manifold<@chordal>> into tensor<?x4xf32, #geo.manifold<@chordal>>
  %nll = geo.distance_nll %flat, %e targets(%targets : tensor<?xi32>) tau(%tau) math f32
    : tensor<?x4xf32, #geo.manifold<@chordal>>, tensor<10x4xf32, #geo.manifold<@chordal>> -> tensor<?xf64>
  %sum = geo.rowwise rows(%r = %nll : tensor<?xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
