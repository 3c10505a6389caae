// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of a lowered module: how large, and from when to when.
#ifndef GEOC_LOWERING_MEMORYPLAN_H
#define GEOC_LOWERING_MEMORYPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace geo {

/// Prints as JSON, for every function of a module over buffers (the stage
/// `linalg`):
///
///   {"name": "f", "ops": N, "peak_bytes": B or null,
///    "arguments": [{"number", "type", "bytes" or "formula"}],
///    "buffers": [{"type", "bytes" or "formula", "first": i, "last": j,
///                 "per_thread": bool, "location": "file:line:column"}]}
///
/// `first` and `last` number the function's ops in the order in which they
/// stand, nested ones included: the allocation, and the op that frees it (or
/// the last of its block). A size that depends on arguments or on the number of
/// threads has a formula of `dim(k, i)`, size i of argument k, `threads`, and
/// `thread`, the number of the part of the parallel loop that it is in; `/`
/// rounds down.
/// `peak_bytes` is the largest sum of buffers that live at once, those of a
/// thread counted once per thread, on `threads` threads; null if it depends on
/// arguments.
void printMemoryPlan(mlir::ModuleOp module, int64_t threads,
                     llvm::raw_ostream &stream);

} // namespace geo

#endif // GEOC_LOWERING_MEMORYPLAN_H
