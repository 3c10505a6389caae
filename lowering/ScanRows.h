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

  /// Inputs whose slice every row sees whole.
  llvm::SmallSet<unsigned, 4> wholeInputs;
  /// True where no row depends on another one: states, other inputs and what
  /// steps compute are seen row by row, and so they can be split.
  bool canSplit;
};

} // namespace geo

#endif // GEOC_LOWERING_SCANROWS_H
