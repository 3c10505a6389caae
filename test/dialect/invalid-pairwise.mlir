// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: at least one Gram.
func.func @c1(%ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise' op expects as many y's as x's and Gram kinds, at least one, but got 0 x's, 0 y's and 0 kinds}}
  %0 = "geo.pairwise"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>, grams = [], math = f64, reducer = #geo<reducer none>}> ({
    %z = "arith.constant"() <{value = 1.0 : f64}> : () -> f64
    "geo.yield"(%z) : (f64) -> ()
  }) : () -> tensor<3x5xf32>
  return
}

// -----

// C1: as many y's as x's.
func.func @c1_count(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects as many y's as x's and Gram kinds, at least one, but got 1 x's, 2 y's and 1 kinds}}
  %0 = "geo.pairwise"(%X, %Y, %Y) <{operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 0>, grams = [#geo<gram dot>], math = f64, reducer = #geo<reducer none>}> ({
  ^bb0(%g: f64):
    "geo.yield"(%g) : (f64) -> ()
  }) : (tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

// C2: an x and its y of equal row length.
func.func @c2(%X: tensor<3x4xf32>, %Y: tensor<5x8xf32>) {
  // expected-error @below {{'geo.pairwise' op expects x's of one N, y's of one V, and each x and y of equal row length, but got 'tensor<3x4xf32>' and 'tensor<5x8xf32>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x8xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C2: x's of one N.
func.func @c2_n(%X: tensor<3x4xf32>, %Z: tensor<2x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects x's of one N, y's of one V, and each x and y of equal row length, but got 'tensor<2x4xf32>' and 'tensor<5x4xf32>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>,
                               %h = dot %Z, %Y : tensor<2x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C2: plain rows.
func.func @c2_points(%X: tensor<3x4xf32, #geo.euclidean>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects plain x and y of one element type, with rank 2 and static row length, but got 'tensor<3x4xf32, #geo.euclidean>' and 'tensor<5x4xf32>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32, #geo.euclidean>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C2: a scalar per row, of f64.
func.func @c2_row_scalar(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %U: tensor<3xf32>) {
  // expected-error @below {{'geo.pairwise' op expects row scalars of type 'tensor<3xf64>', but got 'tensor<3xf32>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) row(%u = %U : tensor<3xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C2: a scalar per column.
func.func @c2_column_scalar(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %W: tensor<3xf64>) {
  // expected-error @below {{'geo.pairwise' op expects column scalars of type 'tensor<5xf64>', but got 'tensor<3xf64>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) column(%w = %W : tensor<3xf64>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C3: an argument per Gram, scalar and shared number.
func.func @c3(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %T: f64) {
  // expected-error @below {{'geo.pairwise' op expects 2 region arguments, but got 1}}
  %0 = "geo.pairwise"(%X, %Y, %T) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 1, 0>, grams = [#geo<gram dot>], math = f64, reducer = #geo<reducer none>}> ({
  ^bb0(%g: f64):
    "geo.yield"(%g) : (f64) -> ()
  }) : (tensor<3x4xf32>, tensor<5x4xf32>, f64) -> tensor<3x5xf32>
  return
}

// -----

// C3: of type math.
func.func @c3_type(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects region arguments of type 'f32', but got 'f64'}}
  %0 = "geo.pairwise"(%X, %Y) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, grams = [#geo<gram dot>], math = f32, reducer = #geo<reducer none>}> ({
  ^bb0(%g: f64):
    "geo.yield"(%g) : (f64) -> ()
  }) : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

// C3: math is f32 or f64.
func.func @c3_math(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects math f32 or f64, but got 'f16'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f16 {
    geo.yield %g : f16
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C4: one logit.
func.func @c4(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects 1 yielded values, but got 2}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C4: of type math.
func.func @c4_type(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects yielded values of type 'f64', but got 'f32'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    %z = arith.truncf %g : f64 to f32
    geo.yield %z : f32
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C5: targets only for nll.
func.func @c5(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ids: tensor<3xi32>) {
  // expected-error @below {{'geo.pairwise' op expects targets iff the reducer is nll, but got targets}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) targets(%ids : tensor<3xi32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C5: and nll needs them.
func.func @c5_nll(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects targets iff the reducer is nll, but got none}}
  %0:2 = geo.pairwise nll grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3xf64>, tensor<3xf64>)
  return
}

// -----

// C5: one target per row.
func.func @c5_type(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ids: tensor<5xi32>) {
  // expected-error @below {{'geo.pairwise' op expects targets of type 'tensor<3xi32>', but got 'tensor<5xi32>'}}
  %0:2 = geo.pairwise nll grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) targets(%ids : tensor<5xi32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3xf64>, tensor<3xf64>)
  return
}

// -----

// C6: the results of the reducer.
func.func @c6(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects 2 results, but got 1}}
  %0 = geo.pairwise softmax grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C6: and their types.
func.func @c6_type(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{'geo.pairwise' op expects result 0 of type 'tensor<3x5xf32>', but got 'tensor<3x5xf64>'}}
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf64>)
  return
}

// -----

// C7: only ops with a rule and a lowering.
func.func @c7(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    // expected-error @below {{'math.atan' op expects to stand outside of geo.pairwise: it has no derivative rule and lowering there}}
    %z = math.atan %g : f64
    geo.yield %z : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C7: only scalars.
func.func @c7_rows(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  %0 = geo.pairwise none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    // expected-error @below {{'arith.constant' op expects to stand outside of geo.pairwise: it has no derivative rule and lowering there}}
    %v = arith.constant dense<1.0> : vector<4xf64>
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// The reducer is one of a list.
func.func @reducer(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{custom op 'geo.pairwise' expects reducer none, softmax or nll, but got hardmax}}
  %0 = geo.pairwise hardmax grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// So is the Gram.
func.func @gram(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>) {
  // expected-error @below {{custom op 'geo.pairwise' expects Gram sqdiff or dot, but got cosine}}
  %0 = geo.pairwise none grams(%g = cosine %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>)
  return
}

// -----

// C3: arithmetic as wide as the rows.
func.func @c3_narrow(%x: tensor<3x4xf64>, %y: tensor<5x4xf64>) {
  // expected-error @below {{'geo.pairwise' op expects math f64 over rows of f64, but got 'f32'}}
  %0 = geo.pairwise none grams(%g = dot %x, %y : tensor<3x4xf64>, tensor<5x4xf64>) math f32 {
    geo.yield %g : f32
  } -> (tensor<3x5xf64>)
  return
}
