// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-lower-to-loops --geo-create-entries | FileCheck %s
// RUN: geoc %s --target=loops --stop-after=llvm | FileCheck %s --check-prefix=LLVM

// Pointers to descriptors and to numbers, arguments first, then results.
// CHECK-LABEL: llvm.func @geo_entry_f(
// CHECK-SAME: %[[ARGS:.*]]: !llvm.ptr)
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK: %[[D0:.*]] = llvm.load {{.*}} -> !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: builtin.unrealized_conversion_cast %[[D0]] : {{.*}} to memref<4xf64>
// CHECK: llvm.getelementptr %[[ARGS]][1]
// CHECK: llvm.load {{.*}} -> f64
// CHECK: llvm.getelementptr %[[ARGS]][2]
// CHECK: call @f
// CHECK: func.func @f(
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>

// LLVM-DAG: llvm.func internal @f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i64
// LLVM-DAG: llvm.func @_mlir_memref_to_llvm_aligned_alloc(i64, i64) -> (!llvm.ptr {llvm.noalias})
func.func @f(%X: tensor<4xf64>, %s: f64) -> f64 {
  %q = geo.rowwise rows(%x = %X : tensor<4xf64>) shared(%t = %s : f64) {
    %y = arith.mulf %x, %t : f64
    geo.yield %y : f64
  } -> () sums (f64)
  return %q : f64
}

// A private function has no entry.
// CHECK-NOT: geo_entry_hidden
func.func private @hidden(%s: f64) -> f64 {
  return %s : f64
}
