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
  // expected-error @below {{'geo.even' op expects order 0, 1 or 2, but got 18446744073709551615}}
  %0 = geo.even tanhc %z {order = -1 : i64} : f64
  return
}

// -----

// The function is one of a list.
func.func @function(%z: f64) {
  // expected-error @below {{custom op 'geo.even' failed to parse Geo_EvenFnAttr parameter 'value' which is to be a `::geo::EvenFn`}}
  // expected-error @below {{custom op 'geo.even' expected ::geo::EvenFn to be one of: tanhc, artanhc, asinhc, sinhc, coshq, sinc, cosq, asinc}}
  %0 = geo.even cosh %z : f64
  return
}
