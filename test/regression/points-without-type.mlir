// RUN: geo-opt %s --split-input-file --verify-diagnostics

// The parser verifies the encoding of a tensor whose element type is missing.
// expected-error @+1 {{expected non-function type}}
func.func private @f(tensor<3x, #geo.poincare<1.0>>)

// -----

// expected-error @+1 {{expected non-function type}}
func.func private @f(tensor<3x, #geo.product<#geo.euclidean x 1, #geo.poincare<1.0> x 2>>)
