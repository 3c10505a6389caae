// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Skipping.h"

#include <atomic>

namespace {
std::atomic<bool> skipping = true;
std::atomic<int64_t> tileCount = 0, countingCount = 0;
} // namespace

extern "C" int64_t geo_rt_skips_tiles() { return skipping ? 1 : 0; }

extern "C" void geo_rt_count_tiles(int64_t tiles, int64_t counting) {
  tileCount += tiles;
  countingCount += counting;
}

namespace geo::rt {

void setSkipping(bool skips) { skipping = skips; }

TileCounts takeTileCounts() {
  return {tileCount.exchange(0), countingCount.exchange(0)};
}

} // namespace geo::rt
