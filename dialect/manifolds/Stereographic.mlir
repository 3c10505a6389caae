// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stereographic model of constant curvature -c, for c of either sign: the
// Poincare ball of radius 1 / sqrt c for c > 0, flat space (with |dx|^2 scaled by
// 4) for c = 0, the sphere without the antipode of the origin for c < 0. Nothing
// divides by c, nor by a norm but near antipodes: the even functions take c times
// a squared norm, are analytic through 0, and every formula is so with them. With
// w = x + y, a = 1 - c|x|^2, b = 1 - c|y|^2, k = c|w|^2:
//   x (+) y = (k x + a w) / (k + a b)          (for c > 0 every term is positive)
//   d(x, y)^2 = 4 m asinhc(c m)^2,  m = |x - y|^2 / (a b)
// Source: Ungar, "A Gyrovector Space Approach to Hyperbolic Geometry"; Bachmann,
// Becigneul, Ganea, "Constant Curvature Graph Convolutional Networks"; rearranged.
geo.manifold @stereographic(c) {
  // 2 over the conformal factor; NaN outside of a ball, whatever is made of it.
  formula @alpha(x: row) {
    let a = 1 - c * sqnorm(x)
    yield select(0 < a, a, 0 / 0)
  }

  // 1, or where `rest` = 1 - c|z|^2 > 0 of a point z is so small that rounding z
  // to its storage type may put it onto or past the rim, a factor that moves it
  // inwards by twice the spacing there: the row as stored lies in the ball, too.
  // (Distance from the origin about 16 for f32 and c = 1: a limit of storage, no
  // radius.) For c <= 0 rest is at least 1.
  formula @inside(rest: number, x: row) = select(rest < 4 * epsilon(x), 1 - 2 * epsilon(x), 1)

  // c|x + y|^2 + a b = 1 + 2c<x, y> + c^2|x|^2|y|^2. Where its terms cancel, at y near
  // the antipode of -x, which c < 0 has: the square of a row, which keeps half of the
  // digits that the sum would lose all of.
  formula @joint(x: row, y: row) {
    let sum = c * sqnorm(x + y) + alpha(x) * alpha(y)
    let xx = sqnorm(x)
    let large = 1 + c * xx * (c * sqnorm(y))
    let n = sqrt(select(4 * sum < large, xx, 1))
    yield select(4 * sum < large, sqnorm(1 / n * x + c * n * y), sum)
  }

  // 1 + s for s = c|x - y|^2 / (a b).
  formula @one_plus(s: number, x: row, y: row) = joint(x, -y) / (alpha(x) * alpha(y))

  // asinhc(s), given u = 1 + s as well.
  formula @arc(s: number, u: number) {
    let near = select(s < -0.5, 0, s)
    let cosine = sqrt(select(s < -0.5, u, 0.25))
    let sine = sqrt(select(s < -0.5, -s, 1))
    let far = (1.5707963267948966 - asin(cosine)) / sine
    yield select(s < -0.5, far, asinhc(near))
  }

  formula @add(x: row, y: row) {
    let a = alpha(x)
    let b = alpha(y)
    let w = x + y
    let k = c * sqnorm(w)
    let d = joint(x, y)
    // 1 - c|x (+) y|^2 = a b / d.
    let factor = inside(a * b / d, x) / d
    yield factor * k * x + factor * a * w
  }

  formula @neg(x: row) = -x

  formula @scalar_mul(r: number, x: row) {
    let z = c * sqnorm(x)
    let q = r * artanhc(z)
    let t = q * tanhc(q * q * z)
    yield inside(1 - z * (t * t), x) * t * x
  }

  // w + (2c / d) ((a<p, w> + 2c<u, p><p, w> - c|p|^2 <u, w>) u
  //              - (c|u|^2 <p, w> + a<u, w>) p),  p = u + v,  d = c|p|^2 + a b.
  formula @gyrate(u: row, v: row, w: row, d: number) {
    let p = u + v
    let a = alpha(u)
    let pp = sqnorm(p)
    let up = dot(u, p)
    let pw = dot(p, w)
    let uw = dot(u, w)
    let twice = 2 * c / d
    let along_u = twice * (a * pw + c * (2 * up * pw - pp * uw))
    let along_p = twice * (c * sqnorm(u) * pw + a * uw)
    yield w + along_u * u - along_p * p
  }

  // Where the terms of d cancel (see joint), those above do, too. The same as two
  // reflections: along u + c|u|^2 v, whose angle to u is half of the gyration's, and
  // along u.
  formula @gyration(u: row, v: row, w: row) {
    let d = c * sqnorm(u + v) + alpha(u) * alpha(v)
    let uu = sqnorm(u)
    let large = 1 + c * uu * (c * sqnorm(v))
    let n = sqrt(select(4 * d < large, uu, 1))
    let g = 1 / n * u + c * n * v
    let once = w - 2 * dot(g, w) / select(4 * d < large, sqnorm(g), 1) * g
    let twice = once - 2 * dot(u, once) / (n * n) * u
    yield select(4 * d < large, twice, gyrate(u, v, w, select(4 * d < large, 1, d)))
  }

  formula @expmap0(v: row) {
    let z = c * sqnorm(v)
    let t = tanhc(z)
    yield inside(1 - z * (t * t), v) * t * v
  }

  formula @logmap0(x: row) = artanhc(c * sqnorm(x)) * x

  formula @expmap(x: row, v: row) {
    let a = alpha(x)
    let z = c * sqnorm(v) / (a * a)
    let t = tanhc(z)
    // Far out tanh is 1 to the last place, and what is added would be no point.
    let below = select(1 - z * (t * t) < 1.0e-14, 1 - 1.0e-14, 1)
    yield add(x, below * t / a * v)
  }

  // asinhc(s) / sqrt(1 + s) (a w - k x) / b,  w = y - x, k = c|w|^2, s = k / (a b).
  formula @logmap(x: row, y: row) {
    let a = alpha(x)
    let b = alpha(y)
    let w = y - x
    let k = c * sqnorm(w)
    let s = k / (a * b)
    let u = one_plus(s, x, y)
    let f = arc(s, u) / (sqrt(u) * b)
    yield f * a * w - f * k * x
  }

  // The point on the straight line between the lifts of x and y to the
  // hyperboloid (or sphere) that divides the angle. With q = c d^2, sinhc(q) =
  // sqrt(1 + s) / asinhc(s): 0 at antipodes, between which it is not unique.
  formula @geodesic(x: row, y: row, t: number) {
    let zx = c * sqnorm(x)
    let zy = c * sqnorm(y)
    let m = sqnorm(x - y) / (alpha(x) * alpha(y))
    let s = c * m
    let u = one_plus(s, x, y)
    let f = arc(s, u)
    let q = 4 * s * (f * f)
    let whole = sqrt(u) / f
    let rest = 1 - t
    let wx = rest * sinhc(rest * rest * q) / (whole * (1 - zx))
    let wy = t * sinhc(t * t * q) / (whole * (1 - zy))
    let d = 1 + wx * (1 + zx) + wy * (1 + zy)
    let factor = 2 * inside(2 / d, x) / d
    yield factor * wx * x + factor * wy * y
  }

  // x (+) v / (a sqrt(1 + c|v|^2 / a^2)): as expmap to first order, on the
  // manifold for every v.
  formula @retract(x: row, v: row) {
    let a = alpha(x)
    let s = c * sqnorm(v) / (a * a)
    let t = 1 / (a * sqrt(1 + select(0 < s, s, 0)))
    yield add(x, t * v)
  }

  formula @egrad2rgrad(x: row, g: row) {
    let a = alpha(x)
    yield 0.25 * a * a * g
  }

  // Rows with sqrt(c)|x| > f are scaled to that norm, others kept bit for bit.
  formula @project(x: row, f: number) {
    let z = c * sqnorm(x)
    let outside = select(f * f < z, z, f * f)
    yield select(f * f < z, f / sqrt(outside) * x, x)
  }

  formula @transport0(y: row, v: row) = alpha(y) * v

  formula @transport(x: row, y: row, v: row) = alpha(y) / alpha(x) * gyration(y, -x, v)

  // The length of v at the origin is 2|v|, and a cancels in expmap(m, a v).
  formula @wrapped_normal(m: row, z: row) = add(m, 0.5 * tanhc(0.25 * c * sqnorm(z)) * z)

  // The weighted centroid of the lifts, projected: Ungar's gyromidpoint.
  formula @midpoint_lift(x: row) = 2 / alpha(x) * x
  formula @midpoint_weight(x: row) {
    let z = c * sqnorm(x)
    yield (1 + z) / (1 - z)
  }
  formula @midpoint_drop(s: row, w: number) {
    let z = c * sqnorm(s)
    let n = sqrt(w * w - z)
    // On the sphere the centroid may lie beyond the equator, w < 0.
    let below = (n - w) / select(w < 0, -z, 1)
    let factor = select(w < 0, below, 1 / select(w < 0, 1, w + n))
    yield inside(2 * n * factor, s) * factor * s
  }

  formula @sqdist(x: row, y: row) {
    let m = sqnorm(x - y) * (1 / alpha(x) * (1 / alpha(y)))
    let s = c * m
    let q = arc(s, one_plus(s, x, y))
    yield 4 * m * (q * q)
  }

  formula @pair_sqdist(x: row, y: row) {
    let m = sqnorm(x - y) * (1 / alpha(x) * (1 / alpha(y)))
    let s = c * m
    let u = 1 + s
    let q = arc(s, select(0 < u, u, 0))
    yield 4 * m * (q * q)
  }

  formula @dist0(x: row) {
    let n = sqnorm(x)
    yield 2 * artanhc(c * n) * sqrt(n)
  }

  formula @conformal_factor(x: row) = 2 / alpha(x)

  formula @inner(x: row, u: row, v: row) {
    let l = 2 / alpha(x)
    yield l * l * dot(u, v)
  }

  formula @norm(x: row, v: row) = 2 / alpha(x) * sqrt(sqnorm(v))

  // With h = 2 (<w, a> - c|w|^2 <p, a> / (1 - c|p|^2)) / (|a| (1 - c|x|^2)), w = x - p:
  // asinh(sqrt(c) h) / sqrt(c); 0 for a normal of 0. Source: Ganea, Becigneul,
  // Hofmann, "Hyperbolic Neural Networks".
  formula @plane_dist(x: row, p: row, a: row) {
    let w = x - p
    let n = sqrt(sqnorm(a))
    let bent = c * sqnorm(w) * dot(p, a) / alpha(p)
    let h = 2 * (dot(w, a) - bent) / (select(0 < n, n, 1) * alpha(x))
    let s = c * (h * h)
    // At the pole, the farthest point, no derivative: 0, as between its sides.
    yield h * asinhc(select(-1 < s, s, -1))
  }

  // sqrt(c)|x| against 1, where there is a rim.
  formula @domain_norm(x: row) = sqrt(select(0 < c, c, 0)) * sqrt(sqnorm(x))
  formula @domain_limit(x: row) = 1
}
