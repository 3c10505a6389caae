// RUN: geo-opt %s --geo-expand --split-input-file --verify-diagnostics

// Rows are floats, at least one: a type that makes no row must not get past the
// verifier.
geo.formula @double(x: row) = 2 * x
func.func @ids(%x: tensor<?x8xi64>) -> tensor<?x8xi64> {
  // expected-error @+1 {{expects argument 0 to be tensor<RxdxT> or tensor<dxT> with static d >= 1 and T f32 or f64, but got 'tensor<?x8xi64>'}}
  %y = geo.apply @double(%x) : (tensor<?x8xi64>) -> tensor<?x8xi64>
  return %y : tensor<?x8xi64>
}

// -----

geo.formula @double(x: row) = 2 * x
func.func @nothing(%x: tensor<?x0xf32>) -> tensor<?x0xf32> {
  // expected-error @+1 {{expects argument 0 to be tensor<RxdxT>}}
  %y = geo.apply @double(%x) : (tensor<?x0xf32>) -> tensor<?x0xf32>
  return %y : tensor<?x0xf32>
}

// -----

geo.formula @pair(x: row, y: column) = sqnorm(x - y)
func.func @pairs(%x: tensor<?x8xi32>, %y: tensor<5x8xi32>) -> tensor<?x5xf32> {
  // expected-error @+1 {{expects argument 0 to be a matrix of floats and static width, but got 'tensor<?x8xi32>'}}
  %l = geo.apply_pairs @pair(%x, %y) none : (tensor<?x8xi32>, tensor<5x8xi32>) -> tensor<?x5xf32>
  return %l : tensor<?x5xf32>
}
