// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What geo.pairwise and its adjoint share: operands in groups, and the region
// on vectors of pairs, strip by strip.
#ifndef GEOC_LOWERING_CPU_PAIRPROGRAM_H
#define GEOC_LOWERING_CPU_PAIRPROGRAM_H

#include "lowering/cpu/Matmul.h"
#include "lowering/cpu/MicroKernel.h"
#include "lowering/cpu/PairRegion.h"
#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// The operands of either op over buffers.
struct PairOperands {
  PairOperands(PairwiseOp op, ValueRange operands) { set(op, operands); }
  PairOperands(PairwiseGradOp op, ValueRange operands) {
    operands = set(op, operands);
    if (op.getLse())
      lse = operands.front();
    cotangent = operands.back();
  }

  ValueRange xs, ys, rowScalars, columnScalars, shared;
  Value targets, lse, cotangent;
  llvm::SmallVector<GramKind> kinds;
  mlir::Block *block = nullptr;
  Type math;

  unsigned numGrams() const { return kinds.size(); }
  bool isDifference(unsigned k) const { return kinds[k] == GramKind::sqdiff; }

private:
  template <class Op> ValueRange set(Op op, ValueRange operands) {
    auto take = [&](auto range) {
      ValueRange group = operands.take_front(range.size());
      operands = operands.drop_front(range.size());
      return group;
    };
    xs = take(op.getXs());
    ys = take(op.getYs());
    rowScalars = take(op.getRowScalars());
    columnScalars = take(op.getColumnScalars());
    shared = take(op.getShared());
    if (op.getTargets()) {
      targets = operands.front();
      operands = operands.drop_front();
    }
    for (unsigned k = 0; k < op.getNumGrams(); ++k)
      kinds.push_back(op.getGramKind(k));
    block = &op.getBlock();
    math = op.getMathType();
    return operands;
  }
};

/// sum over p of (x_i - y_j)^2 (or x_i y_j) in f64, over vectors of `lanes`.
Value emitExactGram(Gen &g, Value x, Value i, Value y, Value j,
                    bool isDifference, int64_t lanes);

/// A pair program by tiles: matrix products, or sums of squared differences of
/// rows narrower than `math`. Values for a few rows (fewer than a tile has, by
/// their type) come from differences and products straight from the y's, which
/// are read once, where a copy in panels would cost more than it saves. Columns
/// stand in panels of tile.panel(), padded; rows in strips of at most
/// stripRows.
class PairProgram {
public:
  PairProgram(Work &work, Gen &g, PairOperands pair);

  /// Copies of the y's and of what a column needs, for all threads.
  void prepareColumns();
  void freeColumns();

  /// This thread's buffers, for strips of at most `stripRows` rows.
  void startThread(Value stripRows, Value lastRow);
  /// Sets the strip of rows [first, first + count).
  void startStrip(Value first, Value count);

  /// A vector of pairs: row `row` of the strip, global row `i`, columns
  /// [column, column + lanes); lane `offset` of panel `panel` is the first.
  struct Place {
    Value row, i, panel, offset, column;
  };
  struct Pairs {
    PairRegion region;
    /// Per Gram: lanes recomputed by differences (null for a product).
    Values refined;
  };
  using PairsFn = llvm::function_ref<void(const Place &, Pairs &)>;
  using TileFn = llvm::function_ref<void(Value panel, Value row,
                                         llvm::function_ref<void()> visit)>;
  /// For every panel in [p0, p1): start(panel), then body(place, pairs) for all
  /// vectors of the strip's rows (rounded up to whole tiles), then
  /// finish(panel). `onTile`, if given, is called for each tile and calls what
  /// visits it.
  void forPairs(Value p0, Value p1, llvm::function_ref<void(Value)> start,
                PairsFn body, llvm::function_ref<void(Value)> finish,
                TileFn onTile = nullptr);

  /// The global row of a row of the strip; beyond the last one, that.
  Value clampRow(Value row);

  /// From here on, forPairs keeps these values of the region for whole strips,
  /// and visits of pairs after `useKept` take them from there. Called after
  /// startThread.
  void keep(llvm::ArrayRef<Value> values, Value stripRows);
  void useKept(bool use) { usesKept = use; }

  /// Lanes of `place` that are columns of the op.
  Value getColumnMask(const Place &place) {
    return g.maskBelow(g.sub(columns, place.column), lanes);
  }
  /// -infinity where `mask` is not set.
  Value hideMissing(Value z, Value mask) {
    return g.select(mask, z,
                    g.real(vector, -std::numeric_limits<double>::infinity()));
  }

  Work &work;
  Gen &g;
  const PairOperands pair;
  const bool isFew;
  const Tile tile;
  /// Pairs that the region sees at once: some vectors of a row of a panel,
  /// whose chains of operations then overlap.
  const int64_t lanes;
  const VectorType vector;
  Value rows, columns, panels;
  // The current strip.
  Value first, count, tiledCount;

private:
  /// Rows of a narrower type than `math` have their differences taken in that,
  /// pair by pair: a product of them would lose what they agree on.
  bool isNarrow(unsigned k) {
    return Gen::elementOf(pair.xs[k]) != tile.element;
  }
  /// Squared norms of rows and columns, to which a product is added.
  bool needsNorms(unsigned k) { return pair.isDifference(k) && !isFew; }
  void emitGramTile(Value panel, Value row);
  void emitFewGrams(unsigned k, Value panel, ValueRange rows);
  Value refine(unsigned k, Value r, Value isClose, Value i, Value column);
  Pairs emitVector(const Place &place);

  Value lastRow;
  /// Values of the region and their buffers [panels][rows][panel].
  llvm::SmallVector<std::pair<Value, Value>> kept;
  bool usesKept = false;
  Values packed;        // per Gram: y in panels
  Values columnNorms;   // per Gram: |y|^2, or null
  Values columnNumbers; // per column scalar
  Values rowNorms, rowNumbers, gramTiles;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRPROGRAM_H
