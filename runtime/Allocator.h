// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_ALLOCATOR_H
#define GEOC_RUNTIME_ALLOCATOR_H

#include <cstddef>
#include <cstdint>

/// What finalize-memref-to-llvm{use-generic-functions} calls. Memory comes
/// from a pool shared by all threads: a freed block is kept for the next
/// request of its size class, so that a training step touches no fresh pages
/// after the first. Out of memory ends the process with a message, since
/// generated code has no way to report it.
extern "C" {
void *_mlir_memref_to_llvm_alloc(size_t size);
/// `alignment` is a power of two.
void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t size);
/// Null is allowed; any other pointer must come from the two above.
void _mlir_memref_to_llvm_free(void *pointer);
}

namespace geo::rt {

/// Every block of the pool is aligned to this many bytes, or more on request.
constexpr size_t poolAlignment = 64;

/// As the C functions, but null when memory is short.
void *poolAllocate(size_t size, size_t alignment = poolAlignment);
void poolFree(void *pointer);

struct PoolStatistics {
  int64_t currentBytes;  ///< requested and not yet freed
  int64_t peakBytes;     ///< largest currentBytes since the last reset
  int64_t reservedBytes; ///< held from the system: in use, cached, headers
  int64_t systemCalls;   ///< blocks taken from the system so far
};

PoolStatistics poolStatistics();
/// Starts a new peak at the current number of bytes.
void resetPoolPeak();
/// Gives cached blocks back to the system; blocks in use stay.
void releasePoolCache();

} // namespace geo::rt

#endif // GEOC_RUNTIME_ALLOCATOR_H
