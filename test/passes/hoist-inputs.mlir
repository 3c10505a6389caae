// RUN: geo-opt %s --geo-hoist-inputs --canonicalize --split-input-file | FileCheck %s
// RUN: geo-opt %s --geo-hoist-inputs --canonicalize --cse --geo-move-gathers --canonicalize --split-input-file | FileCheck %s --check-prefix=TABLE

// The product of what was gathered, through a row program, is one product before the
// loop; that of the state stays. With the ids' shape known it moves to the table.
// CHECK-LABEL: func.func @cell
// CHECK: %[[I:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0, 1]] : tensor<6x4xi32> into tensor<24xi32>
// CHECK: %[[G:.*]] = geo.gather %arg2[%[[I]]] : tensor<10x8xf32>, tensor<24xi32> -> tensor<24x8xf32>
// CHECK: %[[F:.*]] = geo.rowwise rows(%{{.*}} = %[[G]] : tensor<24x8xf32>)
// CHECK: %[[P:.*]] = geo.matmul %[[F]], %arg3 : tensor<24x8xf32>, tensor<8x8xf32> -> tensor<24x8xf32>
// CHECK: %[[S:.*]] = tensor.expand_shape %[[P]]
// CHECK: geo.scan init(%{{.*}} = %arg0 : tensor<4x8xf32>) inputs(%[[U:.*]] = %[[S]] : tensor<6x4x8xf32>) shared(%[[W:.*]] = %arg4 : tensor<8x8xf32>) truncate 2 {
// CHECK-NEXT: %[[Q:.*]] = geo.matmul %{{.*}}, %[[W]]
// CHECK-NEXT: geo.rowwise rows(%{{.*}} = %[[U]] : tensor<4x8xf32>, %{{.*}} = %[[Q]] : tensor<4x8xf32>)
// TABLE-LABEL: func.func @cell
// TABLE: geo.matmul {{.*}} -> tensor<10x8xf32>
// TABLE: geo.gather {{.*}} -> tensor<24x8xf32>
// TABLE: geo.scan
func.func @cell(%h: tensor<4x8xf32>, %ids: tensor<6x4xi32>, %E: tensor<10x8xf32>, %U: tensor<8x8xf32>, %W: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %r = geo.scan init(%s = %h : tensor<4x8xf32>) inputs(%i = %ids : tensor<6x4xi32>) shared(%e = %E : tensor<10x8xf32>, %u = %U : tensor<8x8xf32>, %w = %W : tensor<8x8xf32>) truncate 2 {
    %x = geo.gather %e[%i] : tensor<10x8xf32>, tensor<4xi32> -> tensor<4x8xf32>
    %f = geo.rowwise rows(%a = %x : tensor<4x8xf32>) {
      %t = math.tanh %a : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<4x8xf32>)
    %p = geo.matmul %f, %u : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %q = geo.matmul %s, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %n = geo.rowwise rows(%a = %p : tensor<4x8xf32>, %c = %q : tensor<4x8xf32>) {
      %t = arith.addf %a, %c : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<4x8xf32>)
    geo.yield %n : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// Products that read a state, or rows of the inputs as a right operand, stay; a
// reversed loop and dynamic shapes are no obstacle.
// CHECK-LABEL: func.func @stay
// CHECK: geo.matmul {{.*}} -> tensor<?x8xf32>
// CHECK: geo.scan {{.*}} reverse {
// CHECK: geo.matmul {{.*}} -> tensor<?x8xf32>
// CHECK: geo.matmul {{.*}} transpose_a
// CHECK-NOT: geo.matmul
func.func @stay(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8x8xf32>) {
  %r, %g = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%i = %x : tensor<?x?x8xf32>) shared(%v = %w : tensor<8x8xf32>) reverse {
    %p = geo.matmul %i, %v transpose_b : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %q = geo.matmul %s, %v : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %o = geo.matmul %i, %i transpose_a : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<8x8xf32>
    %n = geo.rowwise rows(%a = %p : tensor<?x8xf32>, %c = %q : tensor<?x8xf32>) {
      %t = arith.addf %a, %c : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<?x8xf32>)
    geo.yield %n, %o : tensor<?x8xf32>, tensor<8x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x8x8xf32>)
  return %r, %g : tensor<?x8xf32>, tensor<?x8x8xf32>
}
