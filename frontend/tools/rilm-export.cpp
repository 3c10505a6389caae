// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/rilm-optimizer.h"
#include "frontend/train/Session.h"
#include "frontend/train/Trainer.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct ExportCommand {
  TrainOptions options;
  std::string modelFile;
  std::string protocol = "lines";
  OptimizerFlags optimizer;
  bool dropout = false, json = false;
};
} // namespace

static int runExport(ExportCommand &command) {
  auto protocol = data::parseProtocol(command.protocol);
  if (!protocol)
    return report(protocol.status(), badInput);
  command.options.protocol = *protocol;
  if (rt::Status s = loadModelFile(command.modelFile, command.options.config);
      !s)
    return report(s, badInput);
  OptimizerConfig &optimizer = command.options.optimizer;
  if (rt::Status s = applyOptimizer(command.optimizer, optimizer); !s)
    return report(s, badInput);
  if (rt::Status s = completeOptions(command.options); !s)
    return report(s, badInput);
  RilmConfig &config = command.options.config;
  if (config.vocabulary < 2 || config.vocabulary > (1 << 24))
    return report(
        rt::expects("--vocab", "2 to 2^24", std::to_string(config.vocabulary)),
        badInput);
  config.dropout = command.dropout;
  auto text = exportTrainStep(config, optimizer);
  if (!text)
    return report(text.status(), badInput);
  if (command.json)
    printJson(
        nlohmann::ordered_json{{"model", name(config.kind)}, {"mlir", *text}});
  else
    fmt::print("{}", *text);
  return 0;
}

void tools::addExport(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<ExportCommand>();
  RilmConfig &config = command->options.config;
  CLI::App *sub = app.add_subcommand(
      "export", "Print the geo IR of a model's training step");
  sub->footer("Examples:\n"
              "  rilm export --model hyp > hyp.mlir\n"
              "  rilm export --model flat --dim 16 | geo-opt "
              "--geo-check-points --geo-expand");
  addModel(*sub, config.kind);
  sub->add_option("--vocab", config.vocabulary, "Words")->capture_default_str();
  sub->add_option("--dim", config.dim, "Dimension d")->capture_default_str();
  addStorage(*sub, config.storage);
  sub->add_option("--truncate", command->options.truncate, "See train");
  sub->add_option("--protocol", command->protocol, "lines or windows")
      ->capture_default_str();
  sub->add_option("--curvature", config.curvature, "c > 0 of the ball")
      ->capture_default_str();
  sub->add_option("--tau", config.tau, "Temperature")->capture_default_str();
  sub->add_flag("--learn-curvature", config.learnCurvature, "See train");
  sub->add_flag("--learn-tau", config.learnTau, "See train");
  sub->add_option("--lr", command->options.lr,
                  "The rate that those of --param are relative to");
  addOptimizer(*sub, command->optimizer, command->options.optimizer);
  sub->add_flag("--dropout", command->dropout, "With the mask's argument");
  addModelFile(*sub, command->modelFile,
               {"--model", "--dim", "--dtype", "--curvature",
                "--learn-curvature", "--tau", "--learn-tau", "--dropout"});
  sub->add_flag("--json", command->json, "As a string in a line of JSON");
  sub->callback([command, &exitCode] { exitCode = runExport(*command); });
}
