// RUN: geo-opt %s --geo-differentiate="function=product wrt=1 cotangents" --canonicalize | FileCheck %s
// RUN: not geo-opt %s --geo-differentiate="function=product wrt=1" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not geo-opt %s --geo-differentiate="function=product wrt=7 cotangents" 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not geo-opt %s --geo-differentiate="function=nothing wrt=0" 2>&1 | FileCheck %s --check-prefix=NAME

// NUMBER: 'func.func' op expects a first result of type f64 to differentiate
// INDEX: expects wrt to hold indices of its 2 arguments, but got 7
// NAME: geo-differentiate expects `function` to name a function of the module, but got @nothing

// CHECK-LABEL: func.func @product_gradient
//  CHECK-SAME: (%[[A:.*]]: tensor<?x4xf32>, %[[B:.*]]: tensor<4x3xf32>, %[[G:.*]]: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<4x3xf32>)
//  CHECK-DAG: %[[C:.*]] = geo.matmul %[[A]], %[[B]] :
//  CHECK-DAG: %[[D:.*]] = geo.matmul %[[A]], %[[G]] transpose_a :
//      CHECK: return %[[C]], %[[D]]
func.func @product(%a: tensor<?x4xf32>, %b: tensor<4x3xf32>) -> tensor<?x3xf32> {
  %c = geo.matmul %a, %b : tensor<?x4xf32>, tensor<4x3xf32> -> tensor<?x3xf32>
  return %c : tensor<?x3xf32>
}
