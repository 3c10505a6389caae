// RUN: geo-opt %s --geo-lower-to-gpu --canonicalize --cse | FileCheck %s
// RUN: geo-opt %s --geo-lower-to-gpu="math=bf16" | FileCheck %s --check-prefix=BF16
// RUN: not geo-opt %s --geo-lower-to-gpu="device=sm_52" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not geo-opt %s --geo-lower-to-gpu="math=f16" 2>&1 | FileCheck %s --check-prefix=MATH

// DEVICE: geo-lower-to-gpu expects device sm_80, sm_90a or sm_100a, but got sm_52
// MATH: geo-lower-to-gpu expects math 3xtf32, tf32 or bf16, but got f16

// The host allocates and launches; no buffer is rows x columns. Norms of both
// sides, sums of the splits, then the splits in order.
// CHECK-LABEL: func.func @loss
// CHECK-NOT: memref.load
// CHECK-NOT: scf
// CHECK: gpu.launch_func @kernels::@pairwise_norms
// CHECK: gpu.launch_func @kernels::@pairwise_norms_0
// CHECK: gpu.launch_func @kernels::@pairwise_sums blocks in {{.*}} threads in (%c256, %c1, %c1) dynamic_shared_memory_size
// CHECK: gpu.launch_func @kernels::@pairwise_combine
// CHECK-NOT: memref.load
// CHECK: return

// Two stages of the rows are copied while others are multiplied, each factor in
// two parts; then the region on four pairs at a time.
// CHECK-LABEL: gpu.func @pairwise_sums(
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32}
// CHECK: gpu.dynamic_shared_memory
// CHECK: scf.for
// CHECK: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 8], tf32Enabled}
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}} {alignment = 16 : i64}
// CHECK: gpu.return
// BF16-NOT: tf32
// BF16: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
func.func @loss(%x: tensor<?x20xf32>, %y: tensor<100x20xf32>, %u: tensor<?xf64>, %w: tensor<100xf64>, %t: tensor<?xi32>) -> tensor<?xf64> {
  %l:2 = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x20xf32>, tensor<100x20xf32>) row(%a = %u : tensor<?xf64>) column(%b = %w : tensor<100xf64>) targets(%t : tensor<?xi32>) math f32 {
    %p = arith.mulf %a, %b : f32
    %z = arith.mulf %g, %p : f32
    geo.yield %z : f32
  } -> (tensor<?xf64>, tensor<?xf64>)
  return %l#0 : tensor<?xf64>
}
