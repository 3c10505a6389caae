// RUN: geo-opt %s --geo-check-points --split-input-file --verify-diagnostics

// What keeps whole rows, and what passes points on, is allowed.
func.func private @callee(tensor<?x4xf32, #geo.poincare<1.0>>) -> tensor<?x4xf32, #geo.poincare<1.0>>
func.func @allowed(%x: tensor<?x4xf32, #geo.poincare<1.0>>, %t: tensor<2x3x4xf32, #geo.poincare<1.0>>,
    %b: i1, %ids: tensor<?xi32>, %n: index) -> tensor<?x4xf32, #geo.poincare<1.0>> {
  %zero = arith.constant 0 : index
  %d = tensor.dim %x, %zero : tensor<?x4xf32, #geo.poincare<1.0>>
  %s = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1]
    : tensor<?x4xf32, #geo.poincare<1.0>> to tensor<?x4xf32, #geo.poincare<1.0>>
  %f = tensor.collapse_shape %t [[0, 1], [2]]
    : tensor<2x3x4xf32, #geo.poincare<1.0>> into tensor<6x4xf32, #geo.poincare<1.0>>
  %g = geo.gather %x[%ids] : tensor<?x4xf32, #geo.poincare<1.0>>, tensor<?xi32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  %i = scf.if %b -> tensor<?x4xf32, #geo.poincare<1.0>> {
    scf.yield %s : tensor<?x4xf32, #geo.poincare<1.0>>
  } else {
    scf.yield %g : tensor<?x4xf32, #geo.poincare<1.0>>
  }
  %c = func.call @callee(%i) : (tensor<?x4xf32, #geo.poincare<1.0>>) -> tensor<?x4xf32, #geo.poincare<1.0>>
  return %c : tensor<?x4xf32, #geo.poincare<1.0>>
}

// -----

// The sum of two points is no point.
func.func @sum(%x: tensor<3x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'arith.addf' op expects plain tensors, but got points of type 'tensor<3x4xf32, #geo.poincare<1.0>>'; take coordinates by geo.coords, or tangent vectors by geo.logmap0, and make points by geo.point or geo.expmap0}}
  %0 = arith.addf %x, %x : tensor<3x4xf32, #geo.poincare<1.0>>
  return
}

// -----

// A cast does not change the manifold.
func.func @cast(%x: tensor<3x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'tensor.cast' op expects plain tensors, but got points of type 'tensor<3x4xf32, #geo.poincare<1.0>>'}}
  %0 = tensor.cast %x : tensor<3x4xf32, #geo.poincare<1.0>> to tensor<3x4xf32, #geo.euclidean>
  return
}

// -----

// Nor does one make points.
func.func @cast_to_points(%x: tensor<3x4xf32>) {
  // expected-error @below {{'tensor.cast' op expects plain tensors, but got points of type 'tensor<3x4xf32, #geo.euclidean>'}}
  %0 = tensor.cast %x : tensor<3x4xf32> to tensor<3x4xf32, #geo.euclidean>
  return
}

// -----

// Half of a row is no point.
func.func @half(%x: tensor<3x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'tensor.extract_slice' op expects plain tensors, but got points}}
  %0 = tensor.extract_slice %x[0, 0] [3, 2] [1, 1] : tensor<3x4xf32, #geo.poincare<1.0>> to tensor<3x2xf32, #geo.poincare<1.0>>
  return
}

// -----

// Nor are rows merged into one.
func.func @merge(%x: tensor<3x4xf32, #geo.poincare<1.0>>) {
  // expected-error @below {{'tensor.collapse_shape' op expects plain tensors, but got points}}
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xf32, #geo.poincare<1.0>> into tensor<12xf32, #geo.poincare<1.0>>
  return
}

// -----

// Products take tangent vectors.
func.func @product(%x: tensor<3x4xf32, #geo.poincare<1.0>>, %w: tensor<4x4xf32>, %o: tensor<3x4xf32>) {
  // expected-error @below {{'linalg.matmul' op expects plain tensors, but got points}}
  %0 = linalg.matmul ins(%x, %w : tensor<3x4xf32, #geo.poincare<1.0>>, tensor<4x4xf32>) outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
