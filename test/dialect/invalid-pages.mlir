// RUN: geo-opt %s --split-input-file --verify-diagnostics --geo-check-points

// C2: a standard formula has its arguments.
geo.manifold @m {
  // expected-error @below {{expects the standard formula add(x: row, y: row) -> row}}
  formula @add(x: row) = x
}

// -----
geo.manifold @m {
  // expected-error @below {{expects the standard formula sqdist(x: row, y: row) -> number}}
  formula @sqdist(x: row, y: row) = x - y
}

// -----
// C3
// expected-error @below {{expects curvatures of different names, but got "c" twice}}
geo.manifold @m(c, c) {
  formula @neg(x: row) = -x
}

// -----
// expected-error @below {{expects a curvature > 0}}
geo.manifold @m(c > 1) {
}

// -----
geo.manifold @m {
  // expected-error @below {{expects an argument, a curvature or a name that let gave above, but got z}}
  formula @neg(x: row) = -z
}

// -----
geo.manifold @m {
  formula @neg(x: row) {
    let a = 2
    // expected-error @below {{expects a new name after let, but got a}}
    let a = 3
    yield a * x
  }
}

// -----
// expected-error @below {{expects 2 arguments of dot, but got 1}}
geo.formula @f(x: row) = dot(x)

// -----
// expected-error @below {{expects a row as the argument of sqnorm, but got a number}}
geo.formula @f(x: row) = sqnorm(2)

// -----
// expected-error @below {{expects a number as the argument of tanhc, a function of the squared norm, but got a row}}
geo.formula @f(x: row) = tanhc(x)

// -----
// expected-error @below {{expects select to compare numbers, but got a row}}
geo.formula @f(x: row) = select(x < 1, x, x)

// -----
// expected-error @below {{expects select to choose between two rows or two numbers, but got one of each}}
geo.formula @f(x: row, s: number) = select(s < 1, x, s)

// -----
// expected-error @below {{expects a function, a formula above or a standard one, but got nothing_such}}
geo.formula @f(x: row) = nothing_such(x)

// -----
// expected-error @below {{expects arguments of different names, but got x twice}}
geo.formula @f(x: row, x: row) = x

// -----
// expected-error @below {{expects row, column or number, but got vector}}
geo.formula @f(x: vector) = x

// -----
// C3 of geo.formula
// expected-error @below {{expects one cotangent per argument and curvature, of types 'vector<[1]xf64>', 'f64', but got 'vector<[1]xf64>'}}
geo.formula @f(x: row, s: number) = s * x vjp(ct: row) = s * ct

// -----
// An error in a formula that nothing uses, at its line.
geo.manifold @m {
  // expected-error @below {{expects a formula of the manifold, but got @logmap}}
  formula @geodesic(x: row, y: row, t: number) = x + t * logmap(x, y)
}

// -----
geo.manifold @m {
  // expected-error @below {{expects calls to nest at most 64 deep, but got recursion}}
  formula @neg(x: row) = neg(x)
}

// -----
geo.manifold @m {
  formula @twice(x: row) = 2 * x
  // expected-error @below {{expects 1 arguments of formula twice, but got 2}}
  formula @neg(x: row) = twice(x, x)
}

// -----
func.func @f(%x: tensor<?x4xf32, #geo.manifold<@nowhere>>) -> tensor<?x4xf32, #geo.manifold<@nowhere>> {
  // expected-error @below {{expects a geo.manifold of the module, but got #geo.manifold<@nowhere>}}
  return %x : tensor<?x4xf32, #geo.manifold<@nowhere>>
}

// -----
geo.manifold @m(c > 0) {
  formula @neg(x: row) = -x
}
func.func @f(%x: tensor<?x4xf32, #geo.manifold<@m, -1.0>>) {
  // expected-error @below {{expects curvature c > 0, but got -1}}
  %0 = geo.neg %x : tensor<?x4xf32, #geo.manifold<@m, -1.0>> -> tensor<?x4xf32, #geo.manifold<@m, -1.0>>
  return
}

// -----
geo.manifold @m {
  formula @neg(x: row) = -x
}
func.func @f(%x: tensor<?x4xf32, #geo.manifold<@m>>) {
  // expected-error @below {{expects a manifold with the formula add, but got #geo.manifold<@m>}}
  %0 = geo.mobius_add %x, %x : tensor<?x4xf32, #geo.manifold<@m>>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32>) {
  // expected-error @below {{expects a formula of the module or of a page, but got @nowhere}}
  %0 = geo.apply @nowhere(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
geo.formula @f(x: row, s: number) = s * x
func.func @g(%x: tensor<?x4xf32>) {
  // expected-error @below {{expects 2 arguments of f but got 1}}
  %0 = geo.apply @f(%x) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----
geo.formula @f(x: row, s: number) = s * x
func.func @g(%x: tensor<?x4xf32>, %s: f32) {
  // expected-error @below {{expects argument 1 to be f64 or tensor<Rxf64>, but got 'f32'}}
  %0 = geo.apply @f(%x, %s) : (tensor<?x4xf32>, f32) -> tensor<?x4xf32>
  return
}

// -----
geo.formula @f(x: row, e: column) = dot(x, e)
func.func @g(%x: tensor<?x4xf32>, %e: tensor<7x4xf32>) {
  // expected-error @below {{expects a result of type 'tensor<?x7xf32>', but got 'tensor<?x8xf32>'}}
  %0 = geo.apply_pairs @f(%x, %e) none : (tensor<?x4xf32>, tensor<7x4xf32>) -> tensor<?x8xf32>
  return
}

// -----
geo.formula @f(x: row, e: column) = dot(x, e)
func.func @g(%x: tensor<?x4xf32>, %e: tensor<7x4xf32>) {
  // expected-error @below {{expects targets for the reducer nll, and only for it}}
  %0 = geo.apply_pairs @f(%x, %e) nll : (tensor<?x4xf32>, tensor<7x4xf32>) -> tensor<?xf64>
  return
}

// -----
// expected-error @below {{expects at least one factor}}
func.func private @none(tensor<?x4xf32, #geo.product<>>)

// -----
// expected-error @below {{to have 5 coordinates, but got 4}}
func.func private @width(tensor<?x4xf32, #geo.product<#geo.poincare<1.0> x 2, #geo.euclidean x 3>>)

// -----
// expected-error @below {{expects factors with at least one column, but got 0}}
func.func private @empty(tensor<?x4xf32, #geo.product<#geo.poincare<1.0> x 0, #geo.euclidean x 4>>)

// -----
// expected-error @below {{expects a built-in manifold, but got "poincar"}}
func.func private @spelling(tensor<?x4xf32, #geo.poincar<1.0>>)

// -----
// expected-error @below {{expects 1 curvatures of poincare, but got 0}}
func.func private @curvatures(tensor<?x4xf32, #geo.poincare>)
