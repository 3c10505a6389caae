// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geoc %s --target=loops --emit=gradient -o - | FileCheck %s

// Calls inside of a function under geo.gradient are inlined before it is
// differentiated: d(2 * (w * x)) / dw = 2 x.
// CHECK-LABEL: func.func @step
// CHECK-SAME: (%{{.*}}: f64, %[[X:.*]]: f64)
// CHECK-NOT: call
// CHECK-DAG: arith.mulf %[[X]], %cst
// CHECK: return
func.func private @times(%w: f64, %x: f64) -> f64 {
  %y = arith.mulf %w, %x : f64
  return %y : f64
}
func.func private @loss(%w: f64, %x: f64) -> f64 {
  %two = arith.constant 2.0 : f64
  %y = func.call @times(%w, %x) : (f64, f64) -> f64
  %z = func.call @times(%y, %two) : (f64, f64) -> f64
  return %z : f64
}
func.func @step(%w: f64, %x: f64) -> (f64, f64) {
  %l, %g = geo.gradient @loss(%w, %x) wrt [0] : (f64, f64) -> (f64, f64)
  return %l, %g : f64, f64
}
