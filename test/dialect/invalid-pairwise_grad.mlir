// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: at least one Gram.
func.func @c1(%ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects as many y's as x's and Gram kinds, at least one, but got 0 x's, 0 y's and 0 kinds}}
  "geo.pairwise_grad"(%ct) <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 1>, grams = [], math = f64, reducer = #geo<reducer none>}> ({
    %z = "arith.constant"() <{value = 1.0 : f64}> : () -> f64
    "geo.yield"(%z) : (f64) -> ()
  }) : (tensor<3x5xf32>) -> ()
  return
}

// -----

// C2: an x and its y of equal row length.
func.func @c2(%X: tensor<3x4xf32>, %Y: tensor<5x8xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects x's of one N, y's of one V, and each x and y of equal row length, but got 'tensor<3x4xf32>' and 'tensor<5x8xf32>'}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x8xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x8xf32>)
  return
}

// -----

// C3: math is f32 or f64.
func.func @c3(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects math f32 or f64, but got 'bf16'}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math bf16 {
    geo.yield %g, %g : bf16, bf16
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C4: the logit and one partial per argument.
func.func @c4(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects 2 yielded values, but got 1}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C5: targets iff nll.
func.func @c5(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %lse: tensor<3xf64>, %ct: tensor<3xf64>) {
  // expected-error @below {{'geo.pairwise_grad' op expects targets iff the reducer is nll, but got none}}
  %0:2 = geo.pairwise_grad nll grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) lse(%lse : tensor<3xf64>) cotangent(%ct : tensor<3xf64>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C6: lse where the reducer has one.
func.func @c6(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects lse for the reducer softmax, lse or none for nll, and none for none, but got none}}
  %0:2 = geo.pairwise_grad softmax grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C6: and only there.
func.func @c6_none(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %lse: tensor<3xf64>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects lse for the reducer softmax, lse or none for nll, and none for none, but got lse}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) lse(%lse : tensor<3xf64>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C6: one result per differentiable operand.
func.func @c6_results(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects 2 results, but got 1}}
  %0 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>)
  return
}

// -----

// C6: of the operand's type.
func.func @c6_type(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects result 1 of type 'tensor<5x4xf32>', but got 'tensor<3x4xf32>'}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

// C7: only ops with a rule and a lowering.
func.func @c7(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3x5xf32>) {
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    // expected-error @below {{'math.atan' op expects to stand outside of geo.pairwise_grad: it has no derivative rule and lowering there}}
    %z = math.atan %g : f64
    geo.yield %z, %z : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C8: the cotangent is that of the first result.
func.func @c8(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ct: tensor<3xf64>) {
  // expected-error @below {{'geo.pairwise_grad' op expects a cotangent of type 'tensor<3x5xf32>', but got 'tensor<3xf64>'}}
  %0:2 = geo.pairwise_grad none grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) cotangent(%ct : tensor<3xf64>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}

// -----

// C8: lse is one number per row.
func.func @c8_lse(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %lse: tensor<3x5xf32>, %ct: tensor<3x5xf32>) {
  // expected-error @below {{'geo.pairwise_grad' op expects lse of type 'tensor<3xf64>', but got 'tensor<3x5xf32>'}}
  %0:2 = geo.pairwise_grad softmax grams(%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>) lse(%lse : tensor<3x5xf32>) cotangent(%ct : tensor<3x5xf32>) math f64 {
    geo.yield %g, %g : f64, f64
  } -> (tensor<3x4xf32>, tensor<5x4xf32>)
  return
}
