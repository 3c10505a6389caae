// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs as vectors and threads.
#ifndef GEOC_LOWERING_CPU_CPUEMITTER_H
#define GEOC_LOWERING_CPU_CPUEMITTER_H

#include "lowering/ConstructEmitter.h"
#include "lowering/cpu/CpuTarget.h"

namespace geo {

/// An emitter of scf, memref, arith, math and vector ops. Work is split into
/// as many parts as `geo_rt_num_threads` says (declared in the module on
/// demand), one iteration of an scf.parallel each; results depend on shapes and
/// that number only. What it emits may hold geo.even on numbers, and math ops
/// on numbers and f64 vectors.
std::unique_ptr<ConstructEmitter> createCpuEmitter(const CpuTarget &target);

} // namespace geo

#endif // GEOC_LOWERING_CPU_CPUEMITTER_H
