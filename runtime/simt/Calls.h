// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code that the pass geo-simt made of kernels and launches calls. `site`
// is the op that stands behind a call, a text that ends in 0: "gpu.barrier at
// model.mlir:7:3"; sites are compared by address.
#ifndef GEOC_RUNTIME_SIMT_CALLS_H
#define GEOC_RUNTIME_SIMT_CALLS_H

#include <cstdint>

extern "C" {

/// Runs `entry(args, context)` for every thread of the grid; `context` is a
/// geo::rt::simt::ThreadContext. `sizes` is {grid x, y, z, block x, y, z, bytes
/// of static shared memory, of dynamic}. `types` is null, or what `args` leads
/// to, for the check: {number of arguments, then for each its rank, or -1 for a
/// number, and the bytes of an element}.
void geo_simt_launch(void (*entry)(void **, const void *), const char *kernel,
                     const int64_t *sizes, void **args, const int64_t *types,
                     const char *site);

/// All threads of the block meet.
void geo_simt_barrier(const char *site);

/// All lanes of the warp meet. `mode` is mlir::gpu::ShuffleMode: 0 xor, 1 down,
/// 2 up, 3 idx. Returns the bits that the source lane passed as `value`; its
/// own if there is no such lane. `width` is 32: what upstream makes of a
/// smaller one leaves the upper lanes undefined.
int64_t geo_simt_shuffle(const char *site, int32_t mode, int64_t value,
                         int32_t offset, int32_t width);
/// 1 if the last shuffle of this lane had a source lane, else 0.
int32_t geo_simt_shuffle_valid();
}

#endif // GEOC_RUNTIME_SIMT_CALLS_H
