// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions of the host may do: allocate, launch, and index arithmetic.
#ifndef GEOC_LOWERING_GPU_HOSTNUMBERS_H
#define GEOC_LOWERING_GPU_HOSTNUMBERS_H

#include "lowering/gpu/GpuTarget.h"
#include "mlir/IR/BuiltinOps.h"

namespace geo::device {

/// Brings arithmetic on numbers from the functions of `module` into kernels.
/// What a kernel takes that depends on device memory or is a float, each of its
/// threads computes; what a function stores, a kernel of one thread does. After
/// it, functions hold allocations, views, index arithmetic on sizes and
/// launches only; a size that depends on device memory is an error.
mlir::LogicalResult sinkNumbers(mlir::ModuleOp module, const GpuTarget &target);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_HOSTNUMBERS_H
