// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Symbols.h"

#include "runtime/Allocator.h"
#include "runtime/PointReport.h"
#include "runtime/Skipping.h"
#include "runtime/Threads.h"
#include "runtime/simt/Calls.h"

namespace geo::rt {

std::vector<RuntimeSymbol> runtimeSymbols() {
#define GEOC_SYMBOL(name)                                                      \
  {                                                                            \
    #name, reinterpret_cast<void *>(&name)                                     \
  }
  return {
      GEOC_SYMBOL(_mlir_memref_to_llvm_alloc),
      GEOC_SYMBOL(_mlir_memref_to_llvm_aligned_alloc),
      GEOC_SYMBOL(_mlir_memref_to_llvm_free),
      GEOC_SYMBOL(geo_rt_count_tiles),
      GEOC_SYMBOL(geo_rt_num_threads),
      GEOC_SYMBOL(geo_rt_report_outside),
      GEOC_SYMBOL(geo_rt_skips_tiles),
      GEOC_SYMBOL(geo_simt_allocated),
      GEOC_SYMBOL(geo_simt_barrier),
      GEOC_SYMBOL(geo_simt_check),
      GEOC_SYMBOL(geo_simt_copy),
      GEOC_SYMBOL(geo_simt_cos_f32),
      GEOC_SYMBOL(geo_simt_div_full_f32),
      GEOC_SYMBOL(geo_simt_ex2_f32),
      GEOC_SYMBOL(geo_simt_ex2_ftz_f32),
      GEOC_SYMBOL(geo_simt_freed),
      GEOC_SYMBOL(geo_simt_group),
      GEOC_SYMBOL(geo_simt_launch),
      GEOC_SYMBOL(geo_simt_ldmatrix),
      GEOC_SYMBOL(geo_simt_lg2_f32),
      GEOC_SYMBOL(geo_simt_lg2_ftz_f32),
      GEOC_SYMBOL(geo_simt_mma),
      GEOC_SYMBOL(geo_simt_rcp_f32),
      GEOC_SYMBOL(geo_simt_rcp_ftz_f32),
      GEOC_SYMBOL(geo_simt_rcp_ftz_f64),
      GEOC_SYMBOL(geo_simt_rsqrt_f32),
      GEOC_SYMBOL(geo_simt_rsqrt_f64),
      GEOC_SYMBOL(geo_simt_rsqrt_ftz_f32),
      GEOC_SYMBOL(geo_simt_rsqrt_ftz_f64),
      GEOC_SYMBOL(geo_simt_shuffle),
      GEOC_SYMBOL(geo_simt_shuffle_valid),
      GEOC_SYMBOL(geo_simt_sin_f32),
      GEOC_SYMBOL(geo_simt_sqrt_f32),
      GEOC_SYMBOL(geo_simt_sqrt_ftz_f32),
      GEOC_SYMBOL(geo_simt_tanh_f32),
      GEOC_SYMBOL(geo_simt_wait),
  };
#undef GEOC_SYMBOL
}

} // namespace geo::rt
