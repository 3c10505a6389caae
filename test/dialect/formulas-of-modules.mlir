// RUN: geo-opt %s | geo-opt --geo-check-points --geo-expand | FileCheck %s
// RUN: geoc %s --check-gradients | FileCheck %s --check-prefix=GRADIENT

// Formulas outside of pages call those above them; so do pages, after their own.
geo.formula @soft(x: row, t: number) = x / sqrt(1e-3 + t * sqnorm(x))
geo.formula @twice(x: row) {
  let y = soft(x, 5E-1)
  yield soft(y, 25e+2) + y
}
geo.formula @size(x: row) = sqnorm(twice(x)) + 1e3
geo.manifold @m(c) like @euclidean {
  formula @soft(x: row, t: number) = t * x
  formula @longer(x: row) = soft(x, 2e1)
  formula @bent(x: row) = c * size(x)
}

// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<?x3xf64>, %c: f64) -> (tensor<?xf64>, tensor<?x3xf64>, tensor<?xf64>) {
  // CHECK: geo.rowwise
  // CHECK: 5.000000e-01 : f64
  // CHECK: 1.000000e-03 : f64
  // CHECK: 2.500000e+03 : f64
  // CHECK: 1.000000e+03 : f64
  %s = geo.apply @size(%x) : (tensor<?x3xf64>) -> tensor<?xf64>
  // The page's own wins.
  // CHECK: geo.rowwise
  // CHECK-NOT: math.sqrt
  // CHECK: geo.yield {{.*}} : vector<3xf64>
  %l = geo.apply @m::@longer(%x, %c) : (tensor<?x3xf64>, f64) -> tensor<?x3xf64>
  // CHECK: geo.rowwise
  // CHECK: math.sqrt
  // CHECK: geo.yield {{.*}} : f64
  %b = geo.apply @m::@bent(%x, %c) : (tensor<?x3xf64>, f64) -> tensor<?xf64>
  return %s, %l, %b : tensor<?xf64>, tensor<?x3xf64>, tensor<?xf64>
}

// GRADIENT: @twice
// GRADIENT: @m::@bent
