// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that lower geo, and their registration.
#ifndef GEOC_LOWERING_PASSES_H
#define GEOC_LOWERING_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace geo {

/// A number result that became an out buffer has this argument attribute.
constexpr llvm::StringLiteral numberResultAttr = "geo.number";
/// Prefix of the entry of a function.
constexpr llvm::StringLiteral entryPrefix = "geo_entry_";

#define GEN_PASS_DECL
#include "lowering/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lowering/Passes.h.inc"

} // namespace geo

#endif // GEOC_LOWERING_PASSES_H
