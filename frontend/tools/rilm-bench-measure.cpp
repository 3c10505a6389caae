// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/rilm-bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace geo;
using namespace geo::tools;

double tools::processSeconds() {
  std::FILE *file = std::fopen("/proc/self/stat", "r");
  if (!file)
    return double(std::clock()) / CLOCKS_PER_SEC;
  char text[1024];
  size_t length = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  text[length] = 0;
  // The second field, a name in parentheses, may hold anything.
  const char *at = std::strrchr(text, ')');
  unsigned long long ticks = 0;
  for (int field = 2; at && field < 22; ++field)
    at = std::strchr(at + 1, ' ');
  if (at)
    ticks = std::strtoull(at, nullptr, 10);
  timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec) -
         double(ticks) / double(sysconf(_SC_CLK_TCK));
}

static double cpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Timings Timings::of(int64_t repeat, const std::function<void()> &work) {
  using Clock = std::chrono::steady_clock;
  auto seconds = [](Clock::duration d) {
    return std::chrono::duration<double>(d).count();
  };
  work();
  Timings result;
  double cpu = cpuSeconds();
  Clock::time_point begin = Clock::now();
  for (int64_t i = 0; i < repeat; ++i) {
    Clock::time_point one = Clock::now();
    work();
    result.times.push_back(1e3 * seconds(Clock::now() - one));
  }
  result.wall = seconds(Clock::now() - begin);
  result.cpu = cpuSeconds() - cpu;
  std::sort(result.times.begin(), result.times.end());
  return result;
}

double Timings::median() const { return times[times.size() / 2]; }
double Timings::least() const { return times.front(); }

void Timings::addTo(nlohmann::ordered_json &json) const {
  json["median_ms"] = median();
  json["min_ms"] = least();
  json["cpu_per_wall"] = cpuPerWall();
}

/// A line of /proc/self/status, in bytes; 0 if there is none.
static int64_t readStatus(const char *name) {
  std::FILE *file = std::fopen("/proc/self/status", "r");
  if (!file)
    return 0;
  char line[256];
  long long kilobytes = 0;
  while (std::fgets(line, sizeof line, file))
    if (std::strncmp(line, name, std::strlen(name)) == 0)
      kilobytes = std::strtoll(line + std::strlen(name), nullptr, 10);
  std::fclose(file);
  return kilobytes * 1024;
}

PeakMemory::PeakMemory() {
  // What the compiler left free would hide what a step takes.
  malloc_trim(0);
  if (std::FILE *file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file); // the peak is what it is now
    std::fclose(file);
  }
  before = readStatus("VmRSS:");
}

int64_t PeakMemory::bytes() const { return readStatus("VmHWM:") - before; }
