// RUN: geo-opt %s --split-input-file --verify-diagnostics

// C1: an argument per operand.
func.func @c1(%h: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects one region argument per operand, but got 1 for 2}}
  %0 = "geo.scan"(%h, %U) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%s: tensor<?x8xf32>):
    "geo.yield"(%s) : (tensor<?x8xf32>) -> ()
  }) : (tensor<?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// C1: an input's argument is its slice.
func.func @c1_slice(%h: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects region argument 1 to have type 'tensor<?x8xf32>', but got 'tensor<?x?x8xf32>'}}
  %0 = "geo.scan"(%h, %U) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%s: tensor<?x8xf32>, %u: tensor<?x?x8xf32>):
    "geo.yield"(%s) : (tensor<?x8xf32>) -> ()
  }) : (tensor<?x8xf32>, tensor<?x?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

// C1: a tensor without dimensions has no slices.
func.func @c1_rank0(%h: tensor<?x8xf32>, %U: tensor<f32>) {
  // expected-error @below {{custom op 'geo.scan' expects an operand that inputs(...) can take, but got 'tensor<f32>'}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<f32>) {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<?x8xf32>)
  return
}

// -----

// C1: the same in generic form.
func.func @c1_rank0_generic(%h: tensor<?x8xf32>, %U: tensor<f32>) {
  // expected-error @below {{'geo.scan' op expects inputs of rank 1 or more, but got 'tensor<f32>'}}
  %0 = "geo.scan"(%h, %U) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%s: tensor<?x8xf32>, %u: tensor<f32>):
    "geo.yield"(%s) : (tensor<?x8xf32>) -> ()
  }) : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  return
}

// -----

// C2: at least one input gives the number of steps.
func.func @c2(%h: tensor<?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects at least one input, but got none}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<?x8xf32>)
  return
}

// -----

// C2: one number of steps.
func.func @c2_steps(%h: tensor<?x8xf32>, %U: tensor<5x?x8xf32>, %V: tensor<6x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects inputs of one number of steps, but got 5 and 6}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<5x?x8xf32>, %v = %V : tensor<6x?x8xf32>) {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<?x8xf32>)
  return
}

// -----

// C3: a yielded value per result.
func.func @c3(%h: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects one yielded value per result, states first, but got 1 for 2}}
  %0:2 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x8xf32>) {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
  return
}

// -----

// C3: a state keeps its type.
func.func @c3_state(%h: tensor<?x8xf32>, %U: tensor<?x?x4xf32>) {
  // expected-error @below {{'geo.scan' op expects yielded value 0 to have type 'tensor<?x8xf32>', but got 'tensor<?x4xf32>'}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x4xf32>) {
    geo.yield %u : tensor<?x4xf32>
  } -> (tensor<?x8xf32>)
  return
}

// -----

// C3: a result of a state has its type.
func.func @c3_result(%h: tensor<?x8xf32>, %U: tensor<?x?x4xf32>) {
  // expected-error @below {{'geo.scan' op expects result 0 to have type 'tensor<?x8xf32>', but got 'tensor<3x8xf32>'}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x4xf32>) {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<3x8xf32>)
  return
}

// -----

// C3: an output is stacked.
func.func @c3_output(%h: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects yielded value 1 to have type 'tensor<8xf32>', but got 'tensor<?x8xf32>'}}
  %0:2 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x8xf32>) {
    geo.yield %s, %s : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

// C3: of as many steps as the inputs.
func.func @c3_steps(%h: tensor<?x8xf32>, %U: tensor<5x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects result 1 to stack slices of 5 steps, but got 'tensor<6x?x8xf32>'}}
  %0:2 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<5x?x8xf32>) {
    geo.yield %s, %s : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<6x?x8xf32>)
  return
}

// -----

// C4: truncate counts steps.
func.func @c4(%h: tensor<?x8xf32>, %U: tensor<?x?x8xf32>) {
  // expected-error @below {{'geo.scan' op expects truncate >= 0, but got -1}}
  %0 = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x8xf32>) truncate -1 {
    geo.yield %s : tensor<?x8xf32>
  } -> (tensor<?x8xf32>)
  return
}
