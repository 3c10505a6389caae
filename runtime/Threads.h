// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_THREADS_H
#define GEOC_RUNTIME_THREADS_H

#include <cstdint>

/// Number of threads that generated code divides its work among.
extern "C" int64_t geo_rt_num_threads();

namespace geo::rt {

/// Sets what numThreads() and OpenMP use from now on; 0 or less restores the
/// default: what OpenMP chose at the start (OMP_NUM_THREADS, else the cores
/// this process may run on). OpenMP's setting belongs to the calling thread, so
/// call this from the thread that runs generated code.
void setNumThreads(int count);
int numThreads();

/// Whether so many threads can run at a time, found out by starting them where
/// they are more than the cores. OpenMP ends the process when it cannot.
bool canStartThreads(int count);

/// True when this build is linked with OpenMP.
bool hasOpenMP();

} // namespace geo::rt

#endif // GEOC_RUNTIME_THREADS_H
