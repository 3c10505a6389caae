// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RiLM, a recurrent language model by geodesic distance, on a product manifold: a
// model file of `rilm train --model-file`. These aliases are what --manifold and
// --dim replace.
#space = #geo.product<#geo.poincare<1.0> x 4, #geo.euclidean x 4>
!states = tensor<?x8xf32, #space>
!root = tensor<1x8xf32, #space>
!rows = tensor<?x8xf32>
!matrix = tensor<8x8xf32>
!row = tensor<8xf32>

geo.formula @shifted(x: row, b: row) = x + b
geo.formula @moved(a: row, u: row, s: number) = s * tanh(a + u)

// What a step needs of a word, once for every word.
func.func @words(%E: !states {geo.param = "E", geo.init = "normal(0.1)"},
                 %We: !matrix {geo.param = "We", geo.init = "uniform(-0.35, 0.35)"},
                 %b: !row {geo.param = "b", geo.init = "zeros"}) -> !rows {
  %e = geo.logmap0 %E : !states -> !rows
  %x = geo.matmul %e, %We : !rows, !matrix -> !rows
  %u = geo.apply @shifted(%x, %b) : (!rows, !row) -> !rows
  return %u : !rows
}

// h + exp0(s tanh(Wh log0(h) + We log0(e) + b)), the addition being the manifold's,
// factor by factor; the matrices mix the factors. The next word is the one that
// is near.
func.func @step(%h: !states {geo.state = "h", geo.from = "root", geo.decode = "E", geo.tau = 1.0},
                %u: !rows {geo.input},
                %E: !states {geo.param = "E"},
                %root: !root {geo.param = "root", geo.init = "normal(0.1)"},
                %Wh: !matrix {geo.param = "Wh", geo.init = "uniform(-0.35, 0.35)"},
                %s: f64 {geo.param = "s", geo.init = 1.0}) -> !states {
  %t = geo.logmap0 %h : !states -> !rows
  %a = geo.matmul %t, %Wh : !rows, !matrix -> !rows
  %v = geo.apply @moved(%a, %u, %s) : (!rows, !rows, f64) -> !rows
  %delta = geo.expmap0 %v : !rows -> !states
  %next = geo.mobius_add %h, %delta : !states
  return %next : !states
}
