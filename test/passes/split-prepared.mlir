// RUN: geo-opt %s --geo-split-prepared="function=step fixed=2" --canonicalize | FileCheck %s
// RUN: not geo-opt %s --geo-split-prepared="function=stop fixed=2" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not geo-opt %s --geo-split-prepared="function=step fixed=9" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not geo-opt %s --geo-split-prepared="function=taken fixed=1" 2>&1 | FileCheck %s --check-prefix=TAKEN

// MISSING: geo-split-prepared expects a function @stop with a body, but got none
// MANY: geo-split-prepared expects at most 5 fixed arguments, but got 9
// TAKEN: geo-split-prepared expects no function @taken.prepare, but got one

// What the rows of %E alone give is computed once: the norms, and the table's product
// after a cast. What has no static size and a view of an argument stay; so does what
// reads the state.
// CHECK-LABEL: func.func @step.prepare
// CHECK-SAME: (%[[E:.*]]: tensor<6x4xf32>, %[[W:.*]]: tensor<?x4xf32>) -> (tensor<6xf64>, tensor<6x4xf32>)
// CHECK: %[[N:.*]] = geo.rowwise rows(%{{.*}} = %[[E]]
// CHECK: %[[P:.*]] = geo.matmul %[[E]]
// CHECK: return %[[N]], %[[P]]
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[E:.*]]: tensor<6x4xf32>, %[[W:.*]]: tensor<?x4xf32>, %[[H:.*]]: tensor<1x4xf32>, %[[I:.*]]: tensor<1xi32>, %[[X:.*]]: f64, %[[N:.*]]: tensor<6xf64>, %[[P:.*]]: tensor<6x4xf32>)
// CHECK-NOT: geo.dot
// CHECK: %[[D:.*]] = geo.rowwise rows(%{{.*}} = %[[W]]
// CHECK: geo.gather %[[P]][%[[I]]]
// CHECK: geo.pairwise {{.*}} column(%{{.*}} = %[[N]]
// CHECK: return {{.*}}, %[[D]], %{{.*}}, %[[N]]
func.func @step(%E: tensor<6x4xf32>, %W: tensor<?x4xf32>, %h: tensor<1x4xf32>, %i: tensor<1xi32>, %x: f64) -> (tensor<1x6xf32>, tensor<?x4xf32>, tensor<1x4xf32>, tensor<6xf64>) {
  %n = geo.rowwise rows(%r = %E : tensor<6x4xf32>) {
    %s = geo.dot %r, %r : vector<4xf32>
    geo.yield %s : f64
  } -> (tensor<6xf64>)
  %d = geo.rowwise rows(%r = %W : tensor<?x4xf32>) {
    %s = arith.addf %r, %r : vector<4xf32>
    geo.yield %s : vector<4xf32>
  } -> (tensor<?x4xf32>)
  %square = tensor.cast %W : tensor<?x4xf32> to tensor<4x4xf32>
  %p = geo.matmul %E, %square : tensor<6x4xf32>, tensor<4x4xf32> -> tensor<6x4xf32>
  %g = geo.gather %p[%i] : tensor<6x4xf32>, tensor<1xi32> -> tensor<1x4xf32>
  %t = geo.pairwise none grams(%a = sqdiff %h, %E : tensor<1x4xf32>, tensor<6x4xf32>) column(%c = %n : tensor<6xf64>) shared(%y = %x : f64) math f32 {
    %q = arith.mulf %a, %c : f32
    %z = arith.mulf %q, %y : f32
    geo.yield %z : f32
  } -> (tensor<1x6xf32>)
  return %t, %d, %g, %n : tensor<1x6xf32>, tensor<?x4xf32>, tensor<1x4xf32>, tensor<6xf64>
}

func.func @taken(%E: tensor<6x4xf32>) -> tensor<6x4xf32> {
  return %E : tensor<6x4xf32>
}
func.func private @taken.prepare()
