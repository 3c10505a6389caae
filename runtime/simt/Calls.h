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

/// mma.sync, PTX ISA: all 32 lanes meet, each with its fragments of A, B and C,
/// in the order of the ISA's tables, and room for D at `d`. `kind` is a
/// geo::rt::simt::MmaKind; k is 4, 8 or 16.
void geo_simt_mma(const char *site, int32_t kind, int32_t k, const void *a,
                  const void *b, const void *c, void *d);
/// ldmatrix of `tiles` (1, 2 or 4) 8x8 matrices of 16-bit elements: `row` is
/// what this lane names; 4 bytes for each tile go to `d`.
void geo_simt_ldmatrix(const char *site, const char *row, int32_t tiles,
                       int32_t transpose, char *d);

/// cp.async: the first `sourceBytes` of `bytes` (4, 8 or 16) are copied, the
/// rest is 0. They arrive at the wait that covers them.
void geo_simt_copy(const char *site, char *to, const char *from, int64_t bytes,
                   int64_t sourceBytes);
/// The copies since the last call are a group.
void geo_simt_group();
/// Waits until at most `pending` groups have not arrived.
void geo_simt_wait(int32_t pending);

/// The check of one access, before it happens: of `count` elements of
/// `elementBytes` from `address` on those whose bit of `mask` is set. `kind` is
/// a geo::rt::simt::Access, or -1 for memory of the thread alone. `isInside`
/// says whether all indices but for the length of the vector are inside of the
/// memref, `room` how many elements its last dimension has from the last index
/// on. `alignment` is in bytes; 1: any.
void geo_simt_check(const char *site, const char *address, int32_t elementBytes,
                    int32_t count, int64_t mask, int32_t kind,
                    int64_t alignment, int32_t isInside, int64_t room);
/// Memory of the device comes and goes; told under the check only.
void geo_simt_allocated(const char *base, int64_t bytes);
void geo_simt_freed(const char *base);

/// Instructions of the PTX ISA with fewer good bits than their type has.
float geo_simt_rcp_f32(float x);
float geo_simt_rcp_ftz_f32(float x);
double geo_simt_rcp_ftz_f64(double x);
float geo_simt_div_full_f32(float x, float y);
float geo_simt_rsqrt_f32(float x);
float geo_simt_rsqrt_ftz_f32(float x);
double geo_simt_rsqrt_f64(double x);
double geo_simt_rsqrt_ftz_f64(double x);
float geo_simt_sqrt_f32(float x);
float geo_simt_sqrt_ftz_f32(float x);
float geo_simt_ex2_f32(float x);
float geo_simt_ex2_ftz_f32(float x);
float geo_simt_lg2_f32(float x);
float geo_simt_lg2_ftz_f32(float x);
float geo_simt_sin_f32(float x);
float geo_simt_cos_f32(float x);
float geo_simt_tanh_f32(float x);
}

namespace geo::rt::simt {

/// The types of A and B, and of C and D where these are not f32.
enum class MmaKind : int32_t { f16, bf16, tf32, f64, f16f16 };

} // namespace geo::rt::simt

#endif // GEOC_RUNTIME_SIMT_CALLS_H
