# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nested.py WHAT: a formula nested or long beyond reason: parentheses, signs, calls or sum."""
import sys

text = {
    "parentheses": "(" * 200000 + "x" + ")" * 200000,
    "signs": "- " * 200000 + "x",
    "calls": "sqrt(" * 200000 + "2" + ")" * 200000,
    "sum": "x" + " + x" * int(sys.argv[2] if len(sys.argv) > 2 else 0),
}[sys.argv[1]]
print("geo.formula @f(x: row) =", text)
print("""func.func private @loss(%x: tensor<?x8xf32>) -> f64 {
  %y = geo.apply @f(%x) : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = geo.rowwise rows(%r = %y : tensor<?x8xf32>) {
    %n = geo.dot %r, %r : vector<8xf32>
    geo.yield %n : f64
  } -> () sums (f64)
  return %s : f64
}
func.func @step(%x: tensor<?x8xf32>) -> (f64, tensor<?x8xf32>) {
  %l, %d = geo.gradient @loss(%x) wrt [0] : (tensor<?x8xf32>) -> (f64, tensor<?x8xf32>)
  return %l, %d : f64, tensor<?x8xf32>
}""")
