// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from geo to geo, and their registration.
#ifndef GEOC_PASSES_PASSES_H
#define GEOC_PASSES_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace geo {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace geo

#endif // GEOC_PASSES_PASSES_H
