// RUN: geo-opt %s --geo-fuse-decoder --canonicalize --split-input-file | FileCheck %s
// RUN: geo-opt %s --geo-fuse-decoder --split-input-file --remarks-filter=fusion --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The mean over the rows that count: one program adds up losses and counts rows. The
// count, and the cotangent that it gives, move before the fused op.
// REMARK: remark: [Passed] fuse-decoder | Category:fusion | Function=mean | Remark="merged with the loss: every Gram is computed once"
// CHECK-LABEL: func.func @mean
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<9x4xf32>, %[[IDS:.*]]: tensor<?xi32>, %[[M:.*]]: tensor<?xf32>)
func.func @mean(%x: tensor<?x4xf32>, %y: tensor<9x4xf32>, %ids: tensor<?xi32>, %mask: tensor<?xf32>)
    -> (f64, tensor<?x4xf32>, tensor<9x4xf32>) {
  %one = arith.constant 1.0 : f64
  // CHECK: %[[COUNT:.*]] = geo.rowwise rows(%{{.*}} = %[[M]] : tensor<?xf32>) {
  // CHECK: } -> () sums (f64)
  // CHECK: %[[SCALE:.*]] = arith.divf %{{.*}}, %[[COUNT]]
  // CHECK: %[[CT:.*]] = geo.rowwise rows(%{{.*}} = %[[M]] : tensor<?xf32>) shared(%{{.*}} = %[[SCALE]] : f64)
  // CHECK: %[[R:.*]]:4 = geo.pairwise_grad nll grams(%[[G:.*]] = sqdiff %[[X]], %[[Y]] : {{.*}}) targets(%[[IDS]] : tensor<?xi32>) cotangent(%[[CT]] : tensor<?xf64>) math f32 {
  // CHECK-NEXT: %[[MINUS:.*]] = arith.constant -1.0
  // CHECK-NEXT: %[[Z:.*]] = arith.negf %[[G]]
  // CHECK-NEXT: geo.yield %[[Z]], %[[MINUS]]
  // CHECK-NEXT: } -> (tensor<?x4xf32>, tensor<9x4xf32>, tensor<?xf64>, tensor<?xf64>)
  // CHECK-NOT: geo.pairwise
  // CHECK: %[[SUM:.*]] = geo.rowwise rows(%{{.*}} = %[[R]]#2 : tensor<?xf64>, %{{.*}} = %[[M]] : tensor<?xf32>)
  // CHECK: %[[LOSS:.*]] = arith.divf %[[SUM]], %[[COUNT]]
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) math f32 {
    %z = arith.negf %g : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  %sum, %count = geo.rowwise rows(%n = %nll : tensor<?xf64>, %m = %mask : tensor<?xf32>) {
    %w = arith.extf %m : f32 to f64
    %t = arith.mulf %w, %n : f64
    geo.yield %t, %w : f64, f64
  } -> () sums (f64, f64)
  %loss = arith.divf %sum, %count : f64
  %scale = arith.divf %one, %count : f64
  %ct = geo.rowwise rows(%m = %mask : tensor<?xf32>) shared(%s = %scale : f64) {
    %w = arith.extf %m : f32 to f64
    %t = arith.mulf %w, %s : f64
    geo.yield %t : f64
  } -> (tensor<?xf64>)
  %dx, %dy = geo.pairwise_grad nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) lse(%lse : tensor<?xf64>) cotangent(%ct : tensor<?xf64>) math f32 {
    %minus = arith.constant -1.0 : f32
    %z = arith.negf %g : f32
    geo.yield %z, %minus : f32, f32
  } -> (tensor<?x4xf32>, tensor<9x4xf32>)
  // CHECK: return %[[LOSS]], %[[R]]#0, %[[R]]#1
  return %loss, %dx, %dy : f64, tensor<?x4xf32>, tensor<9x4xf32>
}

// -----

