// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Rng.h"
#include "frontend/tools/rilm-bench.h"
#include "frontend/train/StepInputs.h"
#include "runtime/Allocator.h"
#include "runtime/Skipping.h"
#include "runtime/Threads.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

/// Uniform random words: windows of context + 1.
static data::Batch randomBatch(const BenchCommand &command) {
  data::Batch batch;
  batch.steps = command.context + 1;
  batch.rows = command.batch;
  std::vector<int64_t> shape{batch.steps, batch.rows};
  batch.ids = rt::Tensor(rt::DType::I32, shape);
  batch.mask = rt::Tensor(rt::DType::F32, shape);
  data::Rng random(command.seed);
  for (int64_t i = 0; i < batch.ids.numElements(); ++i) {
    batch.ids.data<int32_t>()[i] =
        int32_t(random.below(uint64_t(command.config.vocabulary)));
    batch.mask.data<float>()[i] = 1;
  }
  batch.targets = batch.ids.clone();
  return batch;
}

int tools::runBenchStep(BenchCommand &command) {
  if (rt::Status s = prepareBench(command); !s)
    return report(s, badInput);
  SessionParts parts;
  parts.train = true;
  auto opened = openBench(command, parts);
  if (!opened)
    return report(opened.status(), badInput);
  Session &session = *opened->session;
  ModelState &state = opened->state;
  const RilmConfig &config = command.config;
  data::Batch batch = randomBatch(command);
  if (rt::Status s = saveBench(command, state, batch.ids); !s)
    return report(s, badInput);
  StepInputs inputs(std::move(batch), data::Protocol::Windows);
  rt::setSkipping(command.skips);
  double lr = config.isHyperbolic() ? 3e-3 : 1e-3;
  double clip = config.isHyperbolic() ? 1 : 0;
  std::optional<PeakMemory> memory;
  if (command.peak)
    memory.emplace();
  StepResult one = session.train(state, inputs.get(), lr, clip);
  double first = processSeconds();
  rt::takeTileCounts();
  Timings times = Timings::of(
      command.repeat, [&] { session.train(state, inputs.get(), lr, clip); });
  double skipped = command.skips ? rt::takeTileCounts().skippedShare() : 0;
  if (!command.json) {
    fmt::print("{} step, {} threads: median {:.1f} ms, least {:.1f} ms; first "
               "step done {:.2f} s after the start; {:.1f}% of the decoder's "
               "tiles skipped\n",
               name(config.kind), rt::numThreads(), times.median(),
               times.least(), first, 100 * skipped);
    if (memory)
      fmt::print("peak {:.1f} MiB beyond parameters and optimizer\n",
                 double(memory->bytes()) / (1 << 20));
    return 0;
  }
  nlohmann::ordered_json json{{"model", name(config.kind)},
                              {"target", command.run.target},
                              {"threads", rt::numThreads()}};
  times.addTo(json);
  json["first_step_s"] = first;
  json["compile_s"] = opened->compileSeconds;
  json["skipped_share"] = skipped;
  json["loss"] = one.loss;
  json["gradient_norm"] = one.gradientNorm;
  json["pool_peak_bytes"] = rt::poolStatistics().peakBytes;
  if (memory)
    json["peak_bytes"] = memory->bytes();
  printJson(json);
  return 0;
}
