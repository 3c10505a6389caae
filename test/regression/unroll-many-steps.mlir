// RUN: geo-opt %s --geo-unroll-scan --verify-diagnostics

// Unrolled, this would not fit into any memory.
func.func @long(%h0: tensor<?x4xf32>, %U: tensor<4611686018427387904x?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{expects at most 65536 steps to unroll, but got 4611686018427387904}}
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<4611686018427387904x?x4xf32>)
      shared() truncate 2 {
    geo.yield %u : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  return %end : tensor<?x4xf32>
}
