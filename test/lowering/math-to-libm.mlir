// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-math-to-libm --canonicalize | FileCheck %s
// RUN: geoc %s --target=loops --emit=llvm | FileCheck %s --check-prefix=LLVM

// log1p(x) must never become log(1 + x).
// LLVM-LABEL: define internal void @scalars
// LLVM-NOT: llvm.log
// LLVM: call double @log1p(double
// LLVM-NOT: llvm.log

// CHECK-LABEL: func.func @scalars
// CHECK: call @log1p(%{{.*}}) : (f64) -> f64
// CHECK: call @tanhf(%{{.*}}) : (f32) -> f32
// CHECK: %[[ROOT:.*]] = math.sqrt
// CHECK: arith.divf %{{.*}}, %[[ROOT]] : f64
// CHECK: math.fma
func.func @scalars(%x: f64, %y: f32) -> (f64, f32, f64, f64) {
  %a = math.log1p %x : f64
  %b = math.tanh %y : f32
  %c = math.rsqrt %x : f64
  %d = math.fma %x, %x, %x : f64
  return %a, %b, %c, %d : f64, f32, f64, f64
}
