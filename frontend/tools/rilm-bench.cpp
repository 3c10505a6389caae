// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Rng.h"
#include "frontend/tools/rilm-optimizer.h"
#include "frontend/train/Initial.h"
#include "frontend/train/StepInputs.h"
#include "runtime/Allocator.h"
#include "runtime/Threads.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <unistd.h>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct BenchCommand {
  RilmConfig config;
  OptimizerFlags optimizerFlags;
  OptimizerConfig optimizer;
  std::string modelFile;
  int64_t batch = 128, context = 64, repeat = 7;
  uint64_t seed = 42;
  RunOptions run;
  bool json = false;
};
} // namespace

/// Seconds since this process started, loading of libraries included; to the
/// kernel's 10 ms.
static double processSeconds() {
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

static rt::Status check(const BenchCommand &c) {
  struct Size {
    const char *flag;
    int64_t value, least, most;
  };
  for (Size s : {Size{"--batch", c.batch, 1, 1 << 20},
                 Size{"--context", c.context, 1, 1 << 20},
                 Size{"--repeat", c.repeat, 1, 1 << 20},
                 Size{"--vocab", c.config.vocabulary, 2, 1 << 24},
                 Size{"--dim", c.config.dim, 1, 1 << 16},
                 Size{"--truncate", c.config.truncate, 0, 1 << 30}})
    if (s.value < s.least || s.value > s.most)
      return rt::expects(s.flag, fmt::format("{} to {}", s.least, s.most),
                         std::to_string(s.value));
  return apply(c.run);
}

static int runBench(BenchCommand &command) {
  if (rt::Status s = check(command); !s)
    return report(s, badInput);
  RilmConfig &config = command.config;
  if (rt::Status s = loadModelFile(command.modelFile, config); !s)
    return report(s, badInput);
  if (rt::Status s = applyOptimizer(command.optimizerFlags, command.optimizer);
      !s)
    return report(s, badInput);
  if (rt::Status s = geo::check(config, command.optimizer); !s)
    return report(s, badInput);
  config.scoreRoot = false;
  SessionOptions options;
  options.target = command.run.target;
  options.checkPoints = command.run.checkPoints;
  options.cacheDirectory = cacheDirectory();
  options.batch.rows = command.batch * command.context;
  options.optimizer = command.optimizer;
  options.parts.train = true;
  options.parts.project = static_cast<bool>(config.file);
  auto session = Session::create(config, options);
  if (!session)
    return report(session.status(), badInput);
  InitialOptions initial;
  initial.seed = command.seed;
  initial.embeddingStd = 0.3 / std::sqrt(double(config.dim));
  ModelState state = makeInitialState(config, initial, command.optimizer);
  if (config.file)
    session->project(state);
  StepInputs inputs(randomBatch(command), data::Protocol::Windows);
  double lr = config.isHyperbolic() ? 3e-3 : 1e-3;
  double clip = config.isHyperbolic() ? 1 : 0;
  double loss = session->train(state, inputs.get(), lr, clip).loss;
  double first = processSeconds();
  std::vector<double> times;
  for (int64_t i = 0; i < command.repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    session->train(state, inputs.get(), lr, clip);
    times.push_back(std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - begin)
                        .count());
  }
  std::sort(times.begin(), times.end());
  double median = times[times.size() / 2];
  if (command.json)
    printJson(
        nlohmann::ordered_json{{"model", name(config.kind)},
                               {"target", command.run.target},
                               {"threads", rt::numThreads()},
                               {"ms_per_step", median},
                               {"min_ms", times.front()},
                               {"first_step_s", first},
                               {"first_loss", loss},
                               {"peak_bytes", rt::poolStatistics().peakBytes}});
  else
    fmt::print("{} step, {} threads: median {:.1f} ms, least {:.1f} ms; first "
               "step done {:.2f} s after the start\n",
               name(config.kind), rt::numThreads(), median, times.front(),
               first);
  return 0;
}

void tools::addBench(CLI::App &app, int &exitCode) {
  CLI::App *bench = app.add_subcommand("bench", "Measure speed");
  bench->require_subcommand(1);
  bench->footer("Examples:\n  rilm bench step --model hyp --json");
  auto command = std::make_shared<BenchCommand>();
  RilmConfig &config = command->config;
  CLI::App *sub =
      bench->add_subcommand("step", "Time of a training step on random words");
  sub->footer("Examples:\n"
              "  rilm bench step --model hyp --json\n"
              "  rilm bench step --model flat --batch 32 --vocab 10000");
  addModel(*sub, config.kind);
  sub->add_option("--vocab", config.vocabulary, "Words")->capture_default_str();
  sub->add_option("--dim", config.dim, "Dimension d")->capture_default_str();
  addStorage(*sub, config.storage);
  sub->add_option("--batch", command->batch, "Sequences")
      ->capture_default_str();
  sub->add_option("--context", command->context, "Steps")
      ->capture_default_str();
  sub->add_option("--truncate", config.truncate, "See train")
      ->capture_default_str();
  sub->add_option("--repeat", command->repeat, "Steps to measure")
      ->capture_default_str();
  addOptimizer(*sub, command->optimizerFlags, command->optimizer);
  sub->add_option("--seed", command->seed, "Of words and initial values")
      ->capture_default_str();
  addModelFile(*sub, command->modelFile, {"--model", "--dim", "--dtype"});
  addRunOptions(*sub, command->run);
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runBench(*command); });
}
