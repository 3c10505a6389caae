// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row programs with costly numbers, several rows at once.
#ifndef GEOC_LOWERING_CPU_ROWBLOCKS_H
#define GEOC_LOWERING_CPU_ROWBLOCKS_H

#include "lowering/cpu/Strips.h"

namespace geo::cpu {

/// A row program whose numbers (not its vectors) cost: functions, divisions.
/// Between two levels the numbers of a block of rows are computed at once, as
/// vectors with one lane a row; what they and the vectors exchange lies in
/// buffers of one number a row. A row's results do not depend on its place in
/// the block.
class RowBlocks : public Strips {
public:
  RowBlocks(Gen &g, RowwiseOp op, int64_t lanes);

  /// True if blocks pay for `op`.
  static bool isWorthwhile(RowwiseOp op);

  /// Rows of a block, and of each scratch buffer.
  int64_t getRows() const { return blockRows; }
  /// The element types of the buffers, `getRows` long and zero at first.
  llvm::SmallVector<Type> getBufferTypes();

  /// What does not depend on the row; before the loop over blocks.
  void emitInvariants(ValueRange memory);

  /// Emits rows [first, first + count). As emitRow, with `scratch` of shape
  /// [getRows, row length], `buffers` as above, and one lane a row in `sums`.
  Values emitBlock(Value first, Value count, ValueRange memory, ValueRange outs,
                   ValueRange scratch, ValueRange buffers, ValueRange sums);

private:
  bool isInvariant(Value v) const { return invariants.contains(v); }
  Value getWide(Value v);
  void emitWideNumbers(unsigned level, ValueRange buffers);
  void emitLevelOfRows(unsigned level, Value first, Value count,
                       ValueRange memory, ValueRange outs, ValueRange scratch,
                       ValueRange buffers);

  const int64_t blockRows;
  /// Reductions, and numbers that vectors read: each has a buffer.
  llvm::SetVector<Value> exchanged;
  mlir::IRMapping invariants, wide;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_ROWBLOCKS_H
