// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multinomial logistic regression by signed distances from hyperplanes:
//   Ganea, Becigneul, Hofmann, "Hyperbolic Neural Networks", section 3.1;
//   Shimizu, Mukuta, Harada, "Hyperbolic Neural Networks++".
// The aliases and the formula @logit are what --space and --dim replace.
#space = #geo.poincare<1.0>
!points = tensor<?x2xf32, #space>
!rows = tensor<?x2xf32>
!bases = tensor<13x2xf32, #space>
!normals = tensor<13x2xf32>

!labels = tensor<?xi32>
!numbers = tensor<?xf64>
!logits = tensor<?x13xf32>

// Logit of class k at x: |a|_p times the signed distance of x from the hyperplane
// through p with normal a, p and a being k's. Written so that x meets p and a only
// in |x - p|^2 and <x, a>, it runs over all pairs of points and classes by matrix
// products. Curvature -1, and 0.
geo.manifold @classes {
  formula @ball(x: row, p: column, a: column) {
    let pa = dot(p, a)
    let rest = 1 - sqnorm(p)
    let n = sqrt(sqnorm(a))
    let h = 2 * (dot(x, a) - pa - sqnorm(x - p) * (pa / rest)) / (n * (1 - sqnorm(x)))
    yield 2 * n / rest * (h * asinhc(h * h))
  }
  formula @hyperboloid(x: row, p: column, a: column) {
    let pa = dot(p, a) / sqrt(1 + sqnorm(p))
    let n = sqrt(sqnorm(a) - pa * pa)
    let h = (dot(x, a) - sqrt(1 + sqnorm(x)) * pa) / n
    yield n * (h * asinhc(h * h))
  }
  formula @flat(x: row, p: column, a: column) = dot(x, a) - dot(p, a)

  formula @logit(x: row, p: column, a: column) = ball(x, p, a)
}

geo.formula @scaled(s: number, x: row) = s * x
geo.formula @moved(x: row, s: number, v: row) = x + s * v

// The mean loss. Normals are learned at the origin and carried to p.
func.func private @loss(%p: !bases, %a0: !normals, %x: !points, %labels: !labels) -> f64 {
  %a = geo.transport0 %p, %a0 : !bases, !normals -> !normals
  %nll = geo.apply_pairs @classes::@logit(%x, %p, %a) nll targets(%labels : !labels)
    : (!points, !bases, !normals) -> !numbers
  %sum = geo.rowwise rows(%l = %nll : !numbers) {
    geo.yield %l : f64
  } -> () sums (f64)
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : !points
  %count = arith.index_cast %rows : index to i64
  %n = arith.sitofp %count : i64 to f64
  %mean = arith.divf %sum, %n : f64
  return %mean : f64
}

// Riemannian gradient descent on p, plain on the normals.
func.func @step(%p: !bases, %a0: !normals, %x: !points, %labels: !labels, %lr: f64)
    -> (f64, !bases, !normals) {
  %loss, %gp, %ga = geo.gradient @loss(%p, %a0, %x, %labels) wrt [0, 1]
    : (!bases, !normals, !points, !labels) -> (f64, !normals, !normals)
  %minus = arith.negf %lr : f64
  %v = geo.egrad2rgrad %p, %gp : !bases, !normals -> !normals
  %step = geo.apply @scaled(%minus, %v) : (f64, !normals) -> !normals
  %p1 = geo.expmap %p, %step : !bases, !normals
  %a1 = geo.apply @moved(%a0, %minus, %ga) : (!normals, f64, !normals) -> !normals
  return %loss, %p1, %a1 : f64, !bases, !normals
}

func.func @logits(%p: !bases, %a0: !normals, %x: !points) -> !logits {
  %a = geo.transport0 %p, %a0 : !bases, !normals -> !normals
  %z = geo.apply_pairs @classes::@logit(%x, %p, %a) none : (!points, !bases, !normals) -> !logits
  return %z : !logits
}

// The same by the named op, one row for each pair: what the formulas above are
// held against.
func.func @logits_by_name(%p: !rows, %a0: !rows, %x: !points) -> !numbers {
  %q = geo.point %p : !rows -> !points
  %a = geo.transport0 %q, %a0 : !points, !rows -> !rows
  %n = geo.norm %q, %a : !points, !rows -> !numbers
  %d = geo.plane_dist %x, %q, %a : !points, !points, !rows -> !numbers
  %z = geo.rowwise rows(%ni = %n : !numbers, %di = %d : !numbers) {
    %y = arith.mulf %ni, %di : f64
    geo.yield %y : f64
  } -> (!numbers)
  return %z : !numbers
}

// The data: normal rows z drawn around the centres exp0(v), in the ball whatever the
// classifier's space; as tangent vectors at the origin, of their length there.
!drawn = tensor<?x2xf32, #geo.poincare<1.0>>
func.func @draw(%v: !rows, %z: !rows) -> !rows {
  %m = geo.expmap0 %v : !rows -> !drawn
  %x = geo.wrapped_normal %m, %z : !drawn, !rows -> !drawn
  %t = geo.logmap0 %x : !drawn -> !rows
  %two = arith.constant 2.0 : f64
  %u = geo.apply @scaled(%two, %t) : (f64, !rows) -> !rows
  return %u : !rows
}

// And as points of the classifier's space: the same ones in the ball and on the
// hyperboloid; in flat space the tangent vectors themselves.
func.func @points(%u: !rows) -> !points {
  %nothing = arith.constant 0.0 : f64
  %zero = geo.apply @scaled(%nothing, %u) : (f64, !rows) -> !rows
  %origin = geo.expmap0 %zero : !rows -> !points
  %x = geo.wrapped_normal %origin, %u : !points, !rows -> !points
  return %x : !points
}

// Minus the distance of points from the true centres, which flat space does not
// know: it takes the tangent vectors' distances.
!centres = tensor<13x2xf32>
geo.formula @twice(v: row) = 2 * v
func.func @nearness(%v: !centres, %x: !points) -> !logits {
  %u = geo.apply @twice(%v) : (!centres) -> !centres
  %zero = arith.constant dense<0.0> : !centres
  %origin = geo.expmap0 %zero : !centres -> !bases
  %m = geo.wrapped_normal %origin, %u : !bases, !centres -> !bases
  %d = geo.geodesic_dist %x, %m all_pairs : !points, !bases -> !logits
  %z = geo.rowwise rows(%r = %d : !logits) {
    %n = arith.negf %r : vector<13xf32>
    geo.yield %n : vector<13xf32>
  } -> (!logits)
  return %z : !logits
}
