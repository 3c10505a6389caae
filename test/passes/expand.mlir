// RUN: geo-opt %s --geo-check-points --geo-expand --canonicalize --cse --split-input-file | FileCheck %s
// RUN: geo-opt %s --geo-expand --split-input-file | FileCheck %s --check-prefix=PLAIN
// After expansion no type is a point's.
// PLAIN-NOT: #geo.poincare
// PLAIN-NOT: #geo.euclidean

// A row formula becomes a row program; a constant curvature moves into it.
// CHECK-LABEL: func.func @expmap0
// CHECK-SAME: (%[[V:.*]]: tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK: %[[R:.*]] = geo.rowwise rows(%[[X:.*]] = %[[V]] : tensor<?x4xf32>)
// CHECK: %[[Z:.*]] = geo.dot %[[X]], %[[X]] : vector<4xf32>
// CHECK: geo.even tanhc
// CHECK: %[[Y:.*]] = geo.scale %{{.*}}, %[[X]] : vector<4xf32>
// CHECK: geo.yield %[[Y]] : vector<4xf32>
// CHECK: return %[[R]]
func.func @expmap0(%v: tensor<?x4xf32>) -> tensor<?x4xf32, #geo.poincare<1.0>> {
  %0 = geo.expmap0 %v : tensor<?x4xf32> -> tensor<?x4xf32, #geo.poincare<1.0>>
  return %0 : tensor<?x4xf32, #geo.poincare<1.0>>
}

// -----

// A labelled curvature is a shared operand.
// CHECK-LABEL: func.func @logmap0
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[C:.*]]: f64)
// CHECK: geo.rowwise rows(%{{.*}} = %[[X]] : tensor<?x4xf32>) shared(%{{.*}} = %[[C]] : f64)
// CHECK: geo.even artanhc
func.func @logmap0(%x: tensor<?x4xf32, #geo.poincare<"c">>, %c: f64) -> tensor<?x4xf32> {
  %0 = geo.logmap0 %x curvature(%c) : tensor<?x4xf32, #geo.poincare<"c">> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// In flat space the addition is the vector space's.
// CHECK-LABEL: func.func @flat
// CHECK: geo.rowwise rows(%[[X:.*]] = %{{.*}} : tensor<3x4xf64>, %[[Y:.*]] = %{{.*}} : tensor<3x4xf64>)
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : vector<4xf64>
// CHECK-NEXT: geo.yield %[[S]]
func.func @flat(%x: tensor<3x4xf64, #geo.euclidean>, %y: tensor<3x4xf64, #geo.euclidean>)
    -> tensor<3x4xf64, #geo.euclidean> {
  %0 = geo.mobius_add %x, %y : tensor<3x4xf64, #geo.euclidean>
  return %0 : tensor<3x4xf64, #geo.euclidean>
}

// -----

// The decoder: side scalars per row and column, then one pair program.
// CHECK-LABEL: func.func @decoder
// CHECK-SAME: (%[[H:.*]]: tensor<?x4xf32>, %[[E:.*]]: tensor<50x4xf32>, %[[T:.*]]: tensor<?xi32>, %[[TAU:.*]]: f64, %[[C:.*]]: f64)
// CHECK-DAG: %[[U:.*]] = geo.rowwise rows(%{{.*}} = %[[H]] : tensor<?x4xf32>) shared(%{{.*}} = %[[C]] : f64)
// CHECK-DAG: %[[W:.*]] = geo.rowwise rows(%{{.*}} = %[[E]] : tensor<50x4xf32>) shared(%{{.*}} = %[[C]] : f64)
// CHECK: %[[NLL:.*]]:2 = geo.pairwise nll grams(%{{.*}} = sqdiff %[[H]], %[[E]] : tensor<?x4xf32>, tensor<50x4xf32>)
// CHECK-SAME: row(%{{.*}} = %[[U]] : tensor<?xf64>) column(%{{.*}} = %[[W]] : tensor<50xf64>)
// CHECK-SAME: shared(%{{.*}} = %[[C]] : f64, %{{.*}} = %[[TAU]] : f64) targets(%[[T]] : tensor<?xi32>) math f32
// CHECK: geo.even asinhc %{{.*}} : f32
// CHECK: return %[[NLL]]#0
func.func @decoder(%h: tensor<?x4xf32, #geo.poincare<"c">>, %e: tensor<50x4xf32, #geo.poincare<"c">>,
    %t: tensor<?xi32>, %tau: f64, %c: f64) -> tensor<?xf64> {
  %0 = geo.distance_nll %h, %e targets(%t : tensor<?xi32>) tau(%tau) curvature(%c) math f32
    : tensor<?x4xf32, #geo.poincare<"c">>, tensor<50x4xf32, #geo.poincare<"c">> -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

// All pairs, without scalars in flat space.
// CHECK-LABEL: func.func @all_pairs
// CHECK-NOT: geo.rowwise
// CHECK: geo.pairwise none grams(%[[G:.*]] = sqdiff %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<5x4xf32>) math f64 {
// CHECK-NEXT: %[[D:.*]] = math.sqrt %[[G]] : f64
// CHECK-NEXT: geo.yield %[[D]] : f64
func.func @all_pairs(%x: tensor<3x4xf32, #geo.euclidean>, %y: tensor<5x4xf32, #geo.euclidean>) -> tensor<3x5xf32> {
  %0 = geo.geodesic_dist %x, %y all_pairs : tensor<3x4xf32, #geo.euclidean>, tensor<5x4xf32, #geo.euclidean> -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// Points inside a scan, and types in declarations and attributes.
// CHECK: func.func private @declared(tensor<?x4xf32>)
// CHECK-LABEL: func.func @scan
// CHECK: geo.scan init(%[[H:.*]] = %{{.*}} : tensor<?x4xf32>) inputs(%[[U:.*]] = %{{.*}} : tensor<?x?x4xf32>)
// CHECK: %[[N:.*]] = geo.rowwise rows(%{{.*}} = %[[H]] : tensor<?x4xf32>, %{{.*}} = %[[U]] : tensor<?x4xf32>)
// CHECK: geo.yield %[[N]] : tensor<?x4xf32>
func.func private @declared(tensor<?x4xf32, #geo.poincare<2.0>>)
func.func @scan(%h: tensor<?x4xf32, #geo.poincare<2.0>>, %U: tensor<?x?x4xf32, #geo.poincare<2.0>>)
    -> tensor<?x4xf32, #geo.poincare<2.0>> {
  %0 = geo.scan init(%s = %h : tensor<?x4xf32, #geo.poincare<2.0>>)
      inputs(%u = %U : tensor<?x?x4xf32, #geo.poincare<2.0>>) {
    %n = geo.mobius_add %s, %u : tensor<?x4xf32, #geo.poincare<2.0>>
    geo.yield %n : tensor<?x4xf32, #geo.poincare<2.0>>
  } -> (tensor<?x4xf32, #geo.poincare<2.0>>)
  return %0 : tensor<?x4xf32, #geo.poincare<2.0>>
}
