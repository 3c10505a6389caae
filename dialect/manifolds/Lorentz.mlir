// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hyperboloid of curvature -c, c > 0, in SPACE coordinates: the row x stands
// for the point (x_0, x) with x_0 = sqrt(1/c + |x|^2), so every row is a point. A
// tangent vector v at x stands for (<x, v> / x_0, v). With T = sqrt(c) x_0, which
// is 1 where c = 0, nothing divides by c. Source: Nickel, Kiela, "Learning
// Continuous Hierarchies in the Lorentz Model"; Desai et al., "Hyperbolic
// Image-Text Representations"; rearranged.
geo.manifold @lorentz(c > 0) {
  // sqrt(c) times the time coordinate.
  formula @scaled_time(x: row) = sqrt(1 + c * sqnorm(x))

  // (4 / c) sinh^2(sqrt(c) d / 2) = |x - y|^2 - (x_0 - y_0)^2, the first term by
  // differences for near rows, by products for far ones: each where the other
  // loses digits.
  formula @chord(x: row, y: row) {
    let xx = sqnorm(x)
    let yy = sqnorm(y)
    let time = (xx - yy) / (sqrt(1 + c * xx) + sqrt(1 + c * yy))
    let near = sqnorm(x - y)
    let far = xx + yy - 2 * dot(x, y)
    let m = select(near < 0.25 * (xx + yy), near, far) - c * (time * time)
    yield select(0 < m, m, 0)
  }

  // With A = T_y + c<x, y> / (1 + T_x): y + A x. Where A is near 1, as for y near
  // -x, w + (A - 1) x, w = x + y; A - 1 = c (|w|^2 + <x, w> (T_y - T_x - 2) / (1 + T_x))
  // / (T_x + T_y).
  formula @add(x: row, y: row) {
    let xx = sqnorm(x)
    let yy = sqnorm(y)
    let tx = sqrt(1 + c * xx)
    let ty = sqrt(1 + c * yy)
    let w = x + y
    let step = c * (yy - xx) / (tx + ty)
    let rest = c * (sqnorm(w) + dot(x, w) * (step - 2) / (1 + tx)) / (tx + ty)
    let full = ty + c * dot(x, y) / (1 + tx)
    yield select(rest * rest < 0.25, w, y) + select(rest * rest < 0.25, rest, full) * x
  }

  formula @neg(x: row) = -x

  formula @scalar_mul(r: number, x: row) {
    let z = c * sqnorm(x)
    let q = r * asinhc(z)
    yield sinhc(q * q * z) * q * x
  }

  // That of the ball at u / (1 + T_u) and v / (1 + T_v): a rotation of the space
  // coordinates. p is the sum of the two.
  formula @gyration(u: row, v: row, w: row) {
    let uu = sqnorm(u)
    let vv = sqnorm(v)
    let tu = sqrt(1 + c * uu)
    let tv = sqrt(1 + c * vv)
    let fu = 1 / (1 + tu)
    let fv = 1 / (1 + tv)
    let p = fu * (u + v) + c * (uu - vv) / (tu + tv) * fu * fv * v
    let a = 2 * fu
    let pp = sqnorm(p)
    let up = fu * dot(u, p)
    let pw = dot(p, w)
    let uw = fu * dot(u, w)
    let twice = 2 * c / (c * pp + 4 * fu * fv)
    let along_u = twice * (a * pw + c * (2 * up * pw - pp * uw)) * fu
    let along_p = twice * (c * uu * fu * fu * pw + a * uw)
    yield w + along_u * u - along_p * p
  }

  formula @expmap0(v: row) = sinhc(c * sqnorm(v)) * v

  formula @logmap0(x: row) = asinhc(c * sqnorm(x)) * x

  formula @inner(x: row, u: row, v: row) {
    let t = scaled_time(x)
    yield dot(u, v) - c * (dot(x, u) / t * (dot(x, v) / t))
  }

  // <v, v>_x = (|v|^2 + c |x|^2 |p|^2) / T^2 with the part p of v that is
  // orthogonal to x: every term is positive, however far out x is.
  formula @sqnorm_at(x: row, v: row) {
    let xx = sqnorm(x)
    let p = v - dot(x, v) / select(0 < xx, xx, 1) * x
    yield (sqnorm(v) + c * xx * sqnorm(p)) / (1 + c * xx)
  }

  formula @norm(x: row, v: row) = sqrt(sqnorm_at(x, v))

  formula @expmap(x: row, v: row) {
    let z = c * sqnorm_at(x, v)
    yield coshq(z) * x + sinhc(z) * v
  }

  // asinhc(s) / sqrt(1 + s) (y - x - 2 s x), s = (c / 4) chord.
  formula @logmap(x: row, y: row) {
    let s = 0.25 * c * chord(x, y)
    let f = asinhc(s) / sqrt(1 + s)
    yield f * (y - x) - 2 * f * s * x
  }

  // The straight line between the points in the ambient space, by angle.
  formula @geodesic(x: row, y: row, t: number) {
    let q = c * sqdist(x, y)
    let whole = sinhc(q)
    let rest = 1 - t
    yield rest * sinhc(rest * rest * q) / whole * x + t * sinhc(t * t * q) / whole * y
  }

  // Every row is a point.
  formula @retract(x: row, v: row) = x + v
  formula @project(x: row, f: number) = x

  formula @egrad2rgrad(x: row, g: row) = g + c * dot(x, g) * x

  formula @transport0(y: row, v: row) = v + c * dot(y, v) / (1 + scaled_time(y)) * y

  // v + c<y, v>_L / (2 + 2 s) (x + y), <y, v>_L = <y, v> - y_0 v_0.
  formula @transport(x: row, y: row, v: row) {
    let s = 0.25 * c * chord(x, y)
    let along = dot(y, v) - scaled_time(y) / scaled_time(x) * dot(x, v)
    yield v + c * along / (2 + 2 * s) * (x + y)
  }

  formula @wrapped_normal(m: row, z: row) {
    let q = c * sqnorm(z)
    yield coshq(q) * m + sinhc(q) * transport0(m, z)
  }

  // The centroid of the points in the ambient space, back on the sheet.
  formula @midpoint_lift(x: row) = x
  formula @midpoint_weight(x: row) = scaled_time(x)
  formula @midpoint_drop(s: row, w: number) = s / sqrt(w * w - c * sqnorm(s))

  formula @sqdist(x: row, y: row) {
    let m = chord(x, y)
    let q = asinhc(0.25 * c * m)
    yield m * (q * q)
  }

  // By differences only: one Gram.
  formula @pair_sqdist(x: row, y: row) {
    let xx = sqnorm(x)
    let yy = sqnorm(y)
    let time = (xx - yy) / (sqrt(1 + c * xx) + sqrt(1 + c * yy))
    let n = sqnorm(x - y) - c * (time * time)
    let m = select(0 < n, n, 0)
    let q = asinhc(0.25 * c * m)
    yield m * (q * q)
  }

  // In f32 the squares of far rows leave nothing of their difference: on the ball
  // nothing cancels, and |x|^2 is in the numbers of rows, which are of f64.
  formula @ball_row(x: row) = x / (1 + scaled_time(x))
  formula @pair_sqdist_f32(x: row, y: row) {
    let m = sqnorm(ball_row(x) - ball_row(y)) * (1 + scaled_time(x)) * (1 + scaled_time(y))
    let q = asinhc(0.25 * c * m)
    yield m * (q * q)
  }

  formula @dist0(x: row) {
    let n = sqnorm(x)
    yield asinhc(c * n) * sqrt(n)
  }

  // asinh(sqrt(c) h) / sqrt(c), h = <X, A>_L / |A|_L for the lifts of x and a; with
  // x - p for near rows. 0 for a normal of 0.
  formula @plane_dist(x: row, p: row, a: row) {
    let xx = sqnorm(x)
    let pp = sqnorm(p)
    let tx = sqrt(1 + c * xx)
    let tp = sqrt(1 + c * pp)
    let w = x - p
    let pa = dot(p, a)
    let near = dot(w, a) - c * (xx - pp) / ((tx + tp) * tp) * pa
    let far = dot(x, a) - tx / tp * pa
    let up = select(sqnorm(w) < 0.25 * (xx + pp), near, far)
    let n = sqnorm(a) - c * (pa / tp * (pa / tp))
    let h = up / sqrt(select(0 < n, n, 1))
    yield h * asinhc(c * (h * h))
  }

  formula @lift_time(x: row) = sqrt(1 / c + sqnorm(x))

  // The point of the Poincare ball of the same curvature.
  formula @to_poincare(x: row) = x / (1 + scaled_time(x))
}
