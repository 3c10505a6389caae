// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-simt=check --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @kernel(%x: memref<?xf32>, %i: vector<4xindex>, %m: vector<4xi1>, %p: vector<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects loads and stores that the check of the simt target knows, but got another access}}
    %v = vector.gather %x[%c0] [%i], %m, %p : memref<?xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%x: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{expects vectors of one dimension, of at most 64 elements under a mask, for the check of the simt target, but got 'vector<2x2xf32>'}}
    %v = vector.load %x[%c0, %c0] : memref<?x?xf32>, vector<2x2xf32>
    gpu.return
  }
}
