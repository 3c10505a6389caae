// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1
func.func @offsets(%a: tensor<?x3xf32>) {
  // expected-error @below {{'geo.concat_columns' op expects at least one piece and as many offsets, but got 2 and 1}}
  %x = geo.concat_columns %a, %a at [0] : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x6xf32>
  return
}

// -----

// C1
func.func @rows(%a: tensor<2x3xf32>, %b: tensor<3xf64>) {
  // expected-error @below {{'geo.concat_columns' op expects pieces of one number of rows, but got 2 and 3}}
  %x = geo.concat_columns %a, %b at [0, 3] : tensor<2x3xf32>, tensor<3xf64> -> tensor<?x4xf32>
  return
}

// -----

// C2
func.func @element(%a: tensor<?x3xf64>) {
  // expected-error @below {{'geo.concat_columns' op expects pieces [R, w] of the element type of 'tensor<?x3xf32>', or [R], but got 'tensor<?x3xf64>'}}
  %x = geo.concat_columns %a at [0] : tensor<?x3xf64> -> tensor<?x3xf32>
  return
}

// -----

// C3
func.func @length(%a: tensor<?x3xf32>) {
  // expected-error @below {{'geo.concat_columns' op expects a plain result of rank 2 with static row length, but got 'tensor<?x?xf32>'}}
  %x = geo.concat_columns %a at [0] : tensor<?x3xf32> -> tensor<?x?xf32>
  return
}

// -----

// C4
func.func @meet(%a: tensor<?x3xf32>, %b: tensor<?xf32>) {
  // expected-error @below {{'geo.concat_columns' op expects pieces in order and inside of 'tensor<?x8xf32>', but got 'tensor<?xf32>' at column 2 after 3 columns}}
  %x = geo.concat_columns %a, %b at [0, 2] : tensor<?x3xf32>, tensor<?xf32> -> tensor<?x8xf32>
  return
}

// -----

// C4
func.func @outside(%a: tensor<?x3xf32>) {
  // expected-error @below {{'geo.concat_columns' op expects pieces in order and inside of 'tensor<?x8xf32>', but got 'tensor<?x3xf32>' at column 6 after 0 columns}}
  %x = geo.concat_columns %a at [6] : tensor<?x3xf32> -> tensor<?x8xf32>
  return
}
