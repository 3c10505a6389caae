// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row programs as loops over strips of a row.
#ifndef GEOC_LOWERING_CPU_STRIPS_H
#define GEOC_LOWERING_CPU_STRIPS_H

#include "dialect/Geo.h"
#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// A row program, split by reductions: an op stands one level above the
/// deepest reduction it depends on. Each level is one loop over the row that
/// does all reductions and stores of the level; vectors are computed again
/// where a later level needs them, except expensive ones, which stay in a
/// scratch row.
///
/// A subclass may deal the strips of a row out to several threads: it says how
/// strips run, how a reduction ends, and who reads and writes memory.
class Strips {
public:
  Strips(Gen &g, RowwiseOp op, int64_t lanes);
  virtual ~Strips() = default;

  /// The number of scratch rows that `emitRow` needs, and their element type.
  llvm::ArrayRef<Value> getKept() const { return kept; }

  /// Emits row `row`. `memory` and `outs` are one buffer or number per operand
  /// and result; the buffer of a vector sum is f64 and is added to. `scratch`
  /// is one row buffer per kept value. Returns number sums + `sums`.
  Values emitRow(Value row, ValueRange memory, ValueRange outs,
                 ValueRange scratch, ValueRange sums);

protected:
  /// A strip from element `j` on: returns its reductions, added to `carried`.
  using StripFn =
      llvm::function_ref<Values(Value j, int64_t width, ValueRange carried)>;
  /// Runs all strips of the row and returns the reductions' results.
  virtual Values emitStrips(llvm::ArrayRef<mlir::Operation *> reductions,
                            StripFn emitStrip);
  /// The result of a reduction over the elements of `carried`.
  virtual Value finish(mlir::Operation *reduction, Value carried);
  virtual Value loadVector(Value memref, ValueRange at, VectorType type) {
    return g.loadVector(memref, at, type);
  }
  /// Stores a strip of a result, or a number of one, or adds to a vector sum.
  virtual void storeVector(Value x, Value out, ValueRange at) {
    g.storeVector(x, out, at);
  }
  virtual void storeNumber(Value x, Value out, Value at) {
    g.store(x, out, at);
  }
  /// `sum` + `x` of the row.
  virtual Value addNumber(Value sum, Value x) { return g.fadd(sum, x); }

  static bool isVector(Value v) { return llvm::isa<VectorType>(v.getType()); }
  bool isSum(unsigned result) { return result >= op.getNumRowResults(); }
  /// This strip of a vector, and before it what it is made of.
  Value emitVector(Value v, Value j, int64_t width);
  /// The same where that is there already.
  Value emitOne(Value v, Value j, int64_t width);
  /// A number, or the strip of a vector that has been emitted.
  Value find(Value v) {
    return isVector(v) ? current.lookup(v) : numbers.lookup(v);
  }
  /// True for a kept vector that an earlier level has stored.
  bool isStored(Value v);
  Value loadArgument(mlir::BlockArgument argument, Value j, VectorType type);
  /// A reduction's operand of this strip, added into `carried`.
  Value accumulate(mlir::Operation *reduction, Value carried, Value j,
                   int64_t width);
  Values initial(llvm::ArrayRef<mlir::Operation *> reductions, int64_t width);
  void emitNumbers(unsigned level);
  void emitLevel(unsigned level);
  static bool isReduction(mlir::Operation *op);
  static bool isMaximum(mlir::Operation *reduction);
  /// True if a loop over the row belongs to the level.
  bool hasLoop(unsigned level);
  /// Sets where the row to emit lies, and maps its number arguments.
  void startRow(Value row, ValueRange memory, ValueRange outs,
                ValueRange scratch);

  Gen &g;
  RowwiseOp op;
  mlir::Block &block;
  const int64_t lanes, length;
  unsigned numLevels = 1;
  llvm::DenseMap<Value, unsigned> levels;
  /// The first and the last level where a vector is used.
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> uses;
  Values kept;

  // Of the row being emitted.
  Value row;
  ValueRange memory, outs, scratch;
  unsigned level = 0;
  mlir::IRMapping numbers;
  llvm::DenseMap<Value, Value> current;
};

/// geo.rowwise on this thread's or all threads' rows.
mlir::LogicalResult emitRowwise(Work &work, Gen &g, RowwiseOp op,
                                ValueRange operands, ValueRange outs);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_STRIPS_H
