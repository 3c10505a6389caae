// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of a pair program in f32, and its state while it is built.
#ifndef GEOC_LOWERING_CPU_PAIRBACKWARD_H
#define GEOC_LOWERING_CPU_PAIRBACKWARD_H

#include "lowering/cpu/Pairwise.h"

namespace geo::cpu {

class Backward {
public:
  Backward(Work &work, Gen &g, PairwiseGradOp op, ValueRange operands,
           ValueRange outs)
      : work(work), g(g), program(work, g, PairOperands(op, operands)),
        tile(program.tile), reducer(op.getReducer()), outs(outs) {}

  void emit();

private:
  unsigned numArguments() { return program.pair.block->getNumArguments(); }
  unsigned numDifferences() {
    return llvm::count(program.pair.kinds, GramKind::sqdiff);
  }
  /// rowsum(A_k) of differences, row scalars, shared numbers; for nll last, the
  /// sum of p over the columns that are not the target.
  unsigned numRowQuantities() {
    return numDifferences() + program.pair.rowScalars.size() +
           program.pair.shared.size() + (reducer == Reducer::nll);
  }
  /// colsum(A_k) of differences, column scalars.
  unsigned numColumnQuantities() {
    return numDifferences() + program.pair.columnScalars.size();
  }
  /// Panels that a row of x_k takes.
  Value depthPanels(unsigned k) {
    return g.ceilDiv(g.dim(program.pair.xs[k], 1), g.idx(tile.panel()));
  }

  // For all threads.
  void allocate(Value count);
  void packColumns();
  void combine(Value count);
  void release();

  // One thread.
  void startThread(Value tid);
  void startStrip();
  void zeroRow(Value memref, Value row);
  Value emitCotangentSum(Value i);
  void finishStrip();
  void emitTarget(Value row, Value i);
  void storeRow(Value row, Value i);

  // One block of panels of a strip.
  void emitBlock(Value p0, Value p1);
  Value emitLogitGradient(const PairProgram::Place &place, Value z, Value mask,
                          Value isTarget);
  void emitPairs(const PairProgram::Place &place,
                 const PairProgram::Pairs &pairs);
  void emitSpecial(const PairProgram::Place &place, ValueRange refined,
                   Value isTarget, Value mask, ValueRange terms,
                   ValueRange partials);
  void addByDifference(unsigned k, Value row, Value i, Value j, Value a);
  void addToRow(unsigned quantity, Value row, Value x);
  void addToColumn(unsigned quantity, Value offset, Value x);
  void emitProductForX(unsigned k, Value p0, Value p1);
  void emitProductForY(unsigned k, Value p0, Value p1);

  Work &work;
  Gen &g;
  PairProgram program;
  const Tile &tile;
  const Reducer reducer;
  ValueRange outs;

  Value stripRows, blockPanels, blockStart, threadId;
  /// Per Gram: y in panels along d, and per thread what dY needs.
  Values packedY, yPartials;
  /// Per column quantity [T, V], per shared number [T], in f64.
  Values columnPartials, sharedPartials;
  // Of the thread.
  Values yParts, sharedParts;
  /// Per quantity: vectors of f32 of a block, and f64 of the strip or thread.
  llvm::SmallVector<std::pair<Value, Value>> rowSums, columnSums;
  /// Per Gram: A of the block in panels, A Y, and x of the strip in panels.
  Values coefficients, products, packedRows;
  Value cotangents, targetPartials, lseHigh, lseLow;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRBACKWARD_H
