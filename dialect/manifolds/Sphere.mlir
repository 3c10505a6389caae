// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sphere of radius 1 / sqrt(c), c > 0, of curvature c. A row x != 0 stands for
// the point along it, n / sqrt(c) with n = x / |x|; tangent vectors are projected
// to the tangent space there first. Results that are points have the radius. The
// origin is the point along (1, ..., 1). With u = |x| and v = |y|:
// u (n - m) = (x - y) - (u - v) / v y and u (n + m) = (x + y) + (u - v) / v y, where
// u - v = <x - y, x + y> / (u + v): digits of rows that are nearly equal or opposite are
// those of their difference or sum. A and B are the squared chords |n - m|^2 and
// |n + m|^2; the angle is 2 asin(sqrt(A) / 2) where A < B, and pi - 2 asin(sqrt(B) / 2)
// near the antipode, where the first loses half of its digits. A row of zeros has no
// direction: NaN. Between a point and its antipode
// the geodesic is not unique, and whatever follows one is NaN, too.
geo.manifold @sphere(c > 0) {
  formula @origin(x: row) = 0 * x + 1 / sqrt(length(x))

  // The part of v that is tangent at x.
  formula @tangent(x: row, v: row) = v - dot(x, v) / sqnorm(x) * x

  formula @project(x: row, f: number) = x / (sqrt(c) * sqrt(sqnorm(x)))

  // u - v.
  formula @length_difference(x: row, y: row, u: number, v: number) =
    dot(x - y, x + y) / (u + v)

  // u (n - m) and u (n + m), with d = u - v.
  formula @apart(x: row, y: row, v: number, d: number) = (x - y) - d / v * y
  formula @together(x: row, y: row, v: number, d: number) = (x + y) + d / v * y

  // The angle, by B.
  formula @angle_far(b: number) = 3.141592653589793 - 2 * asin(0.5 * sqrt(b))

  formula @sqangle(a: number, b: number) {
    let na = select(a < b, a, 1)
    let f = asinc(0.25 * na)
    let far = angle_far(select(a < b, 1, b))
    yield select(a < b, na * (f * f), far * far)
  }

  formula @sqdist(x: row, y: row) {
    let uu = sqnorm(x)
    let u = sqrt(uu)
    let v = sqrt(sqnorm(y))
    let d = length_difference(x, y, u, v)
    yield sqangle(sqnorm(apart(x, y, v, d)) / uu, sqnorm(together(x, y, v, d)) / uu) / c
  }

  // By differences only: one Gram.
  formula @pair_sqdist(x: row, y: row) {
    let u = sqrt(sqnorm(x))
    let v = sqrt(sqnorm(y))
    let d = u - v
    let n = (sqnorm(x - y) - d * d) * (1 / u * (1 / v))
    let a = select(n < 0, 0, n)
    let b = 4 - a
    yield sqangle(a, select(b < 0, 0, b)) / c
  }

  // In f32 4 - A has few digits near antipodes; |x + y|^2 by differences has them.
  formula @pair_sqdist_f32(x: row, y: row) {
    let u = sqrt(sqnorm(x))
    let v = sqrt(sqnorm(y))
    let d = u - v
    let w = 1 / u * (1 / v)
    let a = (sqnorm(x - y) - d * d) * w
    let b = (sqnorm(x + y) - d * d) * w
    yield sqangle(select(a < 0, 0, a), select(b < 0, 0, b)) / c
  }

  formula @expmap(x: row, v: row) {
    let t = tangent(x, v)
    let z = c * sqnorm(t)
    yield cosq(z) / (sqrt(c) * sqrt(sqnorm(x))) * x + sinc(z) * t
  }

  // What is 0 at antipodes only.
  formula @proper(b: number) = select(0 < b, b, 0 / 0)

  // With T = u (m - <n, m> n), which is the tangent part of u (n + m) and of
  // u (m - n): sin(angle) u is its length. f T is the tangent vector at n that leads to
  // m; near the antipode f is angle / |T|, as angle / sin(angle) has a gradient there
  // that is larger than the result's by the square of the distance.
  formula @toward(x: row, near: row, far: row, a: number, b: number) =
    tangent(x, select(a < b, -near, far))
  formula @stretch(t: row, u: number, a: number, b: number) {
    let za = 0.25 * select(a < b, a, 1)
    let tt = select(a < b, 1, proper(sqnorm(t)))
    let far = angle_far(select(a < b, 1, b)) / sqrt(tt)
    yield select(a < b, asinc(za) / (sqrt(1 - za) * u), far)
  }

  formula @logmap(x: row, y: row) {
    let uu = sqnorm(x)
    let u = sqrt(uu)
    let v = sqrt(sqnorm(y))
    let d = length_difference(x, y, u, v)
    let near = apart(x, y, v, d)
    let far = together(x, y, v, d)
    let a = sqnorm(near) / uu
    let b = sqnorm(far) / uu
    let t = toward(x, near, far, a, b)
    yield stretch(t, u, a, b) / sqrt(c) * t
  }

  // The unit row along w = u (n + m): its tangent part at x, and <n, n + m> = B / 2
  // times x, as w's own digits along x are of little use near the antipode.
  formula @halfway(x: row, w: row, uu: number) {
    let p = tangent(x, w) + 0.5 * sqnorm(w) / uu * x
    yield p / sqrt(proper(sqnorm(p)))
  }

  // With P halfway: the reflection t - 2 <P, t> P of the tangent part t.
  formula @transport(x: row, y: row, v: row) {
    let uu = sqnorm(x)
    let ny = sqrt(sqnorm(y))
    let t = tangent(x, v)
    let w = together(x, y, ny, length_difference(x, y, sqrt(uu), ny))
    let p = halfway(x, w, uu)
    yield t - 2 * dot(p, t) * p
  }

  formula @expmap0(v: row) = expmap(origin(v), v)
  formula @logmap0(x: row) = logmap(origin(x), x)
  formula @transport0(y: row, v: row) = transport(origin(y), y, v)
  formula @dist0(x: row) = dist(origin(x), x)

  // Twice the part along the origin, minus the point.
  formula @neg(x: row) {
    let o = origin(x)
    let r = 1 / (sqrt(c) * sqrt(sqnorm(x)))
    yield 2 * r * dot(o, x) * o - r * x
  }

  // The rotation in the plane of the origin o and x that takes o to x, at y: the
  // product of two reflections.
  formula @add(x: row, y: row) {
    let o = origin(x)
    let n = x / sqrt(sqnorm(x))
    let r = 1 / (sqrt(c) * sqrt(sqnorm(y)))
    let p = halfway(o, o + n, 1)
    yield r * y - 2 * r * dot(p, y) * p + 2 * r * dot(o, y) * n
  }

  // expmap of t times logmap.
  formula @geodesic(x: row, y: row, t: number) {
    let uu = sqnorm(x)
    let u = sqrt(uu)
    let v = sqrt(sqnorm(y))
    let d = length_difference(x, y, u, v)
    let near = apart(x, y, v, d)
    let far = together(x, y, v, d)
    let a = sqnorm(near) / uu
    let b = sqnorm(far) / uu
    let w = toward(x, near, far, a, b)
    let z = t * t * sqangle(a, b)
    let along = t * sinc(z) * stretch(w, u, a, b)
    yield (cosq(z) / u * x + along * w) / sqrt(c)
  }

  formula @retract(x: row, v: row) {
    let y = x / sqrt(sqnorm(x)) + sqrt(c) * tangent(x, v)
    yield y / (sqrt(c) * sqrt(sqnorm(y)))
  }

  formula @egrad2rgrad(x: row, g: row) = tangent(x, g)

  formula @inner(x: row, u: row, v: row) = dot(u, v) - dot(x, u) * dot(x, v) / sqnorm(x)

  formula @norm(x: row, v: row) = sqrt(sqnorm(tangent(x, v)))

  // A row of zeros has no direction.
  formula @domain_norm(x: row) = 1 / sqrt(sqnorm(x))
  formula @domain_limit(x: row) = 1 / 0

  // The centroid of the unit rows, back on the sphere.
  formula @midpoint_lift(x: row) = x / sqrt(sqnorm(x))
  formula @midpoint_weight(x: row) = 1
  formula @midpoint_drop(s: row, w: number) = s / (sqrt(c) * sqrt(sqnorm(s)))

  // asin(<n, e>) / sqrt(c) for the unit tangent e along a at p; with x - p for near
  // rows, as <p, e> = 0. 0 for a normal of 0.
  formula @plane_dist(x: row, p: row, a: row) {
    let pp = sqnorm(p)
    let e = dot(p, a) / pp
    let w = x - p
    let near = dot(w, a) - e * dot(p, w)
    let far = dot(x, a) - e * dot(p, x)
    let up = select(4 * sqnorm(w) < pp, near, far)
    let n = sqnorm(a) - e * dot(p, a)
    let s = up / (sqrt(sqnorm(x)) * sqrt(select(0 < n, n, 1)))
    let z = select(s * s < 1, s * s, 1)
    yield s * asinc(z) / sqrt(c)
  }
}
