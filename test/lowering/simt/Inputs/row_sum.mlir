// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of a row of 300 numbers by 96 threads: partial sums, a butterfly in
// every warp, workgroup memory between them.
// ARGS: f64:17x300 f64:17:nan

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @row_sum(%x: memref<?x300xf64>, %sums: memref<?xf64>)
      workgroup(%partial : memref<3xf64, #gpu.address_space<workgroup>>)
      kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c96 = arith.constant 96 : index
    %c300 = arith.constant 300 : index
    %zero = arith.constant 0.0 : f64
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %mine = scf.for %j = %t to %c300 step %c96 iter_args(%s = %zero) -> f64 {
      %v = memref.load %x[%row, %j] : memref<?x300xf64>
      %n = arith.addf %s, %v : f64
      scf.yield %n : f64
    }
    %i5 = arith.constant 5 : i32
    %i0 = arith.constant 0 : i32
    %total = scf.for %k = %i0 to %i5 step %i1 iter_args(%s = %mine) -> f64 : i32 {
      %offset = arith.shli %i1, %k : i32
      %o, %ok = gpu.shuffle xor %s, %offset, %i32 : f64
      %n = arith.addf %s, %o : f64
      scf.yield %n : f64
    }
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      memref.store %total, %partial[%warp]
          : memref<3xf64, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %leader = arith.cmpi eq, %t, %c0 : index
    scf.if %leader {
      %sum = scf.for %w = %c0 to %c3 step %c1 iter_args(%s = %zero) -> f64 {
        %v = memref.load %partial[%w]
            : memref<3xf64, #gpu.address_space<workgroup>>
        %n = arith.addf %s, %v : f64
        scf.yield %n : f64
      }
      memref.store %sum, %sums[%row] : memref<?xf64>
    }
    gpu.return
  }
}
func.func @run(%x: memref<?x300xf64>, %sums: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %n = memref.dim %x, %c0 : memref<?x300xf64>
  gpu.launch_func @kernels::@row_sum blocks in (%n, %c1, %c1)
      threads in (%c96, %c1, %c1)
      args(%x : memref<?x300xf64>, %sums : memref<?xf64>)
  return
}
}
