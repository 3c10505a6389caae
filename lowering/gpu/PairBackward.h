// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of geo.pairwise_grad for one side.
#ifndef GEOC_LOWERING_GPU_PAIRBACKWARD_H
#define GEOC_LOWERING_GPU_PAIRBACKWARD_H

#include "lowering/gpu/PairTile.h"

namespace geo::device {

/// What a side's kernel computes.
struct SideGradients {
  bool ownsX;
  /// Whether this side's tensors of each Gram have a gradient.
  llvm::SmallVector<bool> tensors;
  /// Arguments of the region whose terms are added up by own rows: Grams of
  /// differences (their coefficients), scalars of this side, shared numbers.
  llvm::SmallVector<unsigned> sums;
  /// Columns of the products that a block computes.
  int64_t width;
};

/// Buffers of partial results.
struct SidePartials {
  Values products; ///< per Gram: [splits, own rows, d], or null
  Values sums;     ///< per sum: [splits, own rows] of f64
};

/// Buffers that make G = dL/dz. nll: e^(z - lse) times the cotangent of the
/// row, and at the target minus that times the share of the other columns.
/// softmax: the pair's cotangent less e^(z - lse) times the row's sum of them.
/// none: the pair's cotangent.
struct LogitGradient {
  Reducer reducer;
  Value lseHigh, lseLow; ///< [rows]: lse in two parts, or null
  Value rowFactor;       ///< [rows]: the cotangent, or its sum, or null
  Value share;           ///< [rows], or null
  Value table;           ///< [rows, columns]: cotangents, or null
};

/// Emits the body: per tile, the coefficients A = G dz/dg of its pairs, and
/// their products with the other side's rows.
class PairBackward {
public:
  PairBackward(PairTile &tile, const SideGradients &side,
               const LogitGradient &gradient, const SidePartials &partials);

  /// Before the first tile, after the own rows are set.
  void start(Value split, Value part);
  /// What is carried from tile to tile, at first.
  Values getInitial();
  Values emitTile(ValueRange carried);
  void finish(ValueRange carried);

private:
  using Place = PairTile::Place;

  /// A number per row of the x's: this thread's, or of the other side.
  struct RowNumber {
    Value buffer, own;
    unsigned other = 0;
  };
  RowNumber makeRowNumber(Value buffer);
  Value load(const RowNumber &number, const Place &place);
  Value emitIsTarget(const Place &place, Value mask);
  Value loadCotangents(const Place &place, Value mask);
  Value emitLogitGradient(const Place &place, PairTile::Pairs &pairs,
                          Value isTarget);
  Values emitPairs(const Place &place, PairTile::Pairs &pairs, ValueRange sums);
  void emitSpecial(unsigned k);
  Values emitProduct(unsigned k, ValueRange sums);
  void emitWideProduct(unsigned k);
  /// body(r, c): the elements of the block's part of a product.
  void forElements(llvm::function_ref<void(Value r, Value c)> body);
  /// Whether argument `a` of the region has a use of its partial.
  bool isNeeded(unsigned a) const;
  int64_t numFragments() const { return side.width / 16; }

  PairTile &tile;
  Gen &g;
  const SideGradients &side;
  const LogitGradient &gradient;
  const SidePartials &partials;
  Fragments fragments;
  Value split, part, column, warpRow, warpColumn;
  /// Per Gram: coefficients of pairs that are added by differences, or null;
  /// and per thread whether it has any.
  Values special;
  Value flags;
  RowNumber lseHigh, lseLow, rowFactor, share;
  Value target;
  unsigned otherTargets = 0;
};

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_PAIRBACKWARD_H
