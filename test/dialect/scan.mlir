// RUN: geo-opt %s | geo-opt | FileCheck %s
// RUN: geo-opt --mlir-print-op-generic %s | geo-opt | FileCheck %s

// CHECK-LABEL: func.func @scan
func.func @scan(%h0: tensor<?x8xf32>, %U: tensor<?x?x8xf32>, %I: tensor<?x?xi32>, %W: tensor<8x8xf32>) {
  // CHECK: %{{.*}}:2 = geo.scan init(%[[H:.*]] = %{{.*}} : tensor<?x8xf32>)
  // CHECK-SAME: inputs(%{{.*}} = %{{.*}} : tensor<?x?x8xf32>, %{{.*}} = %{{.*}} : tensor<?x?xi32>)
  // CHECK-SAME: shared(%[[W:.*]] = %{{.*}} : tensor<8x8xf32>) truncate 4 {
  // CHECK: geo.matmul %[[H]], %[[W]]
  // CHECK: geo.yield %{{.*}}, %[[H]] : tensor<?x8xf32>, tensor<?x8xf32>
  // CHECK: } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
  %end, %all = geo.scan init(%h = %h0 : tensor<?x8xf32>)
      inputs(%u = %U : tensor<?x?x8xf32>, %i = %I : tensor<?x?xi32>)
      shared(%w = %W : tensor<8x8xf32>) truncate 4 {
    %a = geo.matmul %h, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    geo.yield %a, %h : tensor<?x8xf32>, tensor<?x8xf32>
  } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)

  // CHECK: geo.scan init({{.*}}) inputs({{.*}}) truncate 2 reverse attributes {tag} {
  %0 = geo.scan init(%h = %h0 : tensor<?x8xf32>) inputs(%u = %U : tensor<?x?x8xf32>) truncate 2 reverse
      attributes {tag} {
    geo.yield %u : tensor<?x8xf32>
  } -> (tensor<?x8xf32>)

  // No states, and points as inputs.
  // CHECK: geo.scan inputs(%{{.*}} = %{{.*}} : tensor<?x?x8xf32>) {
  %1 = geo.scan inputs(%u = %U : tensor<?x?x8xf32>) {
    geo.yield %u : tensor<?x8xf32>
  } -> (tensor<?x?x8xf32>)
  return
}
