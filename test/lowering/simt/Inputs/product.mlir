// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A B^T in tf32: 32 x 8 tiles by two warps, eight columns of A and B at a
// time through two stages of workgroup memory. The number of columns is a
// multiple of 4, no other size need be one of anything.
// ARGS: f32:45x20:uniform f32:13x20:uniform f32:45x13:nan

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>,
                    %c: memref<?x?xf32>)
      workgroup(%s : memref<2x32x12xf32, #gpu.address_space<workgroup>>,
                %r : memref<2x8x12xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %m = memref.dim %a, %c0 : memref<?x?xf32>
    %n = memref.dim %b, %c0 : memref<?x?xf32>
    %k = memref.dim %a, %c1 : memref<?x?xf32>
    %top = arith.muli %by, %c32 : index
    %left = arith.muli %bx, %c8 : index
    // A thread copies four numbers of a row of A, and the first 16 of one of B.
    %row = arith.divui %t, %c2 : index
    %half = arith.remui %t, %c2 : index
    %col = arith.muli %half, %c4 : index
    %arow0 = arith.addi %top, %row : index
    %brow0 = arith.addi %left, %row : index
    %aIn = arith.cmpi ult, %arow0, %m : index
    %bIn = arith.cmpi ult, %brow0, %n : index
    %arow = arith.select %aIn, %arow0, %c0 : index
    %brow = arith.select %bIn, %brow0, %c0 : index
    %copiesB = arith.cmpi ult, %t, %c16 : index
    %steps = arith.ceildivui %k, %c8 : index
    // ldmatrix: the rows that the lanes name.
    %lane16 = arith.remui %lane, %c16 : index
    %warpTop = arith.muli %warp, %c16 : index
    %rowA = arith.addi %warpTop, %lane16 : index
    %halfA = arith.divui %lane, %c16 : index
    %colA = arith.muli %halfA, %c4 : index
    %rowB = arith.remui %lane, %c8 : index
    %eighth = arith.divui %lane, %c8 : index
    %halfB = arith.remui %eighth, %c2 : index
    %colB = arith.muli %halfB, %c4 : index
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %last = arith.addi %steps, %c1 : index
    %sum = scf.for %step = %c0 to %last step %c1
        iter_args(%acc = %zero) -> vector<2x2xf32> {
      // Tile `step` sets out while the one before it is multiplied; the one
      // after the last is zero.
      %stage = arith.remui %step, %c2 : index
      %k0 = arith.muli %step, %c8 : index
      %q = arith.addi %k0, %col : index
      %rest0 = arith.subi %k, %q : index
      %rest1 = arith.maxsi %rest0, %c0 : index
      %rest = arith.minsi %rest1, %c4 : index
      %qIn = arith.cmpi ult, %q, %k : index
      %from = arith.select %qIn, %q, %c0 : index
      %nA = arith.select %aIn, %rest, %c0 : index
      %copyA = nvgpu.device_async_copy %a[%arow, %from], %s[%stage, %row, %col], 4, %nA
          : memref<?x?xf32> to memref<2x32x12xf32, #gpu.address_space<workgroup>>
      scf.if %copiesB {
        %nB = arith.select %bIn, %rest, %c0 : index
        %copyB = nvgpu.device_async_copy %b[%brow, %from], %r[%stage, %row, %col], 4, %nB
            : memref<?x?xf32> to memref<2x8x12xf32, #gpu.address_space<workgroup>>
      }
      %group = nvgpu.device_async_create_group
      nvgpu.device_async_wait %group {numGroups = 1 : i32}
      gpu.barrier
      %before = arith.addi %step, %c1 : index
      %other = arith.remui %before, %c2 : index
      %isTile = arith.cmpi ugt, %step, %c0 : index
      %next = scf.if %isTile -> vector<2x2xf32> {
        %fa = nvgpu.ldmatrix %s[%other, %rowA, %colA]
            {numTiles = 4 : i32, transpose = false}
            : memref<2x32x12xf32, #gpu.address_space<workgroup>> -> vector<4x1xf32>
        %fb = nvgpu.ldmatrix %r[%other, %rowB, %colB]
            {numTiles = 2 : i32, transpose = false}
            : memref<2x8x12xf32, #gpu.address_space<workgroup>> -> vector<2x1xf32>
        %d = nvgpu.mma.sync(%fa, %fb, %acc) {mmaShape = [16, 8, 8], tf32Enabled}
            : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
        scf.yield %d : vector<2x2xf32>
      } else {
        scf.yield %acc : vector<2x2xf32>
      }
      gpu.barrier
      scf.yield %next : vector<2x2xf32>
    }
    // Rows lane / 4 and lane / 4 + 8 of the warp's tile, two columns each.
    %group4 = arith.divui %lane, %c4 : index
    %in4 = arith.remui %lane, %c4 : index
    %crow0 = arith.addi %top, %warpTop : index
    %crow = arith.addi %crow0, %group4 : index
    %ccol0 = arith.muli %in4, %c2 : index
    %ccol = arith.addi %left, %ccol0 : index
    %rest = arith.subi %n, %ccol : index
    %most = arith.maxsi %rest, %c0 : index
    %mask = vector.create_mask %most : vector<2xi1>
    %upper = vector.extract %sum[0] : vector<2xf32> from vector<2x2xf32>
    %lower = vector.extract %sum[1] : vector<2xf32> from vector<2x2xf32>
    scf.for %h = %c0 to %c2 step %c1 {
      %isUpper = arith.cmpi eq, %h, %c0 : index
      %down = arith.muli %h, %c8 : index
      %i = arith.addi %crow, %down : index
      %in = arith.cmpi ult, %i, %m : index
      scf.if %in {
        %v = arith.select %isUpper, %upper, %lower : vector<2xf32>
        vector.maskedstore %c[%i, %ccol], %mask, %v
            : memref<?x?xf32>, vector<2xi1>, vector<2xf32>
      }
    }
    gpu.return
  }
}
func.func @run(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c0 : memref<?x?xf32>
  %bx = arith.ceildivui %n, %c8 : index
  %by = arith.ceildivui %m, %c32 : index
  gpu.launch_func @kernels::@product blocks in (%bx, %by, %c1)
      threads in (%c64, %c1, %c1)
      args(%a : memref<?x?xf32>, %b : memref<?x?xf32>, %c : memref<?x?xf32>)
  return
}
}
