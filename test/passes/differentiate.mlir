// RUN: geo-opt %s --geo-differentiate --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s
// What the gradients are is checked by GradientTests; here, how they look.

// One derived function per callee and `wrt`, called by every request for it.
// CHECK-LABEL: func.func @twice
// CHECK: call @loss_gradient(
// CHECK: call @loss_gradient(
// CHECK-NOT: geo.gradient
// CHECK-LABEL: func.func private @loss_gradient
// CHECK-SAME: (%[[W:.*]]: tensor<4x4xf32>, %[[X:.*]]: tensor<?x4xf32>) -> (f64, tensor<4x4xf32>)
// CHECK: %[[Y:.*]] = geo.matmul %[[X]], %[[W]]
// CHECK: geo.rowwise
// CHECK: } -> () sums (f64)
// CHECK: %[[G:.*]] = geo.rowwise
// CHECK: %[[DW:.*]] = geo.matmul %[[X]], %[[G]] transpose_a
// CHECK: return %{{.*}}, %[[DW]]
func.func @twice(%W: tensor<4x4xf32>, %x: tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = geo.gradient @loss(%W, %x) wrt [0] : (tensor<4x4xf32>, tensor<?x4xf32>) -> (f64, tensor<4x4xf32>)
  %1:2 = geo.gradient @loss(%W, %x) wrt [0] : (tensor<4x4xf32>, tensor<?x4xf32>) -> (f64, tensor<4x4xf32>)
  return %0#1, %1#1 : tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @loss(%W: tensor<4x4xf32>, %x: tensor<?x4xf32>) -> f64 {
  %y = geo.matmul %x, %W : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  %l = geo.rowwise rows(%r = %y : tensor<?x4xf32>) {
    %t = math.tanh %r : vector<4xf32>
    %d = geo.dot %t, %t : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// What is not asked for is not computed: no gradient of the table.
// CHECK-LABEL: func.func private @loss_gradient
// CHECK-NOT: geo.scatter_add
// CHECK: return
func.func @frozen(%E: tensor<9x4xf32>, %S: tensor<?xf64>, %ids: tensor<?xi32>) -> tensor<?xf64> {
  %0:2 = geo.gradient @loss(%E, %S, %ids) wrt [1] : (tensor<9x4xf32>, tensor<?xf64>, tensor<?xi32>) -> (f64, tensor<?xf64>)
  return %0#1 : tensor<?xf64>
}
func.func @loss(%E: tensor<9x4xf32>, %S: tensor<?xf64>, %ids: tensor<?xi32>) -> f64 {
  %e = geo.gather %E[%ids] : tensor<9x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %l = geo.rowwise rows(%r = %e : tensor<?x4xf32>, %s = %S : tensor<?xf64>) {
    %d = geo.dot %r, %r : vector<4xf32>
    %m = arith.mulf %d, %s : f64
    geo.yield %m : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// A recurrence: the states are saved, a reverse scan runs over the steps, and
// the weight's gradient is one product after it.
// CHECK-LABEL: func.func private @loss_gradient
// CHECK: geo.scan {{.*}} truncate 3 {
// CHECK: geo.scan {{.*}} truncate 3 reverse {
// CHECK: geo.matmul {{.*}} transpose_b
// CHECK: } ->
// CHECK: geo.matmul {{.*}} transpose_a
func.func @step(%W: tensor<4x4xf32>, %h0: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> tensor<4x4xf32> {
  %0:2 = geo.gradient @loss(%W, %h0, %U) wrt [0] : (tensor<4x4xf32>, tensor<?x4xf32>, tensor<?x?x4xf32>) -> (f64, tensor<4x4xf32>)
  return %0#1 : tensor<4x4xf32>
}
func.func @loss(%W: tensor<4x4xf32>, %h0: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> f64 {
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<?x?x4xf32>)
      shared(%w = %W : tensor<4x4xf32>) truncate 3 {
    %m = geo.matmul %h, %w : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
    %n = geo.rowwise rows(%a = %m : tensor<?x4xf32>, %b = %u : tensor<?x4xf32>) {
      %s = arith.addf %a, %b : vector<4xf32>
      %t = math.tanh %s : vector<4xf32>
      geo.yield %t : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  %l = geo.rowwise rows(%r = %end : tensor<?x4xf32>) {
    %d = geo.dot %r, %r : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// Named ops are expanded first.
func.func @named(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0:2 = geo.gradient @loss(%x) wrt [0] : (tensor<3x4xf32>) -> (f64, tensor<3x4xf32>)
  return %0#1 : tensor<3x4xf32>
}
func.func @loss(%x: tensor<3x4xf32>) -> f64 {
  %p = geo.point %x : tensor<3x4xf32> -> tensor<3x4xf32, #geo.euclidean>
  // expected-error @below {{'geo.logmap0' op expects an operation with a derivative rule (a construct, or a rule for numbers and rows): expand named ops by geo-expand and inline calls first}}
  %v = geo.logmap0 %p : tensor<3x4xf32, #geo.euclidean> -> tensor<3x4xf32>
  %l = geo.rowwise rows(%r = %v : tensor<3x4xf32>) {
    %d = geo.dot %r, %r : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// lse is what the adjoint needs, and has none itself.
func.func @lse(%x: tensor<3x4xf32>, %y: tensor<5x4xf32>) -> tensor<3x4xf32> {
  %0:2 = geo.gradient @loss(%x, %y) wrt [0] : (tensor<3x4xf32>, tensor<5x4xf32>) -> (f64, tensor<3x4xf32>)
  return %0#1 : tensor<3x4xf32>
}
func.func @loss(%x: tensor<3x4xf32>, %y: tensor<5x4xf32>) -> f64 {
  // expected-error @below {{'geo.pairwise' op expects its result lse to be unused, but got a use that needs its gradient}}
  %p:2 = geo.pairwise softmax grams(%g = dot %x, %y : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<3x5xf32>, tensor<3xf64>)
  %l = geo.rowwise rows(%r = %p#1 : tensor<3xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// The third derivative of an even function has no lowering.
func.func @even(%x: f64) -> f64 {
  %0:2 = geo.gradient @loss(%x) wrt [0] : (f64) -> (f64, f64)
  return %0#1 : f64
}
func.func @loss(%x: f64) -> f64 {
  // expected-error @below {{'geo.even' op expects an operation with a derivative rule}}
  %y = geo.even tanhc %x {order = 2 : i64} : f64
  return %y : f64
}

// -----

// Only forward recurrences are differentiated.
func.func @reverse(%h: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  %0:2 = geo.gradient @loss(%h, %U) wrt [0] : (tensor<?x4xf32>, tensor<?x?x4xf32>) -> (f64, tensor<?x4xf32>)
  return %0#1 : tensor<?x4xf32>
}
func.func @loss(%h0: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> f64 {
  // expected-error @below {{'geo.scan' op expects a forward scan to differentiate, but got a reverse one}}
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<?x?x4xf32>) reverse {
    %n = geo.rowwise rows(%a = %h : tensor<?x4xf32>, %b = %u : tensor<?x4xf32>) {
      %s = arith.mulf %a, %b : vector<4xf32>
      geo.yield %s : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  %l = geo.rowwise rows(%r = %end : tensor<?x4xf32>) {
    %d = geo.dot %r, %r : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// A sum over the batch would become one over all steps, too.
func.func @sums(%h: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> tensor<?x4xf32> {
  %0:2 = geo.gradient @loss(%h, %U) wrt [0] : (tensor<?x4xf32>, tensor<?x?x4xf32>) -> (f64, tensor<?x4xf32>)
  return %0#1 : tensor<?x4xf32>
}
func.func @loss(%h0: tensor<?x4xf32>, %U: tensor<?x?x4xf32>) -> f64 {
  %end = geo.scan init(%h = %h0 : tensor<?x4xf32>) inputs(%u = %U : tensor<?x?x4xf32>) {
    // expected-error @below {{'geo.rowwise' op expects to keep the rows of states and inputs apart in a geo.scan to differentiate, as geo.rowwise without sums and with all of its rows from there, geo.matmul and geo.gather by a shared operand do}}
    %s = geo.rowwise rows(%a = %h : tensor<?x4xf32>) {
      geo.yield %a : vector<4xf32>
    } -> () sums (tensor<4xf32>)
    %n = geo.rowwise rows(%b = %u : tensor<?x4xf32>) shared(%t = %s : tensor<4xf32>) {
      %m = arith.mulf %b, %t : vector<4xf32>
      geo.yield %m : vector<4xf32>
    } -> (tensor<?x4xf32>)
    geo.yield %n : tensor<?x4xf32>
  } -> (tensor<?x4xf32>)
  %l = geo.rowwise rows(%r = %end : tensor<?x4xf32>) {
    %d = geo.dot %r, %r : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}

// -----

// Nor are rows multiplied by rows.
func.func @rows(%h: tensor<4x4xf32>, %U: tensor<?x4x4xf32>) -> tensor<4x4xf32> {
  %0:2 = geo.gradient @loss(%h, %U) wrt [0] : (tensor<4x4xf32>, tensor<?x4x4xf32>) -> (f64, tensor<4x4xf32>)
  return %0#1 : tensor<4x4xf32>
}
func.func @loss(%h0: tensor<4x4xf32>, %U: tensor<?x4x4xf32>) -> f64 {
  %end = geo.scan init(%h = %h0 : tensor<4x4xf32>) inputs(%u = %U : tensor<?x4x4xf32>) {
    // expected-error @below {{'geo.matmul' op expects to keep the rows of states and inputs apart}}
    %n = geo.matmul %h, %u : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    geo.yield %n : tensor<4x4xf32>
  } -> (tensor<4x4xf32>)
  %l = geo.rowwise rows(%r = %end : tensor<4x4xf32>) {
    %d = geo.dot %r, %r : vector<4xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %l : f64
}
