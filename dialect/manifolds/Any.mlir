// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from other formulas on every manifold, where its own page has
// nothing better. x, y, m, p are points; u, v, w, a, g tangent vectors, z a plain
// row of independent normal numbers; r, t, f numbers.
//
// A page needs expmap, logmap, transport0, expmap0, logmap0 and either
// conformal_factor (of a metric that is a multiple of the coordinates' own) or
// inner and egrad2rgrad.
geo.manifold @any {
  // The transvection that takes the origin to x, at y. On the ball this is
  // Moebius addition.
  formula @add(x: row, y: row) = expmap(x, transport0(x, logmap0(y)))

  // The reflection through the origin.
  formula @neg(x: row) = expmap0(-logmap0(x))

  formula @scalar_mul(r: number, x: row) = expmap0(r * logmap0(x))

  // gyr[u, v] w = -(u + v) + (u + (v + w)).
  formula @gyration(u: row, v: row, w: row) = add(neg(add(u, v)), add(u, add(v, w)))

  formula @geodesic(x: row, y: row, t: number) = expmap(x, t * logmap(x, y))

  formula @retract(x: row, v: row) = expmap(x, v)

  formula @project(x: row, f: number) = x

  formula @inner(x: row, u: row, v: row) {
    let l = conformal_factor(x)
    yield l * l * dot(u, v)
  }

  formula @norm(x: row, v: row) = sqrt(inner(x, v, v))

  // The Riemannian gradient of a function with coordinate gradient g.
  formula @egrad2rgrad(x: row, g: row) {
    let l = conformal_factor(x)
    yield g / (l * l)
  }

  formula @sqdist(x: row, y: row) {
    let v = logmap(x, y)
    yield inner(x, v, v)
  }

  formula @pair_sqdist(x: row, y: row) = sqdist(x, y)

  formula @dist(x: row, y: row) = sqrt(sqdist(x, y))

  // Where tangent vectors at the origin have the length of their coordinates.
  formula @wrapped_normal(m: row, z: row) = expmap(m, transport0(m, z))
}
