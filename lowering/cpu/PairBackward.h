// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a pair program, and its state while it
// is built.
#ifndef GEOC_LOWERING_CPU_PAIRBACKWARD_H
#define GEOC_LOWERING_CPU_PAIRBACKWARD_H

#include "lowering/cpu/Pairwise.h"

namespace geo::cpu {

class Backward {
public:
  Backward(Work &work, Gen &g, PairwiseGradOp op, ValueRange operands,
           ValueRange outs);

  void emit();

private:
  unsigned numArguments() { return program.pair.block->getNumArguments(); }
  // Arguments of the region, by group.
  unsigned firstRow() { return program.pair.numGrams(); }
  unsigned firstColumn() { return firstRow() + program.pair.rowScalars.size(); }
  unsigned firstShared() {
    return firstColumn() + program.pair.columnScalars.size();
  }
  bool isGram(unsigned argument) { return argument < firstRow(); }
  /// Whether the gradient by argument `a` has a use.
  bool isNeeded(unsigned a) {
    return isGram(a) ? usesX[a] || usesY[a]
                     : llvm::is_contained(rowArguments, a) ||
                           llvm::is_contained(columnArguments, a);
  }
  /// The result that argument `a`'s gradient goes to (dX for a Gram).
  unsigned getResult(unsigned a) {
    return isGram(a) ? a : a + program.pair.numGrams();
  }
  /// Of a fused op: the nll that it has as a result.
  Value getLosses() { return outs.drop_back().back(); }
  /// Panels that a row of x_k takes.
  Value depthPanels(unsigned k) {
    return g.ceilDiv(g.dim(program.pair.xs[k], 1), g.idx(tile.panel()));
  }

  // For all threads.
  void allocate(Value count);
  void packColumns();
  void combine(Value count);
  void release();

  /// What a strip keeps from the pass for the loss to the one for gradients, if
  /// it fits; else that recomputes all.
  llvm::SmallVector<Value> chooseKept();

  // One thread.
  void startThread(Value tid);
  void startStrip();
  void zeroRow(Value memref, Value row);
  Value emitCotangentSum(Value i);
  void finishStrip();
  void emitTarget(Value row, Value i);
  void storeRow(Value row, Value i);
  Value emitDifference(Value sum, Value x, Value i, Value p, Value mask,
                       Value product);

  // One block of panels of a strip.
  void emitBlock(Value p0, Value p1);
  Value emitLogitGradient(const PairProgram::Place &place, Value z, Value mask,
                          Value isTarget);
  void emitPairs(const PairProgram::Place &place, PairProgram::Pairs &pairs);
  void emitSpecial(const PairProgram::Place &place, ValueRange refined,
                   Value isTarget, Value mask, ValueRange terms,
                   ValueRange partials);
  void addByDifference(unsigned k, Value row, Value i, Value j, Value a);
  void addToRow(unsigned quantity, Value row, Value x);
  void addToColumn(unsigned quantity, Value offset, Value x);
  void zeroPadding();

  /// body(), or `carried` for a tile that a fused op skips.
  Values ifVisited(Value panel, Value row, ValueRange carried,
                   llvm::function_ref<Values()> body);
  void emitProductForX(unsigned k, Value p0, Value p1);
  void emitProductForY(unsigned k, Value p0, Value p1);

  Work &work;
  Gen &g;
  PairProgram program;
  const Tile &tile;
  const Reducer reducer;
  const bool isFused;
  ValueRange outs;
  /// Which dX_k and dY_k anything reads.
  llvm::SmallVector<bool> usesX, usesY;
  /// The op's own, or where a fused op puts it.
  Value lse;
  LogSum sums;
  Value targetLogits;
  TileSkips skips;
  /// Values of the region that a strip keeps.
  llvm::SmallVector<Value> kept;
  /// Arguments whose terms are summed over rows and over columns: A_k of
  /// differences, and scalars whose gradient anything reads.
  llvm::SmallVector<unsigned> rowArguments, columnArguments;

  Value stripRows, blockPanels, blockStart, threadId;
  /// Per Gram: y in panels along d, and per thread what dY needs.
  Values packedY, yPartials;
  /// Per column argument [T, V], per shared number [T] (null if not read), in
  /// f64.
  Values columnPartials, sharedPartials;
  // Of the thread.
  Values yParts;
  /// Per argument: vectors of `math` of a block, and f64 of the strip or
  /// thread. For nll the last row sum is of p over the columns that are not the
  /// target.
  llvm::SmallVector<std::pair<Value, Value>> rowSums, columnSums;
  /// Per Gram: A of the block in panels, A Y, and x of the strip in panels.
  Values coefficients, products, packedRows;
  Value cotangents, targetPartials, lseHigh, lseLow;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRBACKWARD_H
