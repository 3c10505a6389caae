// RUN: geo-opt %s --split-input-file --verify-diagnostics

// The curvature is positive.
// expected-error @below {{expects curvature c > 0, but got 0.000000e+00}}
func.func private @zero(tensor<?x4xf32, #geo.poincare<0.0>>)

// -----

// Positive and finite.
// expected-error @below {{expects curvature c > 0, but got -1.000000e+00}}
func.func private @negative(tensor<?x4xf32, #geo.poincare<-1.0>>)

// -----

// expected-error @below {{expects curvature c > 0, but got INF}}
func.func private @infinite(tensor<?x4xf32, #geo.poincare<1.0e999>>)

// -----

// A label has a name.
// expected-error @below {{expects a curvature label, but got ""}}
func.func private @label(tensor<?x4xf32, #geo.poincare<"">>)

// -----

// A number or a label.
// expected-error @below {{expected floating point literal}}
func.func private @nothing(tensor<?x4xf32, #geo.poincare<c>>)

// -----

// Points have coordinates.
// expected-error @below {{expects a batch of points of euclidean to have rank 1 or more, but got rank 0}}
func.func private @rank0(tensor<f32, #geo.euclidean>)

// -----

// Points have at least one coordinate.
// expected-error @below {{expects points of euclidean to have at least one coordinate, but got 0}}
func.func private @empty(tensor<?x0xf32, #geo.euclidean>)

// -----

// Coordinates are f32 or f64.
// expected-error @below {{expects points of poincare to have f32 or f64 coordinates, but got 'i32'}}
func.func private @integers(tensor<?x4xi32, #geo.poincare<1.0>>)
