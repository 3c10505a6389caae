# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long_program.py rows|pairs|ops COUNT: a program of rows or pairs with COUNT ops, or COUNT ops that fuse."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
chain = lambda op, first, end: "\n".join(
    "    %%v%d = %s" % (i, op.format(first if i == 0 else "%%v%d" % (i - 1))) for i in range(count)) + end % (count - 1)
if kind == "rows":
    print("""func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %o = geo.rowwise rows(%r = %x : tensor<?x4xf32>) {
""" + chain("arith.mulf {0}, %r : vector<4xf32>", "%r", """
    geo.yield %%v%d : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return %%o : tensor<?x4xf32>
}"""))
elif kind == "pairs":
    print("""func.func @f(%x: tensor<?x4xf32>, %e: tensor<9x4xf32>) -> tensor<?x9xf32> {
  %o = geo.pairwise none grams(%g = dot %x, %e : tensor<?x4xf32>, tensor<9x4xf32>) math f64 {
""" + chain("arith.mulf {0}, %g : f64", "%g", """
    geo.yield %%v%d : f64
  } -> (tensor<?x9xf32>)
  return %%o : tensor<?x9xf32>
}"""))
else:
    print("""!p = tensor<?x4xf32, #geo.poincare<1.0>>
func.func @f(%x: !p, %y: !p) -> !p {
""" + chain("geo.mobius_add {0}, %y : !p", "%x", """
  return %%v%d : !p
}"""))
