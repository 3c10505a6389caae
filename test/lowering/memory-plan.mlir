// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every buffer of the compiled code with its bytes and its lifetime.
// RUN: geoc %s --emit=memory-plan --plan-threads=3 | FileCheck %s
// RUN: not geoc %s --emit=memory-plan --plan-threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not geoc %s --emit=memory-plan --stop-after=fused 2>&1 | FileCheck %s --check-prefix=STAGE
// THREADS: expects --plan-threads=1 to 4096, but got 0
// STAGE: expects no --stop-after with --emit=memory-plan, but got fused

// No training step, of any model, holds a buffer of rows x V.
// RUN: rilm export --model hyp | geoc - --emit=memory-plan | %python %S/Inputs/check_memory_plan.py 8192 64 2000 2
// RUN: rilm export --model flat | geoc - --emit=memory-plan | %python %S/Inputs/check_memory_plan.py 8192 64 2000 2
// RUN: rilm export --model hyp --vocab 33278 | geoc - --emit=memory-plan | %python %S/Inputs/check_memory_plan.py 2048 64 33278 2
// RUN: rilm export --model-file %geoc_src/test/frontend/Inputs/lorentz-cell.mlir --vocab 2000 | geoc - --emit=memory-plan | %python %S/Inputs/check_memory_plan.py 8192 64 2000 2

// The check finds such a buffer where there is one: @table has it.
// RUN: geoc %s --emit=memory-plan | not %python %S/Inputs/check_memory_plan.py 1024 1 2000 1 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: table: expects no buffer of rows x V, but got 8192000 bytes for 1024 x 2000

// CHECK: "threads": 3,
// CHECK: "name": "table",
// CHECK: "peak_bytes": null,
// CHECK: "number": 0,
// CHECK-NEXT: "type": "memref<?x128xf32>",
// CHECK-NEXT: "bytes": null,
// CHECK-NEXT: "formula": "512 * dim(0, 0)"
// CHECK: "buffers": [
// CHECK: "type": "memref<?x2000xf32>",
// CHECK-NEXT: "bytes": null,
// CHECK-NEXT: "formula": "8000 * dim(0, 0)",
// CHECK-NEXT: "first": {{[1-9][0-9]*}},
// CHECK-NEXT: "last": {{[1-9][0-9]*}},
// CHECK-NEXT: "per_thread": false,
// CHECK-NEXT: "location": "{{.*}}memory-plan.mlir:[[#@LINE + 3]]:8"
!words = tensor<2000x128xf32, #geo.euclidean>
func.func @table(%x: tensor<?x128xf32>, %E: tensor<2000x128xf32>, %ids: tensor<?xi32>) -> tensor<?xf64> {
  %l = geo.matmul %x, %E transpose_b : tensor<?x128xf32>, tensor<2000x128xf32> -> tensor<?x2000xf32>
  %s = geo.rowwise rows(%r = %l : tensor<?x2000xf32>) {
    %w = arith.extf %r : vector<2000xf32> to vector<2000xf64>
    %d = geo.dot %w, %w : vector<2000xf64>
    geo.yield %d : f64
  } -> (tensor<?xf64>)
  return %s : tensor<?xf64>
}
