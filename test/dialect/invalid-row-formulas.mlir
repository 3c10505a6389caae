// RUN: geo-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<?x4xf32, #geo.sphere<1.0>>) {
  // expected-error @below {{expects a manifold with the formula to_lorentz, but got #geo.sphere<1.0>}}
  %0 = geo.convert %x : tensor<?x4xf32, #geo.sphere<1.0>> -> tensor<?x4xf32, #geo.lorentz<1.0>>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32, #geo.poincare<2.0>>) {
  // expected-error @below {{expects equal curvatures, but got #geo.poincare<2.0> and #geo.lorentz<1.0>}}
  %0 = geo.convert %x : tensor<?x4xf32, #geo.poincare<2.0>> -> tensor<?x4xf32, #geo.lorentz<1.0>>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32, #geo.poincare<2.0>>) {
  // expected-error @below {{expects a manifold with the formula lift_time, but got #geo.poincare<2.0>}}
  %0 = geo.lift %x : tensor<?x4xf32, #geo.poincare<2.0>> -> tensor<?x5xf32>
  return
}

// -----
func.func @f(%x: tensor<?x4xf32, #geo.lorentz<2.0>>) {
  // expected-error @below {{expects a result of type 'tensor<?x5xf32>', but got 'tensor<?x4xf32>'}}
  %0 = geo.lift %x : tensor<?x4xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.lorentz<2.0>>, %w: tensor<?x6xf32>) {
  // expected-error @below {{expects w of shape [N, V] with static V, for x [V, d]}}
  %0 = geo.midpoint %w, %x : tensor<?x6xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32, #geo.lorentz<2.0>>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.lorentz<2.0>>, %m: tensor<3x5xf32>) {
  // expected-error @below {{expects m of shape [e, 4], static, but got 'tensor<3x5xf32>'}}
  %0 = geo.matvec %m, %x : tensor<3x5xf32>, tensor<7x4xf32, #geo.lorentz<2.0>> -> tensor<7x3xf32, #geo.lorentz<2.0>>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.poincare<2.0>>, %y: tensor<7x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{expects points of one manifold, but got #geo.poincare<2.0> and #geo.poincare<1.0>}}
  %0 = geo.logmap %x, %y : tensor<7x4xf32, #geo.poincare<2.0>>, tensor<7x4xf32, #geo.poincare<1.0>> -> tensor<7x4xf32>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.poincare<2.0>>, %v: tensor<7x5xf32>) {
  // expected-error @below {{expects v to be a plain tensor of type 'tensor<7x4xf32>', but got 'tensor<7x5xf32>'}}
  %0 = geo.transport0 %x, %v : tensor<7x4xf32, #geo.poincare<2.0>>, tensor<7x5xf32> -> tensor<7x4xf32>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.poincare<2.0>>, %t: tensor<6xf64>) {
  // expected-error @below {{expects a result of type 'tensor<7xf64>', but got 'tensor<6xf64>'}}
  %0 = geo.scalar_mul %t, %x : tensor<6xf64>, tensor<7x4xf32, #geo.poincare<2.0>> -> tensor<7x4xf32, #geo.poincare<2.0>>
  return
}

// -----
func.func @f(%x: tensor<7x4xf32, #geo.product<#geo.poincare<2.0> x 2, #geo.euclidean x 2>>) {
  // expected-error @below {{expects a manifold with the formula conformal_factor, but got #geo.product}}
  %0 = geo.conformal_factor %x : tensor<7x4xf32, #geo.product<#geo.poincare<2.0> x 2, #geo.euclidean x 2>> -> tensor<7xf64>
  return
}
