// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a decoder whose probabilities are all too small to count.
#ifndef GEOC_LOWERING_CPU_TILESKIPS_H
#define GEOC_LOWERING_CPU_TILESKIPS_H

#include "lowering/cpu/LogSum.h"

namespace geo::cpu {

/// A tile (tile.rows rows of a strip by a panel of columns) counts if it holds
/// a target, or if a probability in it may reach u / V of what its row has off
/// the target, where u is half an ulp of 1 at the least (2^-25; in f64, 2^-54):
/// V smaller ones together do not change the row's sum. The probabilities of
/// the other tiles are zero for the gradient; the runtime says whether they are
/// visited all the same (runtime/Skipping.h), which changes no result.
class TileSkips {
public:
  TileSkips(Work &work, Gen &g, const Tile &tile)
      : work(work), g(g), tile(tile) {}

  // At function level, before and after the threads.
  void start(Value threads);
  void finish(Value threads);

  /// Buffers of thread `tid`, for strips of at most `stripRows` rows.
  void startThread(Value tid, Value panels, Value stripRows);

  // While the loss visits the rows [rows] of a strip.
  void startStrip(Value rows);
  void startTile();
  void add(Value row, Value z);
  void addTarget();
  void finishTile(Value panel, Value row);
  void finishPanel(Value panel, Value rows, LogSum &sums);

  /// Once the losses [rows] of a strip are known: getLoss(row) in f64, of
  /// `columns` columns.
  void decide(Value rows, Value columns,
              llvm::function_ref<Value(Value)> getLoss);

  // While the gradient visits the tile of row `row` of the strip.
  Value doesCount(Value panel, Value row);
  void ifVisited(Value panel, Value row, llvm::function_ref<void()> body);
  /// body(), or `carried` if the tile is not visited.
  Values ifVisited(Value panel, Value row, ValueRange carried,
                   llvm::function_ref<Values()> body);

private:
  Value isVisited(Value panel, Value row);
  Value getTile(Value row) { return g.div(row, g.idx(tile.rows)); }
  Value emitCutoff(Value loss, Value columns);

  Work &work;
  Gen &g;
  const Tile &tile;
  Value visitsAll;
  /// [threads, 8]: tiles, and those that count.
  Value counts, thread;
  /// Per row a lower bound of lse. z less that: the largest of the current tile
  /// by lanes, and of all tiles [panels, tiles]. Per tile of rows the log
  /// probability that counts.
  Value references, gaps, bounds, cutoffs;
  /// [panels, tiles] of i8.
  Value flags;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_TILESKIPS_H
