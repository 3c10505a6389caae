// RUN: geo-opt %s --geo-differentiate | FileCheck %s

// What each row adds to a number that all steps share is a result of the reverse loop,
// in f64, and summed after it; rounded once to the number's type.
// CHECK-LABEL: func.func private @loss_gradient
// CHECK: geo.scan {{.*}} reverse {
// CHECK: -> (tensor<?x8xf32>, tensor<?x?xf64>)
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}}#1 {{.*}} : tensor<?x?xf64> into tensor<?xf64>
// CHECK: %[[S:.*]] = geo.rowwise rows(%[[R:.*]] = %[[C]] : tensor<?xf64>)
// CHECK-NEXT: geo.yield %[[R]] : f64
// CHECK-NEXT: sums (f64)
// CHECK: %[[T:.*]] = arith.truncf %[[S]] : f64 to f32
// CHECK: return %{{.*}}, %[[T]] : f64, f32
func.func private @loss(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %c: f32) -> f64 {
  %last = geo.scan init(%s = %h : tensor<?x8xf32>) inputs(%u = %x : tensor<?x?x8xf32>) shared(%k = %c : f32) {
    %n = geo.rowwise rows(%pr = %s : tensor<?x8xf32>, %ur = %u : tensor<?x8xf32>) shared(%kk = %k : f32) {
      %b = vector.broadcast %kk : f32 to vector<8xf32>
      %m = arith.mulf %b, %pr : vector<8xf32>
      %a = arith.addf %m, %ur : vector<8xf32>
      geo.yield %a : vector<8xf32>
    } -> (tensor<?x8xf32>)
    geo.yield %n : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  %sum = geo.rowwise rows(%r = %last : tensor<?x8xf32>) {
    %q = geo.dot %r, %r : vector<8xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %sum : f64
}
func.func @step(%h: tensor<?x8xf32>, %x: tensor<?x?x8xf32>, %c: f32) -> (f64, f32) {
  %l, %dw = geo.gradient @loss(%h, %x, %c) wrt [2] : (tensor<?x8xf32>, tensor<?x?x8xf32>, f32) -> (f64, f32)
  return %l, %dw : f64, f32
}
