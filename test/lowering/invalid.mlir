// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-lower-to-loops --split-input-file --verify-diagnostics

func.func private @other(tensor<4xf64>) -> tensor<4xf64>
func.func @call(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'func.call' op expects to be expanded or inlined before buffers are assigned: it has no lowering}}
  %y = func.call @other(%x) : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

// expected-error @below {{'func.func' op expects plain tensors and numbers in its type, but got 'tensor<4x8xf32, #geo.poincare<1.0>>'}}
func.func @point(%x: tensor<4x8xf32, #geo.poincare<1.0>>) {
  return
}

// -----

func.func @elementwise(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @below {{'arith.addf' op expects to be expanded or inlined}}
  %y = arith.addf %x, %x : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @scan(%h0: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) -> tensor<?x8xf32> {
  %end, %q = geo.scan init(%h = %h0 : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x8xf32>) {
    // expected-error @below {{'geo.rowwise' op expects to stand outside of geo.scan, which holds geo.matmul, geo.rowwise without sums, geo.gather, geo.columns, geo.concat_columns and number arithmetic}}
    %n, %s = geo.rowwise rows(%a = %h : tensor<?x8xf32>, %b = %u : tensor<?x8xf32>) {
      %c = arith.addf %a, %b : vector<8xf32>
      geo.yield %c, %c : vector<8xf32>, vector<8xf32>
    } -> (tensor<?x8xf32>) sums (tensor<8xf32>)
    geo.yield %n, %s : tensor<?x8xf32>, tensor<8xf32>
  } -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return %end : tensor<?x8xf32>
}

// -----

// expected-error @below {{'func.func' op expects one block, but got 2}}
func.func @blocks(%x: tensor<4xf64>) -> tensor<4xf64> {
  cf.br ^end
^end:
  return %x : tensor<4xf64>
}
