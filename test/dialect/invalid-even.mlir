// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: the order.
func.func @c1(%z: f64) {
  // expected-error @below {{'geo.even' op expects order 0, 1 or 2, but got 3}}
  %0 = geo.even tanhc %z {order = 3 : i64} : f64
  return
}

// -----

// C1: no derivative of negative order.
func.func @c1_negative(%z: f64) {
  // expected-error @below {{'geo.even' op expects order 0, 1 or 2, but got -1}}
  %0 = geo.even tanhc %z {order = -1 : i64} : f64
  return
}

// -----

// The function is one of a list.
func.func @function(%z: f64) {
  // expected-error @below {{custom op 'geo.even' expects tanhc, artanhc, asinhc, sinhc, coshq, sinc, cosq or asinc, but got cosh}}
  %0 = geo.even cosh %z : f64
  return
}
