// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: a function of the module.
func.func @c1(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects a function of the module, but got @nowhere}}
  %0:2 = geo.gradient @nowhere(%x) wrt [0] : (f64) -> (f64, f64)
  return
}

// -----

// C1: whose argument types match.
func.func private @loss(f64) -> f64
func.func @c1_types(%x: f32) {
  // expected-error @below {{'geo.gradient' op expects arguments of types 'f64', but got 'f32'}}
  %0:2 = geo.gradient @loss(%x) wrt [0] : (f32) -> (f64, f32)
  return
}

// -----

// C2: a number to differentiate.
func.func private @loss(f64) -> f32
func.func @c2(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects a callee whose first result is f64, but got '(f64) -> f32'}}
  %0:2 = geo.gradient @loss(%x) wrt [0] : (f64) -> (f32, f64)
  return
}

// -----

// C2: a result at all.
func.func private @loss(f64)
func.func @c2_none(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects a callee whose first result is f64, but got '(f64) -> ()'}}
  %0 = geo.gradient @loss(%x) wrt [0] : (f64) -> (f64)
  return
}

// -----

// C3: indices of arguments.
func.func private @loss(f64) -> f64
func.func @c3(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects wrt to hold argument indices, but got 1}}
  %0:2 = geo.gradient @loss(%x) wrt [1] : (f64) -> (f64, f64)
  return
}

// -----

// C3: none negative.
func.func private @loss(f64) -> f64
func.func @c3_negative(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects wrt to hold argument indices, but got -1}}
  %0:2 = geo.gradient @loss(%x) wrt [-1] : (f64) -> (f64, f64)
  return
}

// -----

// C3: each once.
func.func private @loss(f64) -> f64
func.func @c3_twice(%x: f64) {
  // expected-error @below {{'geo.gradient' op expects wrt to hold distinct indices, but got 0 twice}}
  %0:3 = geo.gradient @loss(%x) wrt [0, 0] : (f64) -> (f64, f64, f64)
  return
}

// -----

// C3: ids have no gradient.
func.func private @loss(tensor<?xi32>) -> f64
func.func @c3_ids(%x: tensor<?xi32>) {
  // expected-error @below {{'geo.gradient' op expects wrt to name floating-point arguments, but got 'tensor<?xi32>'}}
  %0:2 = geo.gradient @loss(%x) wrt [0] : (tensor<?xi32>) -> (f64, tensor<?xi32>)
  return
}

// -----

// C4: the gradient of points is plain.
func.func private @loss(tensor<?x4xf32, #geo.poincare<1.0>>) -> f64
func.func @c4(%x: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.gradient' op expects results of types 'f64', 'tensor<?x4xf32>', but got 'f64', 'tensor<?x4xf32, #geo.poincare<1.0>>'}}
  %0:2 = geo.gradient @loss(%x) wrt [0] : (tensor<?x4xf32, #geo.poincare<1.0>>) -> (f64, tensor<?x4xf32, #geo.poincare<1.0>>)
  return
}
