// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of every coordinate, for geo.fn_apply and geo.apply.
geo.manifold @functions {
  formula @identity(x: row) = x
  formula @relu(x: row) = max(x, 0)
  formula @tanh(x: row) = tanh(x)
  formula @sigmoid(x: row) = 1 / (1 + exp(-x))
  formula @softplus(x: row) = max(x, 0) + log(1 + exp(-max(x, -x)))
}
