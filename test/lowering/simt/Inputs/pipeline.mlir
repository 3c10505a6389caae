// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of each row of %n tiles of 32 x 4 numbers, by the lane before the
// one that copies the row; tile i + 1 is on its way while tile i is summed.
// The last row of a tile has three numbers.
// ARGS: f32:5x32x4 f32:32:nan

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @sums(%x: memref<?x32x4xf32>, %y: memref<32xf32>)
      workgroup(%s : memref<2x32x4xf32, #gpu.address_space<workgroup>>)
      kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c31 = arith.constant 31 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %n = memref.dim %x, %c0 : memref<?x32x4xf32>
    %last = arith.cmpi eq, %t, %c31 : index
    %width = arith.select %last, %c3, %c4 : index
    %a0 = nvgpu.device_async_copy %x[%c0, %t, %c0], %s[%c0, %t, %c0], 4, %width
        : memref<?x32x4xf32> to memref<2x32x4xf32, #gpu.address_space<workgroup>>
    %g0 = nvgpu.device_async_create_group %a0
    %up = arith.addi %t, %c1 : index
    %next = arith.remui %up, %c32 : index
    %sum, %token = scf.for %i = %c0 to %n step %c1
        iter_args(%acc = %zero, %g = %g0) -> (f32, !nvgpu.device.async.token) {
      %j = arith.addi %i, %c1 : index
      %stage = arith.remui %i, %c2 : index
      %other = arith.remui %j, %c2 : index
      %more = arith.cmpi ult, %j, %n : index
      scf.if %more {
        %a = nvgpu.device_async_copy %x[%j, %t, %c0], %s[%other, %t, %c0], 4, %width
            : memref<?x32x4xf32> to memref<2x32x4xf32, #gpu.address_space<workgroup>>
      }
      %h = nvgpu.device_async_create_group
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%b = %acc) -> f32 {
        %v = memref.load %s[%stage, %next, %k]
            : memref<2x32x4xf32, #gpu.address_space<workgroup>>
        %w = arith.addf %b, %v : f32
        scf.yield %w : f32
      }
      gpu.barrier
      scf.yield %r, %h : f32, !nvgpu.device.async.token
    }
    memref.store %sum, %y[%next] : memref<32xf32>
    gpu.return
  }
}
func.func @run(%x: memref<?x32x4xf32>, %y: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1)
      threads in (%c32, %c1, %c1)
      args(%x : memref<?x32x4xf32>, %y : memref<32xf32>)
  return
}
}
