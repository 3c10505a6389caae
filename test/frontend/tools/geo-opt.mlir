// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt --help | FileCheck %s --check-prefix=HELP
// RUN: geo-opt %s --geo-check-points --geo-expand | geo-opt | FileCheck %s
// HELP: --geo-check-points
// HELP: --geo-expand

// CHECK-LABEL: func.func @add
// CHECK: geo.rowwise
// CHECK-NOT: #geo
!ball = tensor<?x97xf32, #geo.poincare<1.0>>
func.func @add(%x: !ball, %y: !ball) -> !ball {
  %z = geo.mobius_add %x, %y : !ball
  return %z : !ball
}
