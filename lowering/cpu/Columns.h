// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_COLUMNS_H
#define GEOC_LOWERING_CPU_COLUMNS_H

#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// geo.columns where it is no view, and geo.concat_columns.
mlir::LogicalResult emitColumns(Work &work, Gen &g, ColumnsOp op, Value x,
                                Value out);
mlir::LogicalResult emitConcatColumns(Work &work, Gen &g, ConcatColumnsOp op,
                                      ValueRange pieces, Value out);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_COLUMNS_H
