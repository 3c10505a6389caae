// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from other formulas on every manifold. A page that knows better
// has its own.
geo.manifold @any {
  formula @dist(x: row, y: row) = sqrt(sqdist(x, y))
  formula @pair_sqdist(x: row, y: row) = sqdist(x, y)
  formula @geodesic(x: row, y: row, t: number) = expmap(x, t * logmap(x, y))
  formula @retract(x: row, v: row) = expmap(x, v)
  formula @scalar_mul(r: number, x: row) = expmap0(r * logmap0(x))
  formula @norm(x: row, v: row) = sqrt(inner(x, v, v))
  formula @wrapped_normal(m: row, z: row) = expmap(m, transport0(m, z))
}
