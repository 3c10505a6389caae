// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_LOWERING_CPU_COPY_H
#define GEOC_LOWERING_CPU_COPY_H

#include "lowering/cpu/Work.h"

namespace geo::cpu {

/// Copies as many elements as `to` has, by vectors where its elements are
/// floats or i32; at function level on all threads.
void emitCopy(Work &work, Gen &g, Value from, Value to);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_COPY_H
