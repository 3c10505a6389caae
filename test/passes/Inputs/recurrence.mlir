// h' = tanh(h W + u) over all steps, a loss of its states, and the gradient by W.
func.func private @loss(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) -> f64 {
  %last, %all = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %x : tensor<?x?x8xf32>) shared(%v = %w : tensor<8x8xf32>) {
    %p = geo.matmul %s, %v : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %n = geo.rowwise rows(%pr = %p : tensor<?x8xf32>, %ur = %u : tensor<?x8xf32>) {
      %a = arith.addf %pr, %ur : vector<8xf32>
      %t = math.tanh %a : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<?x8xf32>)
    geo.yield %n, %n : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
  %rows = tensor.collapse_shape %all [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %sum = geo.rowwise rows(%r = %rows : tensor<?x8xf32>) {
    %q = geo.dot %r, %r : vector<8xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %sum : f64
}

func.func @step(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) -> (f64, tensor<8x8xf32>) {
  %l, %dw = geo.gradient @loss(%h, %x, %w) wrt [2] : (tensor<?x8xf32>, tensor<?x?x8xf32>, tensor<8x8xf32>) -> (f64, tensor<8x8xf32>)
  return %l, %dw : f64, tensor<8x8xf32>
}
