// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register tile of every matrix product, and the panels it reads.
#ifndef GEOC_LOWERING_CPU_MICROKERNEL_H
#define GEOC_LOWERING_CPU_MICROKERNEL_H

#include "lowering/cpu/CpuTarget.h"
#include "lowering/cpu/Gen.h"

namespace geo::cpu {

/// `rows` x `vectors` vectors of `lanes` elements.
struct Tile {
  int64_t rows, vectors, lanes, unroll;
  Type element;

  Tile(const CpuTarget &target, Type element)
      : rows(target.tileRows), vectors(target.tileVectors),
        lanes(element.isF64() ? target.lanes / 2 : target.lanes),
        unroll(target.unroll), element(element) {}
  Tile withRows(int64_t count) const {
    Tile tile = *this;
    tile.rows = count;
    return tile;
  }
  /// Columns of a panel.
  int64_t panel() const { return vectors * lanes; }
  int64_t bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  VectorType vector() const { return Gen::vectorOf(lanes, element); }
};

/// Sums a(r, k) * b(v, k), or (a - b)^2, over k in [lower, upper) into `rows` x
/// `vectors` accumulators, row by row, which start at `init` (zero if empty).
/// `loadA` returns a number, `loadB` a vector. Accumulators are loop-carried
/// values, so they stay in registers whatever LLVM knows about aliasing.
Values emitTile(Gen &g, const Tile &tile, Value lower, Value upper,
                llvm::function_ref<Value(int64_t r, Value k)> loadA,
                llvm::function_ref<Value(int64_t v, Value k)> loadB,
                ValueRange init = {}, bool isDifference = false);

/// Copies rows [k0, k0 + depth) of op(b) into `panels` [N/panel][>= depth]
/// [panel], for panels [p0, p1); the last panel is padded with zeros. op(b) is
/// [K, N]; `b` is its transpose where `isTransposed`. Elements are converted to
/// the tile's.
void emitPack(Gen &g, const Tile &tile, Value b, bool isTransposed, Value k0,
              Value depth, Value panels, Value p0, Value p1);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_MICROKERNEL_H
