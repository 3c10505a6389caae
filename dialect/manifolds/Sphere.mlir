// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sphere of radius 1 / sqrt(c), c > 0, of curvature c. A row x != 0 stands for
// the point along it, n / sqrt(c) with n = x / |x|; tangent vectors are projected
// to the tangent space there first. Results that are points have the radius. The
// origin is the point along (1, ..., 1). With u = |x| and v = |y|:
//   A = |n - m|^2 = (|x - y|^2 - (u - v)^2) / (u v)   near rows
//                 = 2 - 2 <x, y> / (u v)              others
// where u - v = <x - y, x + y> / (u + v),
// and B = |n + m|^2 likewise; the angle is 2 asin(sqrt(A) / 2) where A < B, and
// pi - 2 asin(sqrt(B) / 2) near the antipode, where the first loses half of its
// digits. A row of zeros has no direction: NaN. Between a point and its antipode
// the geodesic is not unique, and whatever follows one is NaN, too.
geo.manifold @sphere(c > 0) {
  formula @origin(x: row) = 0 * x + 1 / sqrt(length(x))

  // The part of v that is tangent at x.
  formula @tangent(x: row, v: row) = v - dot(x, v) / sqnorm(x) * x

  formula @project(x: row, f: number) = x / (sqrt(c) * sqrt(sqnorm(x)))

  // u - v.
  formula @length_difference(x: row, y: row, u: number, v: number) =
    dot(x - y, x + y) / (u + v)

  // The squared distance of the unit rows along x and y, or -y: r = |x - y|^2 or
  // |x + y|^2, d = u - v, uv = u v, and p the product of the two.
  formula @gap(r: number, d: number, uv: number, p: number) {
    let near = (r - d * d) / uv
    let far = 2 - 2 * p / uv
    let a = select(4 * r < uv, near, far)
    yield select(0 < uv, select(0 < a, a, 0), 0 / 0)
  }

  // The angle, by B.
  formula @angle_far(b: number) = 3.141592653589793 - 2 * asin(0.5 * sqrt(b))

  formula @sqangle(a: number, b: number) {
    let na = select(a < b, a, 1)
    let f = asinc(0.25 * na)
    let far = angle_far(select(a < b, 1, b))
    yield select(a < b, na * (f * f), far * far)
  }

  formula @sqdist(x: row, y: row) {
    let u = sqrt(sqnorm(x))
    let v = sqrt(sqnorm(y))
    let p = dot(x, y)
    let d = length_difference(x, y, u, v)
    let uv = u * v
    let a = gap(sqnorm(x - y), d, uv, p)
    let b = gap(sqnorm(x + y), d, uv, -p)
    yield sqangle(a, b) / c
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

  // With q = angle / sin(angle): (q / (sqrt(c) |y|)) times the part of y that is
  // tangent at x, which is that of y - x and of y + x.
  formula @logmap(x: row, y: row) {
    let u = sqrt(sqnorm(x))
    let v = sqrt(sqnorm(y))
    let p = dot(x, y)
    let d = length_difference(x, y, u, v)
    let uv = u * v
    let a = gap(sqnorm(x - y), d, uv, p)
    let b = gap(sqnorm(x + y), d, uv, -p)
    let za = 0.25 * select(a < b, a, 1)
    let zb = 0.25 * select(a < b, 1, b)
    let near = asinc(za) / sqrt(1 - za)
    let far = angle_far(4 * zb) / (2 * sqrt(proper(zb)) * sqrt(1 - zb))
    let q = select(a < b, near, far)
    let other = select(4 * sqnorm(x + y) < uv, y + x, y)
    let w = select(4 * sqnorm(x - y) < uv, y - x, other)
    yield q / (sqrt(c) * v) * tangent(x, w)
  }

  // With P along n + m: the reflection t - 2 <P, t> / |P|^2 P of the tangent part t,
  // P = x + (u / v) y taken as the sum of the rows and the rest.
  formula @transport(x: row, y: row, v: row) {
    let nx = sqrt(sqnorm(x))
    let ny = sqrt(sqnorm(y))
    let t = tangent(x, v)
    let p = (x + y) + length_difference(x, y, nx, ny) / ny * y
    let pp = sqnorm(p)
    yield t - 2 * dot(p, t) / proper(pp) * p
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
    let p = o + n
    let pp = sqnorm(p)
    yield r * y - 2 * r * dot(p, y) / proper(pp) * p + 2 * r * dot(o, y) * n
  }

  // sin(angle) / angle.
  formula @sinc_by(a: number, b: number) {
    let nb = select(a < b, 1, proper(b))
    let far = sqrt(nb * (1 - 0.25 * nb)) / angle_far(nb)
    yield select(a < b, sinc(sqangle(a, b)), far)
  }

  formula @geodesic(x: row, y: row, t: number) {
    let u = sqrt(sqnorm(x))
    let v = sqrt(sqnorm(y))
    let p = dot(x, y)
    let d = length_difference(x, y, u, v)
    let a = gap(sqnorm(x - y), d, u * v, p)
    let b = gap(sqnorm(x + y), d, u * v, -p)
    let q = sqangle(a, b)
    let whole = sqrt(c) * sinc_by(a, b)
    let rest = 1 - t
    let along_x = rest * sinc(rest * rest * q) / (whole * u)
    let along_y = t * sinc(t * t * q) / (whole * v)
    yield along_x * x + along_y * y
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
