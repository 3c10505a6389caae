// RUN: geo-opt %s --split-input-file --verify-diagnostics

// A manifold whose page lacks the formula: geo.conformal_factor C1.
func.func @formula(%x: tensor<?x4xf32, #geo.sphere<1.0>>) {
  // expected-error @below {{'geo.conformal_factor' op expects a manifold with the formula conformal_factor, but got #geo.sphere<1.0>}}
  %0 = geo.conformal_factor %x : tensor<?x4xf32, #geo.sphere<1.0>> -> tensor<?xf64>
  return
}
