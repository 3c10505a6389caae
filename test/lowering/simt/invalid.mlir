// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-simt --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @kernel(%v: f32) kernel {
    // expected-error@+1 {{expects an op that the simt target knows, but got one that it does not}}
    %r = gpu.all_reduce add %v {} : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%v: vector<2xf32>, %o: i32) kernel {
    // expected-error@+1 {{expects an integer or a float of at most 64 bits on the simt target, but got 'vector<2xf32>'}}
    %r, %ok = gpu.shuffle xor %v, %o, %o : vector<2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{expects kernels only on the simt target, but got a function that kernels call}}
  gpu.func @helper() {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @kernel(%n: index) kernel {
    // expected-error@+1 {{expects an op that the simt target knows, but got one that it does not}}
    %m = memref.alloc(%n) : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error@+1 {{expects only gpu.func in a gpu.module on the simt target, but got another op}}
  func.func @helper() {
    return
  }
}

// -----

module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @kernel() kernel {
    gpu.return
  }
}
func.func @launch() {
  %c1 = arith.constant 1 : index
  %t = gpu.wait async
  // expected-error@+1 {{expects a launch that waits, without clusters, on the simt target, but got another}}
  %done = gpu.launch_func async [%t] @kernels::@kernel
      blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
}
