// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree's nodes as points: losses, Riemannian gradient descent, distances.
// These aliases are what --manifold and --dim replace.
#space = #geo.poincare<1.0>
!nodes = tensor<?x2xf32, #space>
!rows = tensor<?x2xf32>

!ids = tensor<?xi32>
!numbers = tensor<?xf64>

geo.formula @scaled(s: number, x: row) = s * x

// Of a distance p and those of 10 negatives, n: -log(exp(-p) / (exp(-p) + sum exp(-n))).
geo.formula @contrast(p: number, n: row) = log(1 + sqnorm(exp(0.5 * (p - n))))

// Nickel, Kiela, "Poincaré Embeddings for Learning Hierarchical Representations":
// the loss of the edges (u[i], v[i]), each with 10 nodes w[10 i ...] that u[i] has
// no edge to. u is repeated for those in uw.
func.func private @edge_loss(%x: !nodes, %u: !ids, %v: !ids, %uw: !ids, %w: !ids) -> f64 {
  %zero = arith.constant 0 : index
  %edges = tensor.dim %u, %zero : !ids
  %xu = geo.gather %x[%u] : !nodes, !ids -> !nodes
  %xv = geo.gather %x[%v] : !nodes, !ids -> !nodes
  %p = geo.geodesic_dist %xu, %xv : !nodes, !nodes -> !numbers
  %xuw = geo.gather %x[%uw] : !nodes, !ids -> !nodes
  %xw = geo.gather %x[%w] : !nodes, !ids -> !nodes
  %far = geo.geodesic_dist %xuw, %xw : !nodes, !nodes -> !numbers
  %n = tensor.expand_shape %far [[0, 1]] output_shape [%edges, 10] : !numbers into tensor<?x10xf64>
  %losses = geo.apply @contrast(%p, %n) : (!numbers, tensor<?x10xf64>) -> !numbers
  %loss = geo.rowwise rows(%l = %losses : !numbers) {
    geo.yield %l : f64
  } -> () sums (f64)
  return %loss : f64
}

// One step of Riemannian gradient descent: the coordinates' gradient g becomes
// the tangent vector of the metric, and the step is the geodesic along it.
func.func private @descend(%x: !nodes, %g: !rows, %lr: f64) -> !nodes {
  %v = geo.egrad2rgrad %x, %g : !nodes, !rows -> !rows
  %minus = arith.negf %lr : f64
  %step = geo.apply @scaled(%minus, %v) : (f64, !rows) -> !rows
  %y = geo.expmap %x, %step : !nodes, !rows
  return %y : !nodes
}

func.func @edge_step(%x: !nodes, %lr: f64, %u: !ids, %v: !ids, %uw: !ids, %w: !ids) -> (f64, !nodes) {
  %loss, %g = geo.gradient @edge_loss(%x, %u, %v, %uw, %w) wrt [0]
    : (!nodes, !ids, !ids, !ids, !ids) -> (f64, !rows)
  %y = func.call @descend(%x, %g, %lr) : (!nodes, !rows, f64) -> !nodes
  return %loss, %y : f64, !nodes
}

// The square of the relative error of a distance d that shall be t.
geo.formula @mismatch(d: number, t: number) = (d / t - 1) * (d / t - 1)

// Sala, De Sa, Gu, Ré, "Representation Tradeoffs for Hyperbolic Embeddings", with
// the distances themselves as targets.
func.func private @distance_loss(%x: !nodes, %u: !ids, %v: !ids, %targets: !numbers) -> f64 {
  %xu = geo.gather %x[%u] : !nodes, !ids -> !nodes
  %xv = geo.gather %x[%v] : !nodes, !ids -> !nodes
  %d = geo.geodesic_dist %xu, %xv : !nodes, !nodes -> !numbers
  %errors = geo.apply @mismatch(%d, %targets) : (!numbers, !numbers) -> !numbers
  %loss = geo.rowwise rows(%e = %errors : !numbers) {
    geo.yield %e : f64
  } -> () sums (f64)
  return %loss : f64
}

func.func @distance_step(%x: !nodes, %lr: f64, %u: !ids, %v: !ids, %targets: !numbers) -> (f64, !nodes) {
  %loss, %g = geo.gradient @distance_loss(%x, %u, %v, %targets) wrt [0]
    : (!nodes, !ids, !ids, !numbers) -> (f64, !rows)
  %y = func.call @descend(%x, %g, %lr) : (!nodes, !rows, f64) -> !nodes
  return %loss, %y : f64, !nodes
}

// Random points around the origin: the same ones in every model of a space.
func.func @initial(%z: !rows) -> !nodes {
  %nothing = arith.constant 0.0 : f64
  %zero = geo.apply @scaled(%nothing, %z) : (f64, !rows) -> !rows
  %origin = geo.expmap0 %zero : !rows -> !nodes
  %x = geo.wrapped_normal %origin, %z : !nodes, !rows -> !nodes
  return %x : !nodes
}

func.func @distances(%x: !nodes) -> tensor<?x?xf32> {
  %d = geo.geodesic_dist %x, %x all_pairs : !nodes, !nodes -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
