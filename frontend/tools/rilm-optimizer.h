// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TOOLS_RILM_OPTIMIZER_H
#define GEOC_FRONTEND_TOOLS_RILM_OPTIMIZER_H

#include "frontend/tools/rilm.h"
#include "frontend/train/Optimizer.h"

namespace geo::tools {

/// Options that become an OptimizerConfig when they have been read.
struct OptimizerFlags {
  std::string optimizer = "adam", retraction = "exp", parameterFile;
  std::vector<std::string> parameters;
};
void addOptimizer(CLI::App &sub, OptimizerFlags &flags,
                  OptimizerConfig &optimizer);
rt::Status applyOptimizer(const OptimizerFlags &flags,
                          OptimizerConfig &optimizer);

struct ScheduleFlags {
  std::string schedule = "cosine";
};
void addSchedule(CLI::App &sub, ScheduleFlags &flags, Schedule &schedule);
rt::Status applySchedule(const ScheduleFlags &flags, Schedule &schedule);

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_RILM_OPTIMIZER_H
