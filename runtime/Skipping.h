// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a decoder's gradient whose probabilities are all too small to count.
#ifndef GEOC_RUNTIME_SKIPPING_H
#define GEOC_RUNTIME_SKIPPING_H

#include <cstdint>

/// 1 if generated code leaves such tiles out, else 0.
extern "C" int64_t geo_rt_skips_tiles();
/// Adds to the counts.
extern "C" void geo_rt_count_tiles(int64_t tiles, int64_t counting);

namespace geo::rt {

/// True at the start. Results do not depend on it, only time does.
void setSkipping(bool skips);

struct TileCounts {
  int64_t tiles = 0;
  /// With a pair that counts.
  int64_t counting = 0;
  /// Of the tiles, left out.
  double skippedShare() const {
    return tiles == 0 ? 0.0
                      : static_cast<double>(tiles - counting) /
                            static_cast<double>(tiles);
  }
};

/// The counts since the last call. Any thread.
TileCounts takeTileCounts();

} // namespace geo::rt

#endif // GEOC_RUNTIME_SKIPPING_H
