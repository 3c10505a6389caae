// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-simt | FileCheck %s
// RUN: geo-opt %s --geo-simt=check | FileCheck %s --check-prefix=CHECKED

// CHECK-NOT: {{^ *}}gpu.
// CHECK-DAG: llvm.mlir.global internal constant @geo_simt_text{{.*}}("gpu.barrier at simt.mlir:[[#@LINE+26]]:5\00")
// CHECK-DAG: llvm.mlir.global internal constant @geo_simt_text{{.*}}("kernel\00")

// Rank and bytes of an element of each argument, place and bytes of each
// workgroup buffer.
// CHECKED-DAG: llvm.mlir.global internal constant @geo_simt_words(dense<[1, 1, 4, 1, 64, 128]>

// The launch: sizes, the addresses of arguments, the entry of the kernel.
// CHECK-LABEL: func.func @launch
// CHECK: llvm.store %{{.*}}, %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK: %[[NONE:.*]] = llvm.mlir.zero
// CHECK: %[[ENTRY:.*]] = llvm.mlir.addressof @geo_simt_kernels_kernel_entry
// CHECK: llvm.call @geo_simt_launch(%[[ENTRY]], %{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]], %{{.*}})

// A thread: its numbers come from the machine, workgroup memory is a view.
// CHECK-LABEL: func.func private @geo_simt_kernels_kernel(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[CONTEXT:.*]]: !llvm.ptr)
// CHECK-SAME: llvm.linkage = #llvm.linkage<internal>
// CHECK: llvm.getelementptr %[[CONTEXT]][0]
// CHECK: memref.view {{.*}} to memref<32xf32>
// CHECK: llvm.call @geo_simt_barrier
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @kernel(%x: memref<?xf32>)
      workgroup(%s : memref<32xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    gpu.barrier
    %w = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    // CHECK-NOT: geo_simt_check
    // CHECKED: llvm.call @geo_simt_check(
    // CHECKED-NEXT: memref.load
    %v = memref.load %s[%t] : memref<32xf32, #gpu.address_space<workgroup>>
    // CHECK: llvm.call @geo_simt_shuffle(
    %r, %ok = gpu.shuffle xor %v, %one, %w : f32
    // CHECKED: llvm.call @geo_simt_check(
    // CHECKED-NEXT: memref.store
    memref.store %r, %x[%t] : memref<?xf32>
    gpu.return
  }
}

// CHECK-LABEL: llvm.func internal @geo_simt_kernels_kernel_entry(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK: call @geo_simt_kernels_kernel(

func.func @launch(%x: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1)
      threads in (%c32, %c1, %c1) args(%x : memref<?xf32>)
  return
}
}
