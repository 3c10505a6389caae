// RUN: geo-opt %s --geo-math-to-libm --verify-diagnostics

// One call for each element: of this vector there would be no end.
func.func @long(%x: vector<4294967296xf32>) -> vector<4294967296xf32> {
  // expected-error @+1 {{expects vectors of at most 65536 elements, but got 'vector<4294967296xf32>'}}
  %0 = math.tanh %x : vector<4294967296xf32>
  return %0 : vector<4294967296xf32>
}
