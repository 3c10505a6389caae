// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows the steps of a geo.scan work on.
#ifndef GEOC_LOWERING_SCANROWS_H
#define GEOC_LOWERING_SCANROWS_H

#include "dialect/Geo.h"
#include "llvm/ADT/SmallSet.h"

namespace geo {

/// How the body of a scan sees its tensors.
struct ScanRows {
  explicit ScanRows(ScanOp op);

  /// Inputs whose slice no row program, product or gather sees row by row.
  llvm::SmallSet<unsigned, 4> wholeInputs;
  /// Inputs of rows [T, B, d] that steps yield as they are.
  llvm::SmallSet<unsigned, 4> yieldedInputs;
  /// True if steps yield other tensors from outside, whose rows may be none of
  /// the batch.
  bool yieldsOthers = false;
  /// True where no row depends on another one: states, other inputs and what
  /// steps compute are seen row by row, and so they can be split.
  bool canSplit = true;
};

} // namespace geo

#endif // GEOC_LOWERING_SCANROWS_H
