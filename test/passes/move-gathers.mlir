// RUN: geo-opt %s --geo-move-gathers --canonicalize --split-input-file | FileCheck %s
// RUN: geo-opt %s '--geo-move-gathers=rows=64' --canonicalize --split-input-file | FileCheck %s --check-prefix=MANY
// RUN: geo-opt %s '--geo-move-gathers=rows=8' --canonicalize --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: geo-opt %s --geo-move-gathers --split-input-file --remarks-filter=fusion --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAYS

// gather(f(E)) W: the product and the program before it have 10 rows instead of 30.
// CHECK-LABEL: func.func @to_table
// CHECK: %[[F:.*]] = geo.rowwise rows(%{{.*}} = %arg0 : tensor<10x8xf32>)
// CHECK: %[[P:.*]] = geo.matmul %[[F]], %arg1 : tensor<10x8xf32>, tensor<8x4xf32> -> tensor<10x4xf32>
// CHECK: %[[G:.*]] = geo.gather %[[P]][%arg2] : tensor<10x4xf32>, tensor<30xi32> -> tensor<30x4xf32>
// CHECK: return %[[G]]
// SAYS-DAG: move-gathers.mlir:[[#@LINE+8]]:{{.*}} [Passed] move-gathers {{.*}}"moved to the 10 rows of the table, from 30"
func.func @to_table(%E: tensor<10x8xf32>, %W: tensor<8x4xf32>, %ids: tensor<30xi32>) -> tensor<30x4xf32> {
  %g = geo.gather %E[%ids] : tensor<10x8xf32>, tensor<30xi32> -> tensor<30x8xf32>
  %f = geo.rowwise rows(%r = %g : tensor<30x8xf32>) {
    %t = math.tanh %r : vector<8xf32>
    geo.yield %t : vector<8xf32>
  } -> (tensor<30x8xf32>)
  // What is said above is about this op.
  %p = geo.matmul %f, %W : tensor<30x8xf32>, tensor<8x4xf32> -> tensor<30x4xf32>
  return %p : tensor<30x4xf32>
}

// -----

// gather(f(E) W + b), with fewer ids than rows: all of it on what was gathered, but
// for the program that something else reads.
// CHECK-LABEL: func.func @to_rows
// CHECK: %[[F:.*]] = geo.rowwise rows(%{{.*}} = %arg0 : tensor<30x8xf32>)
// CHECK: %[[G:.*]] = geo.gather %[[F]][%arg3] : tensor<30x8xf32>, tensor<10xi32> -> tensor<10x8xf32>
// CHECK: %[[P:.*]] = geo.matmul %[[G]], %arg1 : tensor<10x8xf32>, tensor<8x4xf32> -> tensor<10x4xf32>
// CHECK: %[[B:.*]] = geo.rowwise rows(%{{.*}} = %[[P]] : tensor<10x4xf32>)
// CHECK: return %[[B]], %[[F]]
// SAYS-DAG: move-gathers.mlir:[[#@LINE+2]]:{{.*}} [Missed] move-gathers {{.*}}"stays on the table: not only these ids read it"
func.func @to_rows(%E: tensor<30x8xf32>, %W: tensor<8x4xf32>, %b: tensor<4xf32>, %ids: tensor<10xi32>) -> (tensor<10x4xf32>, tensor<30x8xf32>) {
  %f = geo.rowwise rows(%r = %E : tensor<30x8xf32>) {
    %t = math.tanh %r : vector<8xf32>
    geo.yield %t : vector<8xf32>
  } -> (tensor<30x8xf32>)
  %p = geo.matmul %f, %W : tensor<30x8xf32>, tensor<8x4xf32> -> tensor<30x4xf32>
  %q = geo.rowwise rows(%r = %p : tensor<30x4xf32>) shared(%s = %b : tensor<4xf32>) {
    %t = arith.addf %r, %s : vector<4xf32>
    geo.yield %t : vector<4xf32>
  } -> (tensor<30x4xf32>)
  %g = geo.gather %q[%ids] : tensor<30x4xf32>, tensor<10xi32> -> tensor<10x4xf32>
  return %g, %f : tensor<10x4xf32>, tensor<30x8xf32>
}

