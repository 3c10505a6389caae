// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to object code for this machine.
#ifndef GEOC_LOWERING_CODEGEN_H
#define GEOC_LOWERING_CODEGEN_H

#include "lowering/Compiler.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class TargetMachine;
class raw_ostream;
} // namespace llvm

namespace geo {

/// Registers this machine with LLVM, which its loader needs too.
void initializeHostTarget();

/// A target machine for the CPU that this process runs on, or null after a
/// diagnostic at `module`. Products and sums may fuse on `cpu`; nothing is
/// reassociated.
std::unique_ptr<llvm::TargetMachine> createHostMachine(mlir::ModuleOp module,
                                                       Target target);

/// What of this machine and build the object code depends on.
std::string describeHost();

/// The object code of a module in the LLVM dialect.
mlir::FailureOr<llvm::SmallVector<char, 0>> emitObject(mlir::ModuleOp module,
                                                       Target target);

/// The LLVM IR that the object code is made of, before optimization.
mlir::LogicalResult emitLLVMIR(mlir::ModuleOp module, Target target,
                               llvm::raw_ostream &os);

} // namespace geo

#endif // GEOC_LOWERING_CODEGEN_H
