// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Poincare ball of curvature -c, cancellation-free. With w = x + y,
// a = 1 - c|x|^2, b = 1 - c|y|^2, k = c|w|^2:
//   x (+) y = (k x + a w) / (k + a b)          (every term is positive)
//   d(x, y) = (2 / sqrt c) asinh sqrt(s),  s = c|x - y|^2 / (a b)
//   log0(y) = asinhc(z / (1 - z)) / sqrt(1 - z) y,  z = c|y|^2
// where asinhc and tanhc take squared norms and are analytic at 0, so no form
// divides by a norm or by c. Source: Ungar, "A Gyrovector Space Approach to
// Hyperbolic Geometry", rearranged; see docs/numerics.md.
geo.manifold @poincare(c > 0) {
  // Twice the inverse of the conformal factor.
  formula @alpha(x: row) = 1 - c * sqnorm(x)

  // 1, or where rest = 1 - c|z|^2 > 0 of a point z is so small that rounding z
  // to its storage type may put it onto or past the rim, a factor that moves it
  // inwards by twice the spacing there: the row as stored lies in the ball,
  // too. (Distance from the origin about 16 for f32 and c = 1: a limit of
  // storage, no radius.)
  formula @inside_factor(rest: number, eps: number) =
    select(rest < 4 * eps, 1 - 2 * eps, 1)

  formula @add(x: row, y: row) {
    let a = alpha(x)
    let b = alpha(y)
    let w = x + y
    let k = c * sqnorm(w)
    let d = k + a * b
    // 1 - c|x (+) y|^2 = a b / d.
    let factor = inside_factor(a * b / d, epsilon(x)) / d
    yield factor * k * x + factor * a * w
  }

  formula @expmap(x: row, v: row) {
    let a = alpha(x)
    yield add(x, tanhc(c * sqnorm(v) / (a * a)) / a * v)
  }

  formula @expmap0(v: row) {
    let z = c * sqnorm(v)
    let t = tanhc(z)
    yield inside_factor(1 - z * (t * t), epsilon(v)) * t * v
  }

  formula @logmap0(x: row) {
    let z = c * sqnorm(x)
    let u = 1 - z
    yield asinhc(z / u) / sqrt(u) * x
  }

  formula @sqdist(x: row, y: row) {
    let r = sqnorm(x - y)
    let inv_a = 1 / alpha(x)
    let inv_b = 1 / alpha(y)
    let m = r * (inv_a * inv_b)
    let q = asinhc(c * m)
    yield 4 * m * (q * q)
  }

  formula @conformal_factor(x: row) = 2 / alpha(x)

  formula @project(x: row, fraction: number) {
    let n = sqrt(sqnorm(x))
    let limit = fraction / sqrt(c)
    // A norm of 0 is never outside; the select keeps 0/0 out of the gradient.
    let factor = limit / select(limit < n, n, limit)
    yield select(limit < n, factor * x, x)
  }
}
