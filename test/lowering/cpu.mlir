// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: geo-opt %s --geo-lower-to-cpu=machine=avx2 --canonicalize | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: geo-opt %s --geo-lower-to-cpu=machine=avx512 --canonicalize | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: not geo-opt %s --geo-lower-to-cpu=machine=abacus 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: expects machine avx2 or avx512, but got abacus

// Rows are split among threads, and each row among lanes.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: geo.rowwise
// CHECK: call @geo_rt_num_threads
// CHECK: scf.parallel
// AVX2: vector<8xf32>
// AVX512: vector<16xf32>
func.func @rows(%X: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %y = geo.rowwise rows(%x = %X : tensor<?x96xf32>) {
    %n = geo.dot %x, %x : vector<96xf32>
    %z = geo.scale %n, %x : vector<96xf32>
    geo.yield %z : vector<96xf32>
  } -> (tensor<?x96xf32>)
  return %y : tensor<?x96xf32>
}
