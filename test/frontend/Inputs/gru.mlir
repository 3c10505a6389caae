// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A gated recurrent unit in flat space, decoded by squared distance to the
// words' embeddings. The words' share of the gates is a table, computed once.
geo.formula @gate(a: row, b: row, bias: row) = 1 / (1 + exp(-(a + b + bias)))
geo.formula @candidate(a: row, b: row, bias: row) = tanh(a + b + bias)
geo.formula @times(a: row, b: row) = a * b
geo.formula @mix(z: row, h: row, n: row) = h + z * (n - h)

func.func @words(%E: tensor<?x6xf64> {geo.param = "E"},
                 %Wz: tensor<6x6xf64> {geo.param = "Wz"},
                 %Wr: tensor<6x6xf64> {geo.param = "Wr"},
                 %Wn: tensor<6x6xf64> {geo.param = "Wn"})
    -> (tensor<?x6xf64>, tensor<?x6xf64>, tensor<?x6xf64>) {
  %z = geo.matmul %E, %Wz : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  %r = geo.matmul %E, %Wr : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  %n = geo.matmul %E, %Wn : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  return %z, %r, %n : tensor<?x6xf64>, tensor<?x6xf64>, tensor<?x6xf64>
}

func.func @step(%h: tensor<?x6xf64> {geo.state = "h", geo.from = "root", geo.decode = "E", geo.tau = "tau"},
                %xz: tensor<?x6xf64> {geo.input},
                %xr: tensor<?x6xf64> {geo.input},
                %xn: tensor<?x6xf64> {geo.input},
                %Uz: tensor<6x6xf64> {geo.param = "Uz", geo.init = "uniform(-0.3, 0.3)"},
                %Ur: tensor<6x6xf64> {geo.param = "Ur", geo.init = "uniform(-0.3, 0.3)"},
                %Un: tensor<6x6xf64> {geo.param = "Un", geo.init = "uniform(-0.3, 0.3)"},
                %bz: tensor<6xf64> {geo.param = "bz", geo.init = -1.0},
                %br: tensor<6xf64> {geo.param = "br", geo.init = "zeros"},
                %bn: tensor<6xf64> {geo.param = "bn", geo.init = "zeros"},
                %E: tensor<?x6xf64> {geo.param = "E", geo.init = "normal(0.3)"},
                %Wz: tensor<6x6xf64> {geo.param = "Wz", geo.init = "uniform(-0.3, 0.3)"},
                %Wr: tensor<6x6xf64> {geo.param = "Wr", geo.init = "uniform(-0.3, 0.3)"},
                %Wn: tensor<6x6xf64> {geo.param = "Wn", geo.init = "uniform(-0.3, 0.3)"},
                %root: tensor<1x6xf64> {geo.param = "root", geo.init = "normal(0.3)"},
                %tau: f64 {geo.param = "tau", geo.init = 1.0, geo.positive = "softplus"})
    -> tensor<?x6xf64> {
  %hz = geo.matmul %h, %Uz : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  %hr = geo.matmul %h, %Ur : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  %z = geo.apply @gate(%hz, %xz, %bz) : (tensor<?x6xf64>, tensor<?x6xf64>, tensor<6xf64>) -> tensor<?x6xf64>
  %r = geo.apply @gate(%hr, %xr, %br) : (tensor<?x6xf64>, tensor<?x6xf64>, tensor<6xf64>) -> tensor<?x6xf64>
  %rh = geo.apply @times(%r, %h) : (tensor<?x6xf64>, tensor<?x6xf64>) -> tensor<?x6xf64>
  %hn = geo.matmul %rh, %Un : tensor<?x6xf64>, tensor<6x6xf64> -> tensor<?x6xf64>
  %n = geo.apply @candidate(%hn, %xn, %bn) : (tensor<?x6xf64>, tensor<?x6xf64>, tensor<6xf64>) -> tensor<?x6xf64>
  %next = geo.apply @mix(%z, %h, %n) : (tensor<?x6xf64>, tensor<?x6xf64>, tensor<?x6xf64>) -> tensor<?x6xf64>
  return %next : tensor<?x6xf64>
}
