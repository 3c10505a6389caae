// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_LLVMPASSES_H
#define GEOC_LOWERING_LLVMPASSES_H

#include "llvm/Passes/OptimizationLevel.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace geo {

/// Runs LLVM's default pipeline of `level`.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::OptimizationLevel level);

} // namespace geo

#endif // GEOC_LOWERING_LLVMPASSES_H