// -----

// Two readers of one program, by the same ids; and a sum over rows, which stays.
// CHECK-LABEL: func.func @readers
// CHECK: %[[S:.*]]:2 = geo.rowwise rows(%{{.*}} = %arg0 : tensor<30x8xf32>)
// CHECK: %[[G:.*]] = geo.gather %arg0[%arg1] : tensor<30x8xf32>, tensor<10xi32>
// CHECK: %[[F:.*]]:2 = geo.rowwise rows(%{{.*}} = %[[G]] : tensor<10x8xf32>)
// CHECK: %[[H:.*]] = geo.gather %[[S]]#0[%arg1]
// CHECK: return %[[F]]#0, %[[F]]#1, %[[H]], %[[S]]#1
func.func @readers(%E: tensor<30x8xf32>, %ids: tensor<10xi32>) -> (tensor<10x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>, f64) {
  %x, %y = geo.rowwise rows(%r = %E : tensor<30x8xf32>) {
    %t = math.tanh %r : vector<8xf32>
    %u = math.exp %r : vector<8xf32>
    geo.yield %t, %u : vector<8xf32>, vector<8xf32>
  } -> (tensor<30x8xf32>, tensor<30x8xf32>)
  %s, %n = geo.rowwise rows(%r = %E : tensor<30x8xf32>) {
    %t = arith.addf %r, %r : vector<8xf32>
    %d = geo.dot %r, %r : vector<8xf32>
    geo.yield %t, %d : vector<8xf32>, f64
  } -> (tensor<30x8xf32>) sums (f64)
  %a = geo.gather %x[%ids] : tensor<30x8xf32>, tensor<10xi32> -> tensor<10x8xf32>
  %b = geo.gather %y[%ids] : tensor<30x8xf32>, tensor<10xi32> -> tensor<10x8xf32>
  %c = geo.gather %s[%ids] : tensor<30x8xf32>, tensor<10xi32> -> tensor<10x8xf32>
  return %a, %b, %c, %n : tensor<10x8xf32>, tensor<10x8xf32>, tensor<10x8xf32>, f64
}

// -----

// How many ids a batch has is told for what is trained, and for nothing else.
// CHECK-LABEL: func.func private @loss
// CHECK: geo.matmul {{.*}} -> tensor<?x8xf32>
// MANY-LABEL: func.func private @loss
// MANY: geo.matmul %arg0, %arg1 : tensor<30x8xf32>, tensor<8x8xf32> -> tensor<30x8xf32>
// FEW-LABEL: func.func private @loss
// FEW: geo.matmul {{.*}} -> tensor<?x8xf32>
func.func private @loss(%E: tensor<30x8xf32>, %W: tensor<8x8xf32>, %ids: tensor<?xi32>) -> f64 {
  %g = geo.gather %E[%ids] : tensor<30x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %p = geo.matmul %g, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %n = geo.rowwise rows(%r = %p : tensor<?x8xf32>) {
    %d = geo.dot %r, %r : vector<8xf32>
    geo.yield %d : f64
  } -> () sums (f64)
  return %n : f64
}

// CHECK-LABEL: func.func @train
func.func @train(%E: tensor<30x8xf32>, %W: tensor<8x8xf32>, %ids: tensor<?xi32>) -> (f64, tensor<30x8xf32>) {
  %l, %dE = geo.gradient @loss(%E, %W, %ids) wrt [0] : (tensor<30x8xf32>, tensor<8x8xf32>, tensor<?xi32>) -> (f64, tensor<30x8xf32>)
  return %l, %dE : f64, tensor<30x8xf32>
}

// MANY-LABEL: func.func @generate
// MANY: geo.matmul {{.*}} -> tensor<?x8xf32>
// FEW-LABEL: func.func @generate
// FEW: geo.matmul {{.*}} -> tensor<?x8xf32>
func.func @generate(%E: tensor<30x8xf32>, %W: tensor<8x8xf32>, %ids: tensor<?xi32>) -> tensor<?x8xf32> {
  %g = geo.gather %E[%ids] : tensor<30x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %p = geo.matmul %g, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}
