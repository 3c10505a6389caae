// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of vector widths and tile sizes per kind of CPU.
#ifndef GEOC_LOWERING_CPU_CPUTARGET_H
#define GEOC_LOWERING_CPU_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace geo {

struct CpuTarget {
  llvm::StringRef name;
  /// Lanes of f32 in a vector of generated code.
  int64_t lanes;
  /// Register tile of a matrix product: rows, and vectors per row. The rows
  /// divide the lanes of all vectors.
  int64_t tileRows;
  int64_t tileVectors;
  /// Steps of the summed dimension that a tile unrolls.
  int64_t unroll;
  /// Elements of the summed dimension that stay in L1 with one panel of B.
  int64_t depth;
  /// Rows of A that a thread works on at a time.
  int64_t blockRows;
  /// Pair programs: vectors that go through a region side by side (a divisor of
  /// tileVectors).
  int64_t pairVectors;
  /// Rows of a strip, and bytes that a strip of logits or of
  /// coefficients may take (L2).
  int64_t stripRows;
  int64_t stripBytes;
  /// Bytes that a strip may keep between the loss and its gradients (a core's
  /// share of L3).
  int64_t keptBytes;

  int64_t getPanel() const { return lanes * tileVectors; }
};

/// The entry named `name` ("avx2", "avx512"), or nothing.
std::optional<CpuTarget> getCpuTarget(llvm::StringRef name);

/// The entry for the CPU that this process runs on.
CpuTarget getHostCpuTarget();

} // namespace geo

#endif // GEOC_LOWERING_CPU_CPUTARGET_H
