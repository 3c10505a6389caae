// RUN: geo-opt %s --geo-fuse-rowwise --geo-widen-rows --remarks-filter=fusion --remark-policy=all 2>&1 -o /dev/null | FileCheck %s
// RUN: geoc %s --emit=fused --remarks=fusion -o %t.mlir 2>&1 | FileCheck %s
// RUN: geoc %s --emit=fused -o - 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: not geoc %s --emit=fused --remarks=vectors 2>&1 | FileCheck %s --check-prefix=USAGE

// Each candidate of a fusion is mentioned, with what happened or why not.
// USAGE: geoc: expects --remarks=fusion, but got vectors
// QUIET-NOT: remark
// QUIET: geo.rowwise
func.func @merged(%x: tensor<?x8xf32>, %s: f64) -> tensor<?x8xf32> {
  // CHECK-DAG: remarks.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Passed] fuse-rowwise | Category:fusion | Function=merged | Remark="merged into the program that reads its rows"
  %a = geo.rowwise rows(%xr = %x : tensor<?x8xf32>) shared(%sr = %s : f64) {
    %y = geo.scale %sr, %xr : vector<8xf32>
    geo.yield %y : vector<8xf32>
  } -> (tensor<?x8xf32>)
  %b = geo.rowwise rows(%ar = %a : tensor<?x8xf32>) {
    %y = math.tanh %ar : vector<8xf32>
    geo.yield %y : vector<8xf32>
  } -> (tensor<?x8xf32>)
  return %b : tensor<?x8xf32>
}

func.func @sum(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-DAG: remarks.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Missed] fuse-rowwise | Category:fusion | Function=sum | Remark="what reads its rows reads its sums too, complete only after the last row"
  %y, %s = geo.rowwise rows(%xr = %x : tensor<8x8xf32>) {
    %q = geo.dot %xr, %xr : vector<8xf32>
    %t = math.tanh %xr : vector<8xf32>
    geo.yield %t, %q : vector<8xf32>, f64
  } -> (tensor<8x8xf32>) sums (f64)
  %z = geo.rowwise rows(%yr = %y : tensor<8x8xf32>) shared(%sr = %s : f64) {
    %v = geo.scale %sr, %yr : vector<8xf32>
    geo.yield %v : vector<8xf32>
  } -> (tensor<8x8xf32>)
  return %z : tensor<8x8xf32>
}

func.func @lengths(%x: tensor<?x8xf32>, %z: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK-DAG: remarks.mlir:[[#@LINE+1]]:{{[0-9]+}}: remark: [Missed] fuse-rowwise | Category:fusion | Function=lengths | Remark="its rows have another length
  %n = geo.rowwise rows(%xr = %x : tensor<?x8xf32>) {
    %q = geo.dot %xr, %xr : vector<8xf32>
    geo.yield %q : f64
  } -> (tensor<?xf64>)
  %a = geo.rowwise rows(%zr = %z : tensor<?x4xf32>, %nr = %n : tensor<?xf64>) {
    %v = geo.scale %nr, %zr : vector<4xf32>
    geo.yield %v : vector<4xf32>
  } -> (tensor<?x4xf32>)
  return %a : tensor<?x4xf32>
}
