// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/rilm-bench.h"
#include "frontend/models/ModelFile.h"
#include "frontend/train/Initial.h"
#include "runtime/Safetensors.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

rt::Status tools::prepareBench(BenchCommand &c) {
  struct Size {
    const char *flag;
    int64_t value, least, most;
  };
  for (Size s : {Size{"--batch", c.batch, 1, 1 << 20},
                 Size{"--context", c.context, 1, 1 << 20},
                 Size{"--repeat", c.repeat, 1, 1 << 20},
                 Size{"--tokens", c.tokens, 1, 1 << 20},
                 Size{"--vocab", c.config.vocabulary, 2, 1 << 24},
                 Size{"--dim", c.config.dim, 1, 1 << 16},
                 Size{"--truncate", c.config.truncate, 0, 1 << 30}})
    if (s.value < s.least || s.value > s.most)
      return rt::expects(s.flag, fmt::format("{} to {}", s.least, s.most),
                         std::to_string(s.value));
  if (rt::Status s = apply(c.run); !s)
    return s;
  if (rt::Status s = loadModelFile(c.modelFile, c.config); !s)
    return s;
  c.config.scoreRoot = false;
  if (rt::Status s = applyOptimizer(c.optimizerFlags, c.optimizer); !s)
    return s;
  return geo::check(c.config, c.optimizer);
}

rt::Expected<BenchSession> tools::openBench(const BenchCommand &command,
                                            SessionParts parts) {
  const RilmConfig &config = command.config;
  SessionOptions options = makeSessionOptions(command.run);
  options.batch.rows = command.batch * command.context;
  options.optimizer = command.optimizer;
  options.parts = parts;
  options.parts.project = static_cast<bool>(config.file);
  double start = processSeconds();
  auto session = Session::create(config, options);
  if (!session)
    return session.status();
  double created = processSeconds();
  InitialOptions initial;
  initial.seed = command.seed;
  initial.embeddingStd = 0.3 / std::sqrt(double(config.dim));
  BenchSession result;
  result.session = std::move(*session);
  result.compileSeconds = created - start;
  result.state = makeInitialState(config, initial, command.optimizer);
  if (config.file)
    result.session->project(result.state);
  return result;
}

rt::Status tools::saveBench(const BenchCommand &command,
                            const ModelState &state, const rt::Tensor &ids) {
  if (command.saved.empty())
    return rt::Status::success();
  std::vector<rt::TensorToWrite> tensors;
  std::vector<Parameter> list = getParameters(command.config);
  for (size_t i = 0; i < list.size(); ++i)
    tensors.push_back({list[i].name, &state.parameters[i]});
  tensors.push_back({"ids", &ids});
  return rt::writeSafetensors(command.saved, tensors,
                              {{"model", name(command.config.kind)}});
}

/// What all subcommands take.
static void addSizes(CLI::App &sub, BenchCommand &command) {
  RilmConfig &config = command.config;
  addModel(sub, config.kind);
  sub.add_option("--vocab", config.vocabulary, "Words")->capture_default_str();
  sub.add_option("--dim", config.dim, "Dimension d")->capture_default_str();
  addStorage(sub, config.storage);
  sub.add_option("--seed", command.seed, "Of words and initial values")
      ->capture_default_str();
  sub.add_option("--save", command.saved,
                 "Write parameters and words to a safetensors file, for others "
                 "to compute the same");
}

static void addRest(CLI::App &sub, BenchCommand &command) {
  addModelFile(sub, command.modelFile, {"--model", "--dim", "--dtype"});
  addRunOptions(sub, command.run);
  sub.add_flag("--json", command.json, "Print one line of JSON");
}

static void addStep(CLI::App &bench, int &exitCode) {
  auto command = std::make_shared<BenchCommand>();
  CLI::App *sub =
      bench.add_subcommand("step", "Time of a training step on random words");
  sub->footer("Examples:\n"
              "  rilm bench step --model hyp --json\n"
              "  rilm bench step --model flat --batch 32 --vocab 10000");
  addSizes(*sub, *command);
  sub->add_option("--batch", command->batch, "Sequences")
      ->capture_default_str();
  sub->add_option("--context", command->context, "Steps")
      ->capture_default_str();
  sub->add_option("--truncate", command->config.truncate, "See train")
      ->capture_default_str();
  sub->add_option("--repeat", command->repeat, "Steps to measure")
      ->capture_default_str();
  sub->add_flag("--peak", command->peak,
                "Also the peak of resident memory beyond that before the first "
                "step");
  sub->add_flag("!--no-skip", command->skips,
                "Visit also tiles of the decoder whose probabilities cannot "
                "count");
  addOptimizer(*sub, command->optimizerFlags, command->optimizer);
  addRest(*sub, *command);
  sub->callback([command, &exitCode] { exitCode = runBenchStep(*command); });
}

static void addGenerate(CLI::App &bench, int &exitCode) {
  auto command = std::make_shared<BenchCommand>();
  setOneRowDefaults(command->run);
  CLI::App *sub = bench.add_subcommand(
      "generate", "Time of a word: a step, all log-probabilities, a draw");
  sub->footer("Examples:\n"
              "  rilm bench generate --model flat --vocab 33278 --json");
  addSizes(*sub, *command);
  sub->add_option("--tokens", command->tokens, "Words to measure")
      ->capture_default_str();
  addRest(*sub, *command);
  sub->callback(
      [command, &exitCode] { exitCode = runBenchGenerate(*command); });
}

static void addEval(CLI::App &bench, int &exitCode) {
  auto command = std::make_shared<BenchCommand>();
  command->repeat = 1;
  CLI::App *sub = bench.add_subcommand(
      "eval", "Time of scoring a validation text, in windows");
  sub->footer("Examples:\n"
              "  rilm bench eval --corpus wikitext-2/ --model hyp --json");
  addSizes(*sub, *command);
  sub->add_option("--corpus", command->corpus, "As for train")->required();
  sub->add_option("--batch", command->batch, "Sequences")
      ->capture_default_str();
  sub->add_option("--context", command->context, "Steps")
      ->capture_default_str();
  sub->add_option("--repeat", command->repeat, "Passes to measure")
      ->capture_default_str();
  addRest(*sub, *command);
  sub->callback([command, &exitCode] { exitCode = runBenchEval(*command); });
}

void tools::addBench(CLI::App &app, int &exitCode) {
  CLI::App *bench = app.add_subcommand("bench", "Measure speed");
  bench->require_subcommand(1);
  bench->footer("Examples:\n  rilm bench step --model hyp --json");
  addStep(*bench, exitCode);
  ::addGenerate(*bench, exitCode);
  ::addEval(*bench, exitCode);
}
