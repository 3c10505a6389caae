// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

func.func private @loss(tensor<4x4xf32>, tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?xi32>) -> (f64, f64)

// CHECK-LABEL: func.func @gradient
func.func @gradient(%W: tensor<4x4xf32>, %x: tensor<?x4xf32, #geo.poincare<1.0>>, %ids: tensor<?xi32>) {
  // CHECK: geo.gradient @loss(%{{.*}}, %{{.*}}, %{{.*}}) wrt [0, 1] :
  // CHECK-SAME: (tensor<4x4xf32>, tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?xi32>) -> (f64, f64, tensor<4x4xf32>, tensor<?x4xf32>)
  %r:4 = geo.gradient @loss(%W, %x, %ids) wrt [0, 1]
    : (tensor<4x4xf32>, tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?xi32>) -> (f64, f64, tensor<4x4xf32>, tensor<?x4xf32>)
  return
}
