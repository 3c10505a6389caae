// RUN: geo-opt %s --geo-lower-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// A number that a construct computes stays on the device: the kernels that need what
// follows from it compute that, and what the function returns is stored by a kernel.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %[[LR:[^:]*]]: f64, %[[Y:[^:]*]]: memref<?x8xf32> {{.*}}, %[[S:[^:]*]]: memref<f64>
// CHECK-NOT: memref.load
// CHECK-NOT: math.
// CHECK: %[[N:.*]] = memref.alloc() {{.*}}: memref<f64>
// CHECK: gpu.launch_func @kernels::@rowwise_sum {{.*}}%[[N]] : memref<f64>
// CHECK: gpu.launch_func @kernels::@rowwise_0 {{.*}}%[[N]] : memref<f64>, %[[LR]] : f64)
// CHECK: gpu.launch_func @kernels::@number {{.*}}args(%[[S]] : memref<f64>, %[[N]] : memref<f64>)
// CHECK: memref.dealloc %[[N]]
// CHECK-NEXT: return
// CHECK-LABEL: gpu.func @rowwise_0
// CHECK: memref.load %{{.*}}[] : memref<f64>
// CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.d"
// CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.d"
// CHECK-NOT: arith.divf
func.func @scaled(%X: tensor<?x8xf32>, %lr: f64) -> (tensor<?x8xf32>, f64) {
  %n = geo.rowwise rows(%r = %X : tensor<?x8xf32>) {
    %q = geo.dot %r, %r : vector<8xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  %s = math.sqrt %n : f64
  %f = arith.divf %lr, %s : f64
  %y = geo.rowwise rows(%r = %X : tensor<?x8xf32>) shared(%k = %f : f64) {
    %z = geo.scale %k, %r : vector<8xf32>
    geo.yield %z : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %y, %s : tensor<?x8xf32>, f64
}
