// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of geo.pairwise and its adjoint share: Grams of a tile of
// pairs in workgroup memory, and the region on them.
#ifndef GEOC_LOWERING_GPU_PAIRTILE_H
#define GEOC_LOWERING_GPU_PAIRTILE_H

#include "lowering/cpu/PairProgram.h"
#include "lowering/gpu/Fragments.h"
#include "lowering/gpu/Workgroup.h"

namespace geo::device {

using cpu::PairRegion;
using mlir::Type;
using mlir::VectorType;

/// The operands of a pair program from one side. A kernel's blocks own rows of
/// one side (the x's for values and dX, the y's for dY) and go through the
/// tiles of the other.
struct PairSide {
  ValueRange tensors; ///< [rows, d_k] per Gram
  Values norms;       ///< [rows] per Gram: |.|^2 in f64, or null
  ValueRange scalars; ///< [rows] per argument of this side
};

/// A tile of pairs: `rows` of the own side by `columns` of the other, on
/// `threads` threads. Four threads share an own row; each takes four
/// neighbouring columns of every sixteen.
class PairTile {
public:
  static constexpr int64_t rows = 64, columns = 64, threads = 256, lanes = 4;
  /// Of a row of a tile in workgroup memory: no two lanes of a fragment meet in
  /// one bank.
  static constexpr int64_t stride = columns + 4;

  /// For the kernel that is being built; `ownsX` says whose rows a block owns.
  PairTile(Gen &g, Workgroup &memory, ProductMath productMath,
           const cpu::PairOperands &pair, PairSide x, PairSide y, bool ownsX);

  /// Sets the own rows [first, first + rows), of which the last may not exist.
  void startRows(Value first);
  /// Numbers of the other side that `body` needs beside its scalars: each of
  /// the tile's columns has them in workgroup memory, as the program's type.
  unsigned addOtherNumber(Value memref);
  unsigned addOtherIndex(Value memref);

  /// Grams and numbers of the tile of columns [first, first + columns). Starts
  /// and ends with a barrier, and so do all that write for others to read.
  void startTile(Value first);

  /// Four pairs: own row `row` of the tile (global row `i`), columns [column,
  /// column + 4) of the tile.
  struct Place {
    Value row, i, column;
  };
  struct Pairs {
    PairRegion region;
    /// Per Gram: lanes whose value was recomputed by differences, or null.
    Values refined;
    /// Pairs that exist.
    Value mask;
  };
  /// body(place, pairs, carried) for each four pairs of this thread.
  Values
  forPairs(ValueRange carried,
           llvm::function_ref<Values(const Place &, Pairs &, ValueRange)> body);
  /// The same without carried values.
  void forPairs(llvm::function_ref<void(const Place &, Pairs &)> body);

  Value loadOther(unsigned number, const Place &place);
  Value loadOtherIndex(unsigned index, const Place &place);
  /// The global columns of four pairs, i32.
  Value emitColumns(const Place &place);

  /// True where all is done in f64 and by differences, without tensor cores.
  bool isWide() const { return element.isF64(); }
  bool isDifference(unsigned k) const { return pair.isDifference(k); }
  bool needsNorms(unsigned k) const { return isDifference(k) && !isWide(); }
  unsigned numGrams() const { return pair.numGrams(); }
  /// The tile of Gram k, [rows][stride].
  Value getTile(unsigned k) const { return tiles[k]; }
  Type elementType() const { return element; }
  /// Of Gram k, the other side's global row of column `column` of the tile; the
  /// last one for those beyond.
  Value otherRow(Value column);

  Gen &g;
  Workgroup &memory;
  const cpu::PairOperands &pair;
  const ProductMath productMath;
  const bool ownsX;
  const PairSide own, other;
  const Type element;
  const VectorType vector;
  Value thread, lane, warp;
  /// How many rows either side has.
  Value ownCount, otherCount;
  /// How many tiles of the other side belong to each split.
  Value tilesPerSplit;
  // Of this thread: its row in the tile, its place among the row's threads, and
  // its global row, clamped; whether that exists.
  Value row, quad, i, exists;
  // Of the current tile.
  Value ownFirst, otherFirst;
  /// Staged rows, to be overlaid between tiles: [2][..].
  Value getStage(llvm::ArrayRef<int64_t> shape, Type type);

private:
  void stageNumbers();
  void emitGram(unsigned k);
  void emitWideGram(unsigned k);
  Value refine(unsigned k, Value r, Value isClose, const Place &place);
  Pairs emitPairs(const Place &place);
  Value emitExact(unsigned k, Value column);

  Values tiles, numbers, numberBuffers, indices, indexBuffers;
  Values ownNumbers, ownNorms;
  llvm::SmallVector<int> otherNorms;
  unsigned firstOtherScalar = 0;
  int64_t stageAt = 0;
};

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_PAIRTILE_H
