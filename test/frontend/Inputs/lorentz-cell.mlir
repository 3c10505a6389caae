// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence on the hyperboloid of learnable curvature, with a decoder of its
// own: the logit of a word is minus its distance.
geo.formula @step_row(a: row, b: row, bias: row) = tanh(a + b + bias)
geo.formula @logit(x: row, e: column, c: number) = -lorentz.dist(x, e, c)

func.func private @tangent(%x: tensor<?x4xf32, #geo.lorentz<"c">>, %W: tensor<4x4xf32>, %c: f64)
    -> tensor<?x4xf32> {
  %u = geo.logmap0 %x curvature(%c) : tensor<?x4xf32, #geo.lorentz<"c">> -> tensor<?x4xf32>
  %v = geo.matmul %u, %W : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  return %v : tensor<?x4xf32>
}

func.func @step(%h: tensor<?x4xf32, #geo.lorentz<"c">> {geo.state = "h"},
                %ids: tensor<?xi32> {geo.input},
                %E: tensor<?x4xf32, #geo.lorentz<"c">> {geo.param = "E", geo.init = "normal(0.1)"},
                %W: tensor<4x4xf32> {geo.param = "W", geo.init = "identity"},
                %U: tensor<4x4xf32> {geo.param = "U", geo.init = "uniform(-0.3, 0.3)"},
                %b: tensor<4xf32> {geo.param = "b", geo.init = "zeros"},
                %c: f64 {geo.param = "c", geo.init = 1.0, geo.positive = "softplus"})
    -> tensor<?x4xf32, #geo.lorentz<"c">> {
  %e = geo.gather %E[%ids] : tensor<?x4xf32, #geo.lorentz<"c">>, tensor<?xi32> -> tensor<?x4xf32, #geo.lorentz<"c">>
  %x = call @tangent(%e, %U, %c) : (tensor<?x4xf32, #geo.lorentz<"c">>, tensor<4x4xf32>, f64) -> tensor<?x4xf32>
  %y = call @tangent(%h, %W, %c) : (tensor<?x4xf32, #geo.lorentz<"c">>, tensor<4x4xf32>, f64) -> tensor<?x4xf32>
  %v = geo.apply @step_row(%x, %y, %b) : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %next = geo.expmap0 %v curvature(%c) : tensor<?x4xf32> -> tensor<?x4xf32, #geo.lorentz<"c">>
  return %next : tensor<?x4xf32, #geo.lorentz<"c">>
}

func.func @loss(%h: tensor<?x4xf32, #geo.lorentz<"c">> {geo.state = "h"},
                %E: tensor<?x4xf32, #geo.lorentz<"c">> {geo.param = "E"},
                %c: f64 {geo.param = "c"},
                %targets: tensor<?xi32> {geo.targets}) -> tensor<?xf64> {
  %nll = geo.apply_pairs @logit(%h, %E, %c) nll targets(%targets : tensor<?xi32>)
    : (tensor<?x4xf32, #geo.lorentz<"c">>, tensor<?x4xf32, #geo.lorentz<"c">>, f64) -> tensor<?xf64>
  return %nll : tensor<?xf64>
}

func.func @decode(%h: tensor<?x4xf32, #geo.lorentz<"c">> {geo.state = "h"},
                  %E: tensor<?x4xf32, #geo.lorentz<"c">> {geo.param = "E"},
                  %c: f64 {geo.param = "c"}) -> tensor<?x?xf32> {
  %p = geo.apply_pairs @logit(%h, %E, %c) softmax
    : (tensor<?x4xf32, #geo.lorentz<"c">>, tensor<?x4xf32, #geo.lorentz<"c">>, f64) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
