// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s
// Manifolds as encodings: parsed, printed in the shortest form, round-tripped.

// CHECK: func.func private @points(
// CHECK-SAME: tensor<?x4xf32, #geo.euclidean>, tensor<?x4xf32, #geo.poincare<1.0>>,
// CHECK-SAME: tensor<3x4xf64, #geo.poincare<0.1>>, tensor<?x?x4xf32, #geo.poincare<"c0">>,
// CHECK-SAME: tensor<4xf32, #geo.poincare<2.5e-10>>)
func.func private @points(tensor<?x4xf32, #geo.euclidean>,
    tensor<?x4xf32, #geo.poincare<1.000000e+00>>, tensor<3x4xf64, #geo.poincare<0.1>>,
    tensor<?x?x4xf32, #geo.poincare<"c0">>, tensor<4xf32, #geo.poincare<2.5e-10>>)
