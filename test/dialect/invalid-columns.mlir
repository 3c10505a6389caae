// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1
func.func @rank(%x: tensor<?x4x8xf32>) {
  // expected-error @below {{'geo.columns' op expects a plain tensor of rank 2 with static row length, but got 'tensor<?x4x8xf32>'}}
  %a = geo.columns %x[0] : tensor<?x4x8xf32> -> tensor<?x4xf32>
  return
}

// -----

// C1: coordinates of points are columns only as plain tensors.
func.func @points(%x: tensor<?x8xf32, #geo.euclidean>) {
  // expected-error @below {{'geo.columns' op expects a plain tensor of rank 2 with static row length, but got 'tensor<?x8xf32, #geo.euclidean>'}}
  %a = geo.columns %x[0] : tensor<?x8xf32, #geo.euclidean> -> tensor<?x4xf32>
  return
}

// -----

// C2
func.func @element(%x: tensor<?x8xf32>) {
  // expected-error @below {{'geo.columns' op expects a result [R, w] of the element type of 'tensor<?x8xf32>', or [R], but got 'tensor<?x4xf64>'}}
  %a = geo.columns %x[0] : tensor<?x8xf32> -> tensor<?x4xf64>
  return
}

// -----

// C2
func.func @rows(%x: tensor<3x8xf32>) {
  // expected-error @below {{'geo.columns' op expects a result [R, w] of the element type of 'tensor<3x8xf32>', or [R], but got 'tensor<4xf64>'}}
  %a = geo.columns %x[0] : tensor<3x8xf32> -> tensor<4xf64>
  return
}

// -----

// C3
func.func @range(%x: tensor<?x8xf32>) {
  // expected-error @below {{'geo.columns' op expects columns of 'tensor<?x8xf32>', but got 4 from column 5}}
  %a = geo.columns %x[5] : tensor<?x8xf32> -> tensor<?x4xf32>
  return
}

// -----

// C3
func.func @negative(%x: tensor<?x8xf32>) {
  // expected-error @below {{'geo.columns' op expects columns of 'tensor<?x8xf32>', but got 1 from column -1}}
  %a = geo.columns %x[-1] : tensor<?x8xf32> -> tensor<?xf32>
  return
}
