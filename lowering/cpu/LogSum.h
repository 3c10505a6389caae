// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// log sum exp of rows that arrive by vectors, in one visit.
#ifndef GEOC_LOWERING_CPU_LOGSUM_H
#define GEOC_LOWERING_CPU_LOGSUM_H

#include "lowering/cpu/MicroKernel.h"
#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// Per row and lane the largest z so far, and the sum over the others of e^(z -
/// max) in f64. The largest term stays out of the sum and goes into a log1p: a
/// loss near zero keeps its digits.
class LogSum {
public:
  LogSum(Work &work, Gen &g, const Tile &tile) : work(work), g(g), tile(tile) {}

  /// This thread's buffers, for strips of at most `stripRows` rows.
  void startThread(Value stripRows);
  /// Forgets the rows [0, rows) of the strip.
  void startStrip(Value rows);
  /// Adds vectors, side by side in `z`, to row `row`; -infinity in lanes that
  /// are not there.
  void add(Value row, Value z);

  /// The largest z of the row so far; the lowest finite number if there is
  /// none.
  Value getMaximum(Value row);

  struct Total {
    /// The largest z, and log(sum exp(z - max)), in f64. NaN if there is none
    /// above -infinity.
    Value max, tail;
  };
  Total finish(Value row);

private:
  Work &work;
  Gen &g;
  const Tile &tile;
  Value maxima, sums;
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_LOGSUM_H
