// RUN: geo-opt %s --geo-keep-steps --canonicalize --split-input-file | FileCheck %s
// RUN: geo-opt %s '--geo-keep-steps=limit=0' --canonicalize --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: geo-opt %s '--geo-keep-steps=limit=1024 rows=32' --split-input-file --remarks-filter=fusion --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOME
// RUN: geoc %S/Inputs/recurrence.mlir --emit=fused -o - | FileCheck %s --check-prefix=PIPELINE
// RUN: geoc %S/Inputs/recurrence.mlir --emit=fused -o - | FileCheck %s --check-prefix=TANH
// RUN: geoc %S/Inputs/recurrence.mlir --emit=fused --keep-bytes=0 -o - | FileCheck %s --check-prefix=LIMIT

// In the pipeline: one product a step and direction, and one for the weight; with
// nothing kept, the product of all steps a second time.
// PIPELINE-COUNT-3: geo.matmul
// PIPELINE-NOT: geo.matmul
// LIMIT-COUNT-4: geo.matmul
// LIMIT-NOT: geo.matmul

// The function is computed once, and kept: its derivative is arithmetic on it.
// TANH: math.tanh
// TANH-NOT: math.tanh

// The product and the program after it are those of the steps: both become results of
// the scan. With a limit of 1024 bytes and 32 rows of 32 bytes, only the
// dearer one: tanh is more than a sum of 8 products.
// CHECK-LABEL: func.func @again
// CHECK: %[[S:.*]]:3 = geo.scan
// CHECK: geo.yield %[[H:.*]], %[[P:.*]], %[[H]] :
// CHECK-DAG: %[[HS:.*]] = tensor.collapse_shape %[[S]]#2
// CHECK-DAG: %[[PS:.*]] = tensor.collapse_shape %[[S]]#1
// CHECK-NOT: geo.matmul
// CHECK: return %{{.*}}, %[[PS]], %[[HS]]
// NONE-LABEL: func.func @again
// NONE: geo.scan
// NONE: } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
// NONE: geo.matmul
// NONE: geo.rowwise
// SOME-DAG: keep-steps.mlir:[[#@LINE+4]]:{{.*}} [Missed] keep-steps {{.*}}"computed again after the loop: 1024 bytes do not fit into what is left of 1024"
// SOME-DAG: keep-steps.mlir:[[#@LINE+4]]:{{.*}} [Passed] keep-steps {{.*}}"kept for all steps, 1024 bytes, instead of computed again"
func.func @again(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %last, %states = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %x : tensor<?x?x8xf32>) shared(%v = %w : tensor<8x8xf32>) {
    %p = geo.matmul %s, %v : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %n = geo.rowwise rows(%pr = %p : tensor<?x8xf32>, %ur = %u : tensor<?x8xf32>) {
      %a = arith.addf %pr, %ur : vector<8xf32>
      %t = math.tanh %a : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<?x8xf32>)
    geo.yield %n, %s : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
  %sr = tensor.collapse_shape %states [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %xr = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %p = geo.matmul %sr, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %n = geo.rowwise rows(%pr = %p : tensor<?x8xf32>, %ur = %xr : tensor<?x8xf32>) {
    %a = arith.addf %pr, %ur : vector<8xf32>
    %t = math.tanh %a : vector<8xf32>
    geo.yield %t : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %last, %p, %n : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Another program, other operands, or a product before the loop: nothing to keep.
// CHECK-LABEL: func.func @other
// CHECK: geo.matmul
// CHECK: geo.scan
// CHECK: } -> tensor<4x8xf32>
// CHECK: geo.matmul {{.*}} transpose_b
func.func @other(%h: tensor<4x8xf32>, %x: tensor<3x4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>) {
  %xr = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
  %before = geo.matmul %xr, %w : tensor<12x8xf32>, tensor<8x8xf32> -> tensor<12x8xf32>
  %last, %states = geo.scan init(%s = %h : tensor<4x8xf32>) inputs(%u = %x : tensor<3x4x8xf32>) shared(%v = %w : tensor<8x8xf32>) {
    %p = geo.matmul %u, %v : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %n = geo.rowwise rows(%pr = %p : tensor<4x8xf32>, %ur = %s : tensor<4x8xf32>) {
      %a = arith.addf %pr, %ur : vector<8xf32>
      geo.yield %a : vector<8xf32>
    } -> (tensor<4x8xf32>)
    geo.yield %n, %s : tensor<4x8xf32>, tensor<4x8xf32>
  } -> (tensor<4x8xf32>, tensor<3x4x8xf32>)
  %p = geo.matmul %xr, %w transpose_b : tensor<12x8xf32>, tensor<8x8xf32> -> tensor<12x8xf32>
  return %last, %before, %p : tensor<4x8xf32>, tensor<12x8xf32>, tensor<12x8xf32>
}

// -----

// Static shapes tell their bytes: 3 x 4 x 8 x 4. What is a result already is not
// stacked twice.
// CHECK-LABEL: func.func @known
// CHECK: %[[S:.*]]:2 = geo.scan
// CHECK: tensor.collapse_shape %[[S]]#1
// CHECK-NOT: geo.matmul
// SOME-DAG: keep-steps.mlir:[[#@LINE+3]]:{{.*}} [Passed] keep-steps {{.*}}"kept for all steps, 384 bytes, instead of computed again"
func.func @known(%h: tensor<4x8xf32>, %x: tensor<3x4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<3x4x8xf32>, tensor<12x8xf32>) {
  %last, %all = geo.scan init(%s = %h : tensor<4x8xf32>) inputs(%u = %x : tensor<3x4x8xf32>) shared(%v = %w : tensor<8x8xf32>) {
    %p = geo.matmul %u, %v : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    geo.yield %s, %p : tensor<4x8xf32>, tensor<4x8xf32>
  } -> (tensor<4x8xf32>, tensor<3x4x8xf32>)
  %xr = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
  %p = geo.matmul %xr, %w : tensor<12x8xf32>, tensor<8x8xf32> -> tensor<12x8xf32>
  return %last, %all, %p : tensor<4x8xf32>, tensor<3x4x8xf32>, tensor<12x8xf32>
}

// -----

// What is the same at every step is no result of the steps; a product by it is.
// CHECK-LABEL: func.func @fixed
// CHECK: %[[S:.*]]:2 = geo.scan
// CHECK: } -> (tensor<4x8xf32>, tensor<3x4x8xf32>)
// CHECK: %[[P:.*]] = tensor.collapse_shape %[[S]]#1
// CHECK: %[[W:.*]] = geo.rowwise rows(%{{.*}} = %arg2 : tensor<8x8xf32>)
// CHECK-NOT: geo.matmul
// CHECK: return %[[S]]#0, %[[P]], %[[W]]
func.func @fixed(%h: tensor<4x8xf32>, %x: tensor<3x4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<12x8xf32>, tensor<8x8xf32>) {
  %last = geo.scan init(%s = %h : tensor<4x8xf32>) inputs(%u = %x : tensor<3x4x8xf32>) shared(%v = %w : tensor<8x8xf32>) {
    %f = geo.rowwise rows(%r = %v : tensor<8x8xf32>) {
      %t = math.tanh %r : vector<8xf32>
      geo.yield %t : vector<8xf32>
    } -> (tensor<8x8xf32>)
    %p = geo.matmul %u, %f : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    geo.yield %p : tensor<4x8xf32>
  } -> tensor<4x8xf32>
  %xr = tensor.collapse_shape %x [[0, 1], [2]] : tensor<3x4x8xf32> into tensor<12x8xf32>
  %f = geo.rowwise rows(%r = %w : tensor<8x8xf32>) {
    %t = math.tanh %r : vector<8xf32>
    geo.yield %t : vector<8xf32>
  } -> (tensor<8x8xf32>)
  %p = geo.matmul %xr, %f : tensor<12x8xf32>, tensor<8x8xf32> -> tensor<12x8xf32>
  return %last, %p, %f : tensor<4x8xf32>, tensor<12x8xf32>, tensor<8x8xf32>
}
