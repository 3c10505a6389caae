// RUN: geoc %s --check-gradients --check-functions | FileCheck %s
// RUN: %python %S/Inputs/exit_code.py 1 geoc %s --check-gradients --gradient-bar=1e-30
// Own derivatives, and derived ones, at random and hard points.

// CHECK: formula argument own - derived derived - differences worst at
// CHECK: @square x {{[0-9.]+e[-+][0-9]+}} {{[0-9.]+e[-+][0-9]+}}
// CHECK: @square w
geo.formula @square(x: row, w: number) = w * sqnorm(x) vjp(ct: number) {
  yield 2 * ct * w * x, ct * sqnorm(x)
}

// No infinity over infinity far out.
// CHECK: @softplus z
geo.formula @softplus(z: number) = log(1 + exp(z)) vjp(ct: number) = ct / (1 + exp(-z))

// No own derivative.
// CHECK: @cubic x - {{[0-9.]+e-}}
geo.formula @cubic(x: row) = sqnorm(x) * x

// CHECK: @page::@out x
// CHECK: @page::@out s
// CHECK: @page::@dist y
geo.manifold @page(s > 0) {
  formula @out(x: row) = s * x vjp(ct: row) {
    yield s * ct, dot(x, ct)
  }
  formula @sqdist(x: row, y: row) = sqnorm(out(x - y))
  formula @dist(x: row, y: row) = sqrt(sqdist(x, y))
}

// CHECK: @loss argument 0 - {{[0-9.]+e-}}
// CHECK: @loss argument 2
func.func @loss(%x: tensor<?x4xf32, #geo.manifold<@page, 2.0>>, %ids: tensor<?xi32>,
                %e: tensor<6x4xf32, #geo.manifold<@page, 2.0>>) -> tensor<?xf64> {
  %y = geo.gather %e[%ids] : tensor<6x4xf32, #geo.manifold<@page, 2.0>>, tensor<?xi32>
    -> tensor<?x4xf32, #geo.manifold<@page, 2.0>>
  %d = geo.sqdist %x, %y : tensor<?x4xf32, #geo.manifold<@page, 2.0>>,
    tensor<?x4xf32, #geo.manifold<@page, 2.0>> -> tensor<?xf64>
  return %d : tensor<?xf64>
}
