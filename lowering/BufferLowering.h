// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From functions of tensors to functions of buffers.
#ifndef GEOC_LOWERING_BUFFERLOWERING_H
#define GEOC_LOWERING_BUFFERLOWERING_H

#include "lowering/ConstructEmitter.h"
#include "mlir/IR/BuiltinOps.h"

namespace geo {

/// Lowers every function of `module` in place. It expects plain tensors, the
/// constructs, number arithmetic, views (collapse, expand, cast) and no calls.
///
/// A tensor argument becomes a memref of identity layout, a number stays; every
/// result becomes a trailing memref argument (rank 0 for a number), which the
/// function writes. No buffer of a result aliases an argument. Each op writes
/// its own buffer, freed after its last use. Nothing is changed if an op is
/// not supported: the diagnostic names it.
mlir::LogicalResult lowerToBuffers(mlir::ModuleOp module,
                                   ConstructEmitter &emitter);

} // namespace geo

#endif // GEOC_LOWERING_BUFFERLOWERING_H
