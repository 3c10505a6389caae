// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#ifdef GEOC_HAS_OPENMP
// Declared here, since the compiler need not ship omp.h.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}
#endif

namespace geo::rt {

static int defaultThreads() {
#ifdef GEOC_HAS_OPENMP
  static const int count = std::max(1, omp_get_max_threads());
#else
  static const int count = [] {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
      return 1;
    return std::max(1, CPU_COUNT(&allowed));
  }();
#endif
  return count;
}

static std::atomic<int> requested{0};

void setNumThreads(int count) {
  int byDefault = defaultThreads(); // before OpenMP is told otherwise
  requested = std::max(0, count);
#ifdef GEOC_HAS_OPENMP
  omp_set_num_threads(count > 0 ? count : byDefault);
#else
  (void)byDefault;
#endif
}

bool canStartThreads(int count) {
  if (count <= int(std::thread::hardware_concurrency()))
    return true;
  // More than OpenMP takes: it has things to keep beside a stack of 4 MiB.
  constexpr size_t stackBytes = size_t(8) << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, stackBytes);
  std::mutex hold;
  std::vector<pthread_t> threads;
  threads.reserve(size_t(count));
  {
    std::lock_guard<std::mutex> guard(hold);
    auto wait = [](void *mutex) -> void * {
      std::lock_guard<std::mutex> guard(*static_cast<std::mutex *>(mutex));
      return nullptr;
    };
    for (pthread_t thread;
         threads.size() < size_t(count) &&
         pthread_create(&thread, &attributes, wait, &hold) == 0;)
      threads.push_back(thread);
  }
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return threads.size() == size_t(count);
}

int numThreads() {
  int count = requested;
  return count > 0 ? count : defaultThreads();
}

bool hasOpenMP() {
#ifdef GEOC_HAS_OPENMP
  return true;
#else
  return false;
#endif
}

} // namespace geo::rt

extern "C" int64_t geo_rt_num_threads() { return geo::rt::numThreads(); }
