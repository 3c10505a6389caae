// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-expand | FileCheck %s

// A curvature of 0.1 that went through float32 would be 0.10000000149011612.
// CHECK-LABEL: func.func @factor
// CHECK: 1.000000e-01 : f64
// CHECK-NOT: f32
func.func @factor(%x: tensor<?x2xf64, #geo.poincare<0.1>>) -> tensor<?xf64> {
  %l = geo.conformal_factor %x : tensor<?x2xf64, #geo.poincare<0.1>> -> tensor<?xf64>
  return %l : tensor<?xf64>
}
