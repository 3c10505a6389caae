// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: one region argument per operand.
func.func @c1(%X: tensor<?x4xf32>, %Y: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects one region argument per operand, but got 1 for 2}}
  %0 = "geo.rowwise"(%X, %Y) <{operandSegmentSizes = array<i32: 2, 0>}> ({
  ^bb0(%x: vector<4xf32>):
    "geo.yield"(%x) : (vector<4xf32>) -> ()
  }) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// C1: of the type of the row.
func.func @c1_type(%X: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects region argument 0 to have type 'vector<4xf32>', but got 'vector<5xf32>'}}
  %0 = "geo.rowwise"(%X) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: vector<5xf32>):
    "geo.yield"(%x) : (vector<5xf32>) -> ()
  }) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// C1: points are no plain rows.
func.func @c1_points(%X: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{custom op 'geo.rowwise' expects an operand that rows(...) can take, but got 'tensor<?x4xf32, #geo.poincare<1.0>>'}}
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32, #geo.poincare<1.0>>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C1: the same in generic form.
func.func @c1_points_generic(%X: tensor<?x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'geo.rowwise' op expects a row operand of type tensor<RxdxT> or tensor<RxT> with static d and T f32 or f64, but got 'tensor<?x4xf32, #geo.poincare<1.0>>'}}
  %0 = "geo.rowwise"(%X) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: vector<4xf32>):
    "geo.yield"(%x) : (vector<4xf32>) -> ()
  }) : (tensor<?x4xf32, #geo.poincare<1.0>>) -> tensor<?x4xf32>
  return
}

// -----

// C1: rows of a static length.
func.func @c1_dynamic(%X: tensor<4x?xf32>) {
  // expected-error @below {{custom op 'geo.rowwise' expects an operand that rows(...) can take, but got 'tensor<4x?xf32>'}}
  %0 = geo.rowwise rows(%x = %X : tensor<4x?xf32>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<4x4xf32>)
  return
}

// -----

// C1: a shared operand is a row or a number.
func.func @c1_shared(%X: tensor<?x4xf32>, %W: tensor<4x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects a shared operand of type tensor<dxT> or T with static d and T f32 or f64, but got 'tensor<4x4xf32>'}}
  %0 = "geo.rowwise"(%X, %W) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: vector<4xf32>, %w: vector<4xf32>):
    "geo.yield"(%x) : (vector<4xf32>) -> ()
  }) : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

// C2: a row operand.
func.func @c2(%c: f64) {
  // expected-error @below {{'geo.rowwise' op expects at least one row operand, but got none}}
  %0 = "geo.rowwise"(%c) <{operandSegmentSizes = array<i32: 0, 1>, num_sums = 1 : i64}> ({
  ^bb0(%x: f64):
    "geo.yield"(%x) : (f64) -> ()
  }) : (f64) -> f64
  return
}

// -----

// C2: one number of rows.
func.func @c2_rows(%X: tensor<3x4xf32>, %S: tensor<5xf64>) {
  // expected-error @below {{'geo.rowwise' op expects row operands of one number of rows, but got 3 and 5}}
  %0 = geo.rowwise rows(%x = %X : tensor<3x4xf32>, %s = %S : tensor<5xf64>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<3x4xf32>)
  return
}

// -----

// C3: one row length of arguments.
func.func @c3(%X: tensor<?x4xf32>, %Y: tensor<?x8xf32>) {
  // expected-error @below {{'geo.rowwise' op expects one row length, but got 'vector<4xf32>' and rows of 8}}
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>, %y = %Y : tensor<?x8xf32>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C3: and of values.
func.func @c3_value(%X: tensor<?x4xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    // expected-error @below {{'arith.constant' op expects one row length, but got 'vector<8xf32>' and rows of 4}}
    %n = arith.constant dense<1.0> : vector<8xf32>
    %e = math.exp %x : vector<4xf32>
    geo.yield %e : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C4: only ops with a rule and a lowering.
func.func @c4(%X: tensor<?x4xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    // expected-error @below {{'math.atan' op expects to stand outside of geo.rowwise: it has no derivative rule and lowering there}}
    %y = math.atan %x : vector<4xf32>
    geo.yield %y : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C4: integers have neither.
func.func @c4_integers(%X: tensor<?x4xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    // expected-error @below {{'arith.constant' op expects to stand outside of geo.rowwise: it has no derivative rule and lowering there}}
    %n = arith.constant 1 : i32
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C4: half precision has neither.
func.func @c4_half(%X: tensor<?x4xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    // expected-error @below {{'arith.truncf' op expects to stand outside of geo.rowwise: it has no derivative rule and lowering there}}
    %y = arith.truncf %x : vector<4xf32> to vector<4xf16>
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C4: reductions other than sum and maximum.
func.func @c4_reduction(%X: tensor<?x4xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    // expected-error @below {{'vector.reduction' op expects to stand outside of geo.rowwise: it has no derivative rule and lowering there}}
    %y = vector.reduction <mul>, %x : vector<4xf32> into f32
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return
}

// -----

// C4: constant rows have equal elements.
func.func @c4_constant(%X: tensor<?x2xf32>) {
  %0 = geo.rowwise rows(%x = %X : tensor<?x2xf32>) {
    // expected-error @below {{'arith.constant' op expects to stand outside of geo.rowwise: it has no derivative rule and lowering there}}
    %y = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    geo.yield %x : vector<2xf32>
  } -> (tensor<?x2xf32>)
  return
}

// -----

// C5: a yielded value per result.
func.func @c5(%X: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects one yielded value per result, but got 1 for 2}}
  %0:2 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x4xf32>, tensor<?x4xf32>)
  return
}

// -----

// C5: of the result's row.
func.func @c5_type(%X: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects yielded value 0 to have type 'f64', but got 'vector<4xf32>'}}
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<?xf64>)
  return
}

// -----

// C5: results are tensors of rows or numbers.
func.func @c5_result(%X: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects result 0 to be tensor<RxdxT> or tensor<RxT>, but got 'tensor<?x2x2xf32>'}}
  %0 = geo.rowwise rows(%x = %X : tensor<?x4xf32>) {
    geo.yield %x : vector<4xf32>
  } -> (tensor<?x2x2xf32>)
  return
}

// -----

// C5: as many sums as results at most.
func.func @c5_sums(%X: tensor<?x4xf32>) {
  // expected-error @below {{'geo.rowwise' op expects num_sums between 0 and the number of results, but got 2 of 1}}
  %0 = "geo.rowwise"(%X) <{operandSegmentSizes = array<i32: 1, 0>, num_sums = 2 : i64}> ({
  ^bb0(%x: vector<4xf32>):
    "geo.yield"(%x) : (vector<4xf32>) -> ()
  }) : (tensor<?x4xf32>) -> tensor<4xf32>
  return
}

// -----

// C6: sums of numbers are f64.
func.func @c6_number(%X: tensor<?xf32>) {
  // expected-error @below {{'geo.rowwise' op expects sums to be tensor<dxT> or f64, but got f32}}
  %0 = geo.rowwise rows(%x = %X : tensor<?xf32>) {
    geo.yield %x : f32
  } -> () sums (f32)
  return
}
