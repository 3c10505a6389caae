// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Poincare ball of curvature -c, c > 0: points have c|x|^2 < 1. The formulas
// are those of the stereographic model; here stands what the sign of c spares.
geo.manifold @poincare(c > 0) like @stereographic {
  formula @joint(x: row, y: row) = c * sqnorm(x + y) + alpha(x) * alpha(y)
  formula @one_plus(s: number, x: row, y: row) = 1 + s
  formula @arc(s: number, u: number) = asinhc(s)
  formula @gyration(u: row, v: row, w: row) =
    gyrate(u, v, w, joint(u, v))

  formula @sqdist(x: row, y: row) {
    let m = sqnorm(x - y) * (1 / alpha(x) * (1 / alpha(y)))
    let q = asinhc(c * m)
    yield 4 * m * (q * q)
  }
  formula @pair_sqdist(x: row, y: row) = sqdist(x, y)

  formula @midpoint_drop(s: row, w: number) {
    let n = sqrt(w * w - c * sqnorm(s))
    let factor = 1 / (w + n)
    yield inside(2 * n * factor, s) * factor * s
  }

  // Space coordinates on the hyperboloid of the same curvature.
  formula @to_lorentz(x: row) = 2 / alpha(x) * x

  formula @domain_norm(x: row) = sqrt(sqnorm(x))
  formula @domain_limit(x: row) = 1 / sqrt(c)
}