// The gradient of the sum of squared losses waits for the losses.
// REMARK: remark: [Missed] fuse-decoder | Category:fusion | Function=squares | Remark="the cotangent depends on the loss: the adjoint computes all pairs again"
// CHECK-LABEL: func.func @squares
func.func @squares(%x: tensor<?x4xf32>, %y: tensor<9x4xf32>, %ids: tensor<?xi32>) -> (f64, tensor<?x4xf32>) {
  // CHECK: geo.pairwise nll
  // CHECK: geo.pairwise_grad nll {{.*}} lse(
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) math f32 {
    %z = arith.negf %g : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  %ct, %sum = geo.rowwise rows(%n = %nll : tensor<?xf64>) {
    %q = arith.mulf %n, %n : f64
    %t = arith.addf %n, %n : f64
    geo.yield %t, %q : f64, f64
  } -> (tensor<?xf64>) sums (f64)
  %dx, %dy = geo.pairwise_grad nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) lse(%lse : tensor<?xf64>) cotangent(%ct : tensor<?xf64>) math f32 {
    %minus = arith.constant -1.0 : f32
    %z = arith.negf %g : f32
    geo.yield %z, %minus : f32, f32
  } -> (tensor<?x4xf32>, tensor<9x4xf32>)
  return %sum, %dx : f64, tensor<?x4xf32>
}

// -----

// Another batch's lse.
// REMARK: remark: [Missed] fuse-decoder | Category:fusion | Function=other | Remark="its lse is not that of a geo.pairwise on the same operands"
// CHECK-LABEL: func.func @other
func.func @other(%x: tensor<?x4xf32>, %y: tensor<9x4xf32>, %ids: tensor<?xi32>, %other: tensor<?xi32>,
                 %ct: tensor<?xf64>) -> (tensor<?xf64>, tensor<?x4xf32>) {
  // CHECK: geo.pairwise nll
  // CHECK: geo.pairwise_grad nll {{.*}} lse(
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) math f32 {
    %z = arith.negf %g : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  %dx, %dy = geo.pairwise_grad nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%other : tensor<?xi32>) lse(%lse : tensor<?xf64>) cotangent(%ct : tensor<?xf64>) math f32 {
    %minus = arith.constant -1.0 : f32
    %z = arith.negf %g : f32
    geo.yield %z, %minus : f32, f32
  } -> (tensor<?x4xf32>, tensor<9x4xf32>)
  return %nll, %dx : tensor<?xf64>, tensor<?x4xf32>
}

// -----

// The losses are all that tells the cotangent's number of rows: the rows of x do, too.
// REMARK: remark: [Passed] fuse-decoder | Category:fusion | Function=sum | Remark="merged with the loss: every Gram is computed once"
// CHECK-LABEL: func.func @sum
//  CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>,
func.func @sum(%x: tensor<?x4xf32>, %y: tensor<9x4xf32>, %ids: tensor<?xi32>) -> (f64, tensor<?x4xf32>) {
  %one = arith.constant 1.0 : f64
  // CHECK: %[[CT:.*]] = geo.rowwise rows(%{{.*}} = %[[X]] : tensor<?x4xf32>)
  // CHECK: %[[R:.*]]:4 = geo.pairwise_grad nll {{.*}} cotangent(%[[CT]] : tensor<?xf64>)
  // CHECK: geo.rowwise rows(%{{.*}} = %[[R]]#2 : tensor<?xf64>)
  // CHECK-NOT: geo.pairwise
  %nll, %lse = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) math f32 {
    %z = arith.negf %g : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  %sum = geo.rowwise rows(%n = %nll : tensor<?xf64>) {
    geo.yield %n : f64
  } -> () sums (f64)
  %ct = geo.rowwise rows(%n = %nll : tensor<?xf64>) shared(%s = %one : f64) {
    geo.yield %s : f64
  } -> (tensor<?xf64>)
  %dx, %dy = geo.pairwise_grad nll grams(%g = sqdiff %x, %y : tensor<?x4xf32>, tensor<9x4xf32>)
      targets(%ids : tensor<?xi32>) lse(%lse : tensor<?xf64>) cotangent(%ct : tensor<?xf64>) math f32 {
    %minus = arith.constant -1.0 : f32
    %z = arith.negf %g : f32
    geo.yield %z, %minus : f32, f32
  } -> (tensor<?x4xf32>, tensor<9x4xf32>)
  return %sum, %dx : f64, tensor<?x4xf32>
}
