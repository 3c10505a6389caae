// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-lower-to-loops --canonicalize --split-input-file | FileCheck %s

// Arguments become buffers, results trailing ones; a number result has rank 0.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32> {llvm.noalias}, %[[S:.*]]: f64,
// CHECK-SAME: %[[Y:.*]]: memref<?x8xf32> {llvm.noalias}, %[[Q:.*]]: memref<f64> {geo.number, llvm.noalias})
// CHECK-NOT: memref.alloc() : memref<?x8xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: geo.
// CHECK: memref.store {{.*}}, %[[Q]][]
// CHECK: return
func.func @rows(%X: tensor<?x8xf32>, %s: f64) -> (tensor<?x8xf32>, f64) {
  %y, %q = geo.rowwise rows(%x = %X : tensor<?x8xf32>) shared(%t = %s : f64) {
    %z = geo.scale %t, %x : vector<8xf32>
    %n = geo.dot %z, %z : vector<8xf32>
    geo.yield %z, %n : vector<8xf32>, f64
  } -> (tensor<?x8xf32>) sums (f64)
  return %y, %q : tensor<?x8xf32>, f64
}

// -----

// An intermediate is freed after its last use, and before what follows.
// CHECK-LABEL: func.func @lifetime(
// CHECK-SAME: %{{.*}}: memref<?x8xf32> {llvm.noalias}, %{{.*}}: memref<8x8xf32> {llvm.noalias}, %[[OUT:.*]]: memref<?x8xf32>
// CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x8xf32>
// CHECK: %[[B:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x8xf32>
// CHECK: memref.dealloc %[[A]]
// CHECK: memref.store {{.*}}, %[[OUT]]
// CHECK: memref.dealloc %[[B]]
// CHECK-NOT: memref.dealloc
func.func @lifetime(%X: tensor<?x8xf32>, %W: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %a = geo.matmul %X, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %b = geo.matmul %a, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %c = geo.matmul %b, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %unused = geo.matmul %c, %W : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  return %c : tensor<?x8xf32>
}

// -----

// Intermediates of a scan stand outside of its loop over time.
// CHECK-LABEL: func.func @scan(
// CHECK-COUNT-4: memref.alloc
// CHECK: memref.subview
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @scan(%h0: tensor<?x8xf32>, %U: tensor<?x?x8xf32>, %W: tensor<8x8xf32>) -> tensor<?x?x8xf32> {
  %end, %all = geo.scan init(%h = %h0 : tensor<?x8xf32>)
      inputs(%u = %U : tensor<?x?x8xf32>) shared(%w = %W : tensor<8x8xf32>) {
    %a = geo.matmul %h, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %b = geo.matmul %a, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    %n = geo.matmul %b, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    geo.yield %n, %h : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
  return %all : tensor<?x?x8xf32>
}

// -----

// Returned twice, and an argument returned: copies.
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[X:.*]]: memref<4xf64> {llvm.noalias}, %[[A:.*]]: memref<4xf64> {llvm.noalias}, %[[B:.*]]: memref<4xf64> {llvm.noalias}, %[[C:.*]]: memref<4xf64>
// CHECK-DAG: memref.store {{.*}}, %[[A]]
// CHECK-DAG: memref.store {{.*}}, %[[B]]
// CHECK-DAG: memref.store {{.*}}, %[[C]]
func.func @copies(%X: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %y = geo.rowwise rows(%x = %X : tensor<4xf64>) {
    %z = arith.addf %x, %x : f64
    geo.yield %z : f64
  } -> (tensor<4xf64>)
  return %y, %y, %X : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// -----

// Columns that constructs read are a view; pieces are computed in their places,
// and only what is no op of its own is copied.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32> {llvm.noalias}, %[[OUT:.*]]: memref<?x10xf32>
// CHECK-NOT: memref.alloc(%
// CHECK: memref.subview %[[X]][0, 3] [%{{.*}}, 5] [1, 1] : memref<?x8xf32> to memref<?x5xf32, strided<[8, 1], offset: 3>>
// CHECK: %[[B:.*]] = memref.subview %[[OUT]][0, 5] [%{{.*}}, 5] [1, 1] : memref<?x10xf32> to memref<?x5xf32, strided<[10, 1], offset: 5>>
// CHECK-NOT: memref.alloc(%
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: memref.store %{{.*}}, %[[OUT]]
// CHECK-NOT: memref.store
func.func @columns(%x: tensor<?x8xf32>) -> tensor<?x10xf32> {
  %a = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x5xf32>
  %b = geo.rowwise rows(%r = %a : tensor<?x5xf32>) {
    %z = arith.addf %r, %r : vector<5xf32>
    geo.yield %z : vector<5xf32>
  } -> (tensor<?x5xf32>)
  %c = geo.concat_columns %a, %b at [0, 5] : tensor<?x5xf32>, tensor<?x5xf32> -> tensor<?x10xf32>
  return %c : tensor<?x10xf32>
}
