// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the subcommands of `rilm bench` share.
#ifndef GEOC_FRONTEND_TOOLS_RILM_BENCH_H
#define GEOC_FRONTEND_TOOLS_RILM_BENCH_H

#include "frontend/tools/rilm-optimizer.h"
#include "frontend/train/Session.h"

#include <functional>

namespace geo::tools {

struct BenchCommand {
  RilmConfig config;
  OptimizerFlags optimizerFlags;
  OptimizerConfig optimizer;
  std::string modelFile, saved, corpus;
  int64_t batch = 128, context = 64, repeat = 7, tokens = 300;
  uint64_t seed = 42;
  RunOptions run;
  bool json = false, peak = false, skips = true;
};

/// Checks sizes, reads the model file, sets the number of threads.
rt::Status prepareBench(BenchCommand &command);

/// A session for `parts`, with the initial values of the parameters.
struct BenchSession {
  std::optional<Session> session;
  ModelState state;
  double compileSeconds = 0; ///< or to load from the cache
};
rt::Expected<BenchSession> openBench(const BenchCommand &command,
                                     SessionParts parts);

/// Writes parameters and word numbers to --save, for a peer to compute the
/// same; nothing without the option.
rt::Status saveBench(const BenchCommand &command, const ModelState &state,
                     const rt::Tensor &ids);

/// Wall times of repeated calls, and what share of the cores they had.
class Timings {
public:
  /// Calls `work` that often, after one call that is not counted.
  static Timings of(int64_t repeat, const std::function<void()> &work);

  double median() const; ///< ms
  double least() const;  ///< ms
  /// CPU time over wall time: the threads that ran, on average. A busy machine
  /// shows as fewer than were asked for.
  double cpuPerWall() const { return cpu / wall; }
  void addTo(nlohmann::ordered_json &json) const;

private:
  std::vector<double> times; // ms, ascending
  double cpu = 0, wall = 0;
};

/// Resident memory of this process beyond what it has when this is created.
class PeakMemory {
public:
  PeakMemory();
  int64_t bytes() const;

private:
  int64_t before;
};

/// Seconds since this process started, loading of libraries included; to the
/// kernel's 10 ms.
double processSeconds();

int runBenchStep(BenchCommand &command);
int runBenchGenerate(BenchCommand &command);
int runBenchEval(BenchCommand &command);

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_RILM_BENCH_H
