// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/ModelFile.h"
#include "frontend/tools/rilm.h"

#include "runtime/Tensor.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct ParamsCommand {
  RilmConfig config;
  std::string modelFile;
  bool json = false;
};
} // namespace

static int runParams(ParamsCommand &command) {
  RilmConfig &config = command.config;
  if (config.vocabulary < 2 || config.vocabulary > (1 << 24))
    return report(
        rt::expects("--vocab", "2 to 2^24", std::to_string(config.vocabulary)),
        badInput);
  if (config.dim < 1 || config.dim > (1 << 16))
    return report(
        rt::expects("--dim", "1 to 65536", std::to_string(config.dim)),
        badInput);
  if (rt::Status s = loadModelFile(command.modelFile, config); !s)
    return report(s, badInput);
  int64_t total = 0;
  auto rows = nlohmann::ordered_json::array();
  for (const Parameter &p : getParameters(config)) {
    int64_t count = 1;
    for (int64_t n : p.shape)
      count *= n;
    total += count;
    const char *what = p.isNumber() ? "number"
                       : p.isCurved ? "points"
                       : p.isPoint  ? "points of flat space"
                                    : "tensor";
    rows.push_back({{"name", p.name},
                    {"shape", p.shape},
                    {"kind", what},
                    {"parameters", count}});
    if (!command.json)
      fmt::print("{:<12} {:<14} {:>10}  {}\n", p.name, rt::shapeText(p.shape),
                 count, what);
  }
  if (command.json)
    printJson(nlohmann::ordered_json{{"model", name(config.kind)},
                                     {"dtype", name(config.storage)},
                                     {"parameters", total},
                                     {"rows", rows}});
  else
    fmt::print("{} parameters, {}\n", total, name(config.storage));
  return 0;
}

void tools::addParams(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<ParamsCommand>();
  RilmConfig &config = command->config;
  CLI::App *sub = app.add_subcommand("params", "List a model's parameters");
  sub->footer("Examples:\n"
              "  rilm params --model hyp --dim 64\n"
              "  rilm params --model-file cell.mlir --vocab 10000 --json");
  addModel(*sub, config.kind);
  sub->add_option("--vocab", config.vocabulary, "Words")->capture_default_str();
  sub->add_option("--dim", config.dim, "Dimension d")->capture_default_str();
  addStorage(*sub, config.storage);
  sub->add_flag("--learn-curvature", config.learnCurvature, "See train");
  sub->add_flag("--learn-tau", config.learnTau, "See train");
  addModelFile(
      *sub, command->modelFile,
      {"--model", "--dim", "--dtype", "--learn-curvature", "--learn-tau"});
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runParams(*command); });
}
