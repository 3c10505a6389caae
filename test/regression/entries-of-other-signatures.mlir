// RUN: geo-opt %s --geo-create-entries --split-input-file --verify-diagnostics
// RUN: not geo-opt %s --geo-mark-noalias --split-input-file 2>&1 | FileCheck %s

// Passes by themselves meet functions that the pipelines do not give them.
// expected-error @+1 {{expects buffers and numbers as arguments, but got 'tensor<2xf32>'}}
func.func @tensors(%x: tensor<2xf32>) {
  return
}

// -----

// expected-error @+1 {{expects to write its results to arguments, but got results of type 'f64'}}
func.func @result(%x: f64) -> f64 {
  return %x : f64
}

// -----

// expected-error @+1 {{expects a result that is a number to be a memref of rank 0, but got 'f64'}}
func.func @number(%x: f64 {geo.number}) {
  return
}

// -----

// CHECK: 'llvm.func' op expects pointers in the places of geo.data_pointers, but got place 7
llvm.func @places(%x: !llvm.ptr) attributes {geo.data_pointers = array<i64: 0, 7>} {
  llvm.return
}

// -----

llvm.func @_mlir_memref_to_llvm_noalloc()
