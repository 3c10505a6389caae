// RUN: geo-opt %s | FileCheck %s
// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt %s --mlir-print-op-generic | geo-opt | FileCheck %s
// Infix and operations are two spellings of one op; it prints as operations.

// CHECK-LABEL: geo.manifold @stretched(s > 0, k) like @euclidean {
geo.manifold @stretched(s > 0, k) like @euclidean {
  // CHECK-NEXT: formula @double(%x: row) curvatures(%s, %k) {
  // CHECK-NEXT:   [[TWO:%.*]] = arith.constant 2.000000e+00 : f64
  // CHECK-NEXT:   [[S:%.*]] = arith.mulf [[TWO]], %s : f64
  // CHECK-NEXT:   [[Y:%.*]] = geo.scale [[S]], %x : vector<[1]xf64>
  // CHECK-NEXT:   geo.yield [[Y]] : vector<[1]xf64>
  formula @double(x: row) = 2 * s * x
  // CHECK: formula @sqdist(%x: row, %y: row) curvatures(%s, %k) {
  // CHECK:   geo.call @double({{.*}}) : (vector<[1]xf64>) -> vector<[1]xf64>
  formula @sqdist(x: row, y: row) {
    let d = double(x - y)
    yield sqnorm(d) + k
  }
}

// A formula of the built-in page that it is like, and one that it overrides.
// CHECK-LABEL: geo.manifold @faster(c > 0) like @poincare {
// CHECK: geo.call @alpha({{.*}}) : (vector<[1]xf64>) -> f64
geo.manifold @faster(c > 0) like @poincare {
  formula @retract(x: row, v: row) = x + v / (1 + alpha(x))
}

// CHECK-LABEL: geo.formula @leaky(%x: row, %slope: number) {
// CHECK:   arith.cmpf olt
// CHECK:   arith.select
geo.formula @leaky(x: row, slope: number) = select(0 < slope, slope, 1) * x

// CHECK-LABEL: geo.formula @square(%x: row, %s: number) {
// CHECK: } vjp(%x: row, %s: number, %ct: number) {
geo.formula @square(x: row, s: number) = s * dot(x, x) vjp(ct: number) {
  yield 2 * ct * s * x, ct * sqnorm(x)
}

// CHECK-LABEL: geo.formula @as_ops(%x: row, %e: column) {
// CHECK-NEXT:   [[R:%.*]] = geo.dot %x, %e : vector<[1]xf64>
// CHECK-NEXT:   geo.yield [[R]] : f64
geo.formula @as_ops(%x: row, %e: column) {
  %0 = geo.dot %x, %e : vector<[1]xf64>
  geo.yield %0 : f64
}

// All operators and functions of infix.
// CHECK-LABEL: geo.formula @everything
// CHECK: geo.epsilon
// CHECK: geo.row_length
// CHECK: geo.detach
// CHECK: geo.call @poincare::@add({{.*}}) : (vector<[1]xf64>, vector<[1]xf64>, f64) -> vector<[1]xf64>
// CHECK: arith.maximumf {{.*}} : vector<[1]xf64>
geo.formula @everything(x: row, y: row, s: number) {
  let a = epsilon(x) + length(x) - -s / 2.5e-1
  let b = sqrt(exp(log(tanh(sin(cos(asin(detach(a))))))))
  let c = tanhc(a) + artanhc(a) + asinhc(a) + sinhc(a) + coshq(a) + sinc(a) + cosq(a) + asinc(a)
  let z = poincare.add(x, y, s)
  let w = (1 - 3 * 2) * max(z, 0) / a + min(y, x) * x - 1 / exp(y)
  yield select(b > c, w, x)
}

// CHECK-LABEL: func @use
func.func @use(%x: tensor<?x8xf32, #geo.manifold<@stretched, 2.0, "k">>,
               %e: tensor<5x8xf32>, %s: f64, %n: tensor<?xf64>, %b: tensor<8xf32>, %ids: tensor<?xi32>) {
  %p = geo.coords %x : tensor<?x8xf32, #geo.manifold<@stretched, 2.0, "k">> -> tensor<?x8xf32>
  // CHECK: geo.apply @leaky(%{{.*}}, %{{.*}}) : (tensor<?x8xf32>, f64) -> tensor<?x8xf32>
  %0 = geo.apply @leaky(%p, %s) : (tensor<?x8xf32>, f64) -> tensor<?x8xf32>
  // CHECK: geo.apply @square(%{{.*}}, %{{.*}}) : (tensor<?x8xf32>, tensor<?xf64>) -> tensor<?xf64>
  %1 = geo.apply @square(%p, %n) : (tensor<?x8xf32>, tensor<?xf64>) -> tensor<?xf64>
  // CHECK: geo.apply @everything
  %2 = geo.apply @everything(%p, %b, %s) : (tensor<?x8xf32>, tensor<8xf32>, f64) -> tensor<?x8xf32>
  // CHECK: geo.apply_pairs @as_ops(%{{.*}}, %{{.*}}) nll targets(%{{.*}} : tensor<?xi32>) math f32 : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?xf64>
  %3 = geo.apply_pairs @as_ops(%p, %e) nll targets(%ids : tensor<?xi32>) math f32 : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?xf64>
  // CHECK: geo.fn_apply @functions::@relu(%{{.*}}) curvature(%{{.*}})
  %4 = geo.fn_apply @functions::@relu(%x) curvature(%s) : tensor<?x8xf32, #geo.manifold<@stretched, 2.0, "k">> -> tensor<?x8xf32, #geo.manifold<@stretched, 2.0, "k">>
  return
}

// CHECK-LABEL: func @product
// CHECK-SAME: #geo.product<#geo.poincare<1.0> x 3, #geo.manifold<@stretched, 2.0, "k"> x 5>
func.func @product(%x: tensor<?x8xf32, #geo.product<#geo.poincare<1.0> x 3, #geo.manifold<@stretched, 2.0, "k"> x 5>>) {
  return
}
