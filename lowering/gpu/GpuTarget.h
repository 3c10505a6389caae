// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of what device code depends on, per kind of GPU.
#ifndef GEOC_LOWERING_GPU_GPUTARGET_H
#define GEOC_LOWERING_GPU_GPUTARGET_H

#include "lowering/gpu/Fragments.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace geo {

struct GpuTarget {
  /// As ptxas calls it.
  llvm::StringRef name;
  /// The PTX version that its instructions need, as LLVM calls it.
  llvm::StringRef features;
  /// Per multiprocessor: 32-bit registers, bytes of shared memory, threads,
  /// blocks. A block may have at most `blockShared` bytes.
  int64_t registers, shared, threads, residentBlocks, blockShared;
  /// Blocks that keep the device busy: two for each multiprocessor.
  int64_t blocks;
  ProductMath productMath = ProductMath::tf32x3;
};

/// The entry named `name` ("sm_80", "sm_90a", "sm_100a"), or nothing.
std::optional<GpuTarget> getGpuTarget(llvm::StringRef name);

/// "3xtf32", "tf32" or "bf16".
std::optional<ProductMath> parseProductMath(llvm::StringRef name);

} // namespace geo

#endif // GEOC_LOWERING_GPU_GPUTARGET_H
