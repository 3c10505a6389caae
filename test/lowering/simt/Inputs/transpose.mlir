// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 32 x 32 tiles through workgroup memory, a block of 32 x 8 threads, sizes
// that are no multiples; the tile lies in dynamic memory.
// ARGS: f32:70x45 f32:45x70:nan

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %bytes = gpu.dynamic_shared_memory
        : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<32x33xf32, #gpu.address_space<workgroup>>
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %cols = memref.dim %x, %c1 : memref<?x?xf32>
    %top = arith.muli %by, %c32 : index
    %left = arith.muli %bx, %c32 : index
    scf.for %k = %ty to %c32 step %c8 {
      %i = arith.addi %top, %k : index
      %j = arith.addi %left, %tx : index
      %a = arith.cmpi ult, %i, %rows : index
      %b = arith.cmpi ult, %j, %cols : index
      %in = arith.andi %a, %b : i1
      scf.if %in {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        memref.store %v, %tile[%k, %tx]
            : memref<32x33xf32, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    scf.for %k = %ty to %c32 step %c8 {
      %i = arith.addi %left, %k : index
      %j = arith.addi %top, %tx : index
      %a = arith.cmpi ult, %i, %cols : index
      %b = arith.cmpi ult, %j, %rows : index
      %in = arith.andi %a, %b : i1
      scf.if %in {
        %v = memref.load %tile[%tx, %k]
            : memref<32x33xf32, #gpu.address_space<workgroup>>
        memref.store %v, %y[%i, %j] : memref<?x?xf32>
      }
    }
    gpu.return
  }
}
func.func @run(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %cols = memref.dim %x, %c1 : memref<?x?xf32>
  %bx = arith.ceildivui %cols, %c32 : index
  %by = arith.ceildivui %rows, %c32 : index
  %shared = arith.constant 4224 : i32
  gpu.launch_func @kernels::@transpose blocks in (%bx, %by, %c1)
      threads in (%c32, %c8, %c1) dynamic_shared_memory_size %shared
      args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
  return
}
}
