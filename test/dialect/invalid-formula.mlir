// RUN: geo-test-opt %s --split-input-file --verify-diagnostics
// REQUIRES: geo-test-opt

// A manifold whose page lacks the formula: geo.conformal_factor C1.
func.func @formula(%x: tensor<?x4xf32, #geo_test.sphere>) {
  // expected-error @below {{'geo.conformal_factor' op expects a manifold with the formula conformal_factor, but got #geo_test.sphere}}
  %0 = geo.conformal_factor %x : tensor<?x4xf32, #geo_test.sphere> -> tensor<?xf64>
  return
}
