// RUN: %python %S/../frontend/tools/Inputs/exit_code.py 2 geoc %s --target=loops --emit=llvm 2>&1 | FileCheck %s
// RUN: %python %S/../frontend/tools/Inputs/exit_code.py 2 geoc %s --target=cpu --emit=llvm 2>&1 | FileCheck %s

// An index that no dimension has: MLIR's verifier lets it pass.
// CHECK: error: 'tensor.dim' op expects an index below 2, but got 2147483648
func.func @f(%x: tensor<?x?xi32>) -> index {
  %c = arith.constant 2147483648 : index
  %d = tensor.dim %x, %c : tensor<?x?xi32>
  return %d : index
}
