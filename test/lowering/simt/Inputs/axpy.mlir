// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = a x + y, one element a thread, the last block partly beyond the end.
// ARGS: f32:150 f32:150 f32=1.5

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @axpy(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32) kernel {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %t = gpu.thread_id x
    %base = arith.muli %b, %d : index
    %i = arith.addi %base, %t : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %xi = memref.load %x[%i] : memref<?xf32>
      %yi = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %xi, %a : f32
      %s = arith.addf %p, %yi : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
func.func @run(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c64 : index
  gpu.launch_func @kernels::@axpy blocks in (%blocks, %c1, %c1)
      threads in (%c64, %c1, %c1)
      args(%x : memref<?xf32>, %y : memref<?xf32>, %a : f32)
  return
}
}
