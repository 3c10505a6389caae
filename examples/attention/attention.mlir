// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention on points: scores are geodesic distances, the answer is the weighted
// midpoint of the values.
//   Gulcehre et al., "Hyperbolic Attention Networks", section 3;
//   Shimizu, Mukuta, Harada, "Hyperbolic Neural Networks++", section 3.5.
// The aliases and the formula @sqdistance are what --space and --dim replace.
#space = #geo.poincare<1.0>
!table = tensor<32x8xf32, #space>
!coords = tensor<32x8xf32>
!queries = tensor<?x8xf32, #space>
!keys = tensor<16x8xf32, #space>

!ids = tensor<?xi32>
!key_ids = tensor<16xi32>
!numbers = tensor<?xf64>

geo.manifold @attention {
  // The square of the distance, between all pairs. Curvature -1, and 0.
  formula @ball(q: row, k: column) = poincare.pair_sqdist(q, k, 1)
  formula @hyperboloid(q: row, k: column) = lorentz.pair_sqdist(q, k, 1)
  formula @flat(q: row, k: column) = sqnorm(q - k)
  formula @sqdistance(q: row, k: column) = ball(q, k)

  formula @exponential(x: row) = exp(x)

  // (The constant c of softmax(-beta d - c) drops out of a softmax.)
  formula @score(q: row, k: column, beta: number) {
    let square = sqdistance(q, k)
    yield -beta * sqrt(select(0 < square, square, 1.0e-30))
  }
}

// For every query the weighted midpoint of the values of a sequence of 16 keys and
// values. Tables hold one point for each of 32 labels.
func.func private @attend(%Q: !table, %K: !table, %V: !table, %beta: f64,
    %query: !ids, %key: !key_ids, %value: !key_ids) -> !queries {
  %q = geo.gather %Q[%query] : !table, !ids -> !queries
  %k = geo.gather %K[%key] : !table, !key_ids -> !keys
  %v = geo.gather %V[%value] : !table, !key_ids -> !keys
  // The reducer gives the softmax's logarithm.
  %lw = geo.apply_pairs @attention::@score(%q, %k, %beta) softmax
    : (!queries, !keys, f64) -> tensor<?x16xf32>
  %w = geo.apply @attention::@exponential(%lw) : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %m = geo.midpoint %w, %v : tensor<?x16xf32>, !keys -> !queries
  return %m : !queries
}

// beta and 1 / tau are learned by their logarithms.
func.func private @loss(%Q: !table, %K: !table, %V: !table, %log_beta: f64, %log_tau: f64,
    %query: !ids, %key: !key_ids, %value: !key_ids, %answer: !ids) -> f64 {
  %beta = math.exp %log_beta : f64
  %tau = math.exp %log_tau : f64
  %m = func.call @attend(%Q, %K, %V, %beta, %query, %key, %value)
    : (!table, !table, !table, f64, !ids, !key_ids, !key_ids) -> !queries
  %nll = geo.distance_nll %m, %V targets(%answer : !ids) tau(%tau) : !queries, !table -> !numbers
  %sum = geo.rowwise rows(%l = %nll : !numbers) {
    geo.yield %l : f64
  } -> () sums (f64)
  %zero = arith.constant 0 : index
  %rows = tensor.dim %query, %zero : !ids
  %count = arith.index_cast %rows : index to i64
  %n = arith.sitofp %count : i64 to f64
  %mean = arith.divf %sum, %n : f64
  return %mean : f64
}

geo.formula @scaled(s: number, x: row) = s * x
func.func private @descend(%x: !table, %g: !coords, %minus: f64) -> !table {
  %v = geo.egrad2rgrad %x, %g : !table, !coords -> !coords
  %step = geo.apply @scaled(%minus, %v) : (f64, !coords) -> !coords
  %y = geo.expmap %x, %step : !table, !coords
  return %y : !table
}

func.func @step(%Q: !table, %K: !table, %V: !table, %log_beta: f64, %log_tau: f64, %lr: f64,
    %query: !ids, %key: !key_ids, %value: !key_ids, %answer: !ids) -> (f64, !table, !table, !table, f64, f64) {
  %loss, %gq, %gk, %gv, %gb, %gt = geo.gradient @loss(%Q, %K, %V, %log_beta, %log_tau, %query, %key, %value, %answer) wrt [0, 1, 2, 3, 4]
    : (!table, !table, !table, f64, f64, !ids, !key_ids, !key_ids, !ids)
    -> (f64, !coords, !coords, !coords, f64, f64)
  %minus = arith.negf %lr : f64
  %Q1 = func.call @descend(%Q, %gq, %minus) : (!table, !coords, f64) -> !table
  %K1 = func.call @descend(%K, %gk, %minus) : (!table, !coords, f64) -> !table
  %V1 = func.call @descend(%V, %gv, %minus) : (!table, !coords, f64) -> !table
  // The scalars move at a tenth of the rate.
  %tenth = arith.constant 0.1 : f64
  %slow = arith.mulf %tenth, %minus : f64
  %sb = arith.mulf %slow, %gb : f64
  %st = arith.mulf %slow, %gt : f64
  %b1 = arith.addf %log_beta, %sb : f64
  %t1 = arith.addf %log_tau, %st : f64
  return %loss, %Q1, %K1, %V1, %b1, %t1 : f64, !table, !table, !table, f64, f64
}

// Log-probabilities of the answers.
func.func @answers(%Q: !table, %K: !table, %V: !table, %log_beta: f64, %log_tau: f64,
    %query: !ids, %key: !key_ids, %value: !key_ids) -> tensor<?x32xf32> {
  %beta = math.exp %log_beta : f64
  %tau = math.exp %log_tau : f64
  %m = func.call @attend(%Q, %K, %V, %beta, %query, %key, %value)
    : (!table, !table, !table, f64, !ids, !key_ids, !key_ids) -> !queries
  %p = geo.distance_log_softmax %m, %V tau(%tau) : !queries, !table -> tensor<?x32xf32>
  return %p : tensor<?x32xf32>
}

func.func @initial(%z: !coords) -> !table {
  %zero = arith.constant dense<0.0> : !coords
  %origin = geo.expmap0 %zero : !coords -> !table
  %x = geo.wrapped_normal %origin, %z : !table, !coords -> !table
  return %x : !table
}
