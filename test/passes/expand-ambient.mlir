// RUN: geo-opt %s --geo-expand --canonicalize --cse | FileCheck %s
// Ambient coordinates of a hyperboloid and back.

// CHECK-LABEL: func @lift
// CHECK: %[[T:.*]] = geo.rowwise rows(%[[X:.*]] = %arg0 : tensor<?x3xf32>) shared(%{{.*}} = %{{.*}} : f64)
// CHECK: math.sqrt
// CHECK: -> (tensor<?xf64>)
// CHECK: geo.concat_columns %[[T]], %arg0 at [0, 1] : tensor<?xf64>, tensor<?x3xf32> -> tensor<?x4xf32>
func.func @lift(%x: tensor<?x3xf32, #geo.lorentz<2.0>>) -> tensor<?x4xf32> {
  %0 = geo.lift %x : tensor<?x3xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func @back
// CHECK: geo.columns %arg0[1] : tensor<?x4xf32> -> tensor<?x3xf32>
func.func @back(%x: tensor<?x4xf32>) -> tensor<?x3xf32> {
  %0 = geo.drop %x : tensor<?x4xf32> -> tensor<?x3xf32, #geo.lorentz<2.0>>
  %1 = geo.coords %0 : tensor<?x3xf32, #geo.lorentz<2.0>> -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// CHECK-LABEL: func @both
// CHECK-NEXT: return %arg0
func.func @both(%x: tensor<?x3xf32, #geo.lorentz<2.0>>) -> tensor<?x3xf32, #geo.lorentz<2.0>> {
  %0 = geo.lift %x : tensor<?x3xf32, #geo.lorentz<2.0>> -> tensor<?x4xf32>
  %1 = geo.drop %0 : tensor<?x4xf32> -> tensor<?x3xf32, #geo.lorentz<2.0>>
  return %1 : tensor<?x3xf32, #geo.lorentz<2.0>>
}
