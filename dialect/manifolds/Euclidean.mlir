// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat space: every formula is the vector space's own.
geo.manifold @euclidean {
  formula @add(x: row, y: row) = x + y
  formula @neg(x: row) = -x
  formula @scalar_mul(r: number, x: row) = r * x
  formula @gyration(u: row, v: row, w: row) = w
  formula @expmap0(v: row) = v
  formula @logmap0(x: row) = x
  formula @expmap(x: row, v: row) = x + v
  formula @logmap(x: row, y: row) = y - x
  formula @geodesic(x: row, y: row, t: number) = x + t * (y - x)
  formula @retract(x: row, v: row) = x + v
  formula @egrad2rgrad(x: row, g: row) = g
  formula @project(x: row, f: number) = x
  formula @transport0(y: row, v: row) = v
  formula @transport(x: row, y: row, v: row) = v
  formula @wrapped_normal(m: row, z: row) = m + z
  formula @midpoint_lift(x: row) = x
  formula @midpoint_weight(x: row) = 1
  formula @midpoint_drop(s: row, w: number) = s / w
  formula @sqdist(x: row, y: row) = sqnorm(x - y)
  formula @dist0(x: row) = sqrt(sqnorm(x))
  formula @conformal_factor(x: row) = 1
  formula @inner(x: row, u: row, v: row) = dot(u, v)
  formula @norm(x: row, v: row) = sqrt(sqnorm(v))

  // <x - p, a> / |a|; 0 for a normal of 0.
  formula @plane_dist(x: row, p: row, a: row) {
    let n = sqrt(sqnorm(a))
    yield dot(x - p, a) / select(0 < n, n, 1)
  }
}
