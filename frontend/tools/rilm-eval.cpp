// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/rilm.h"
#include "frontend/train/Trainer.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct EvalCommand {
  std::string checkpoint, corpus, split = "valid", protocol;
  int64_t context = 0;
  RunOptions run;
  bool json = false;
};
} // namespace

static rt::Expected<data::Split> parseSplit(const std::string &text) {
  for (data::Split split : data::allSplits)
    if (text == data::name(split))
      return split;
  return rt::expects("--split", "train, valid or test", rt::quote(text));
}

static int runEval(const EvalCommand &command) {
  if (rt::Status s = apply(command.run); !s)
    return report(s, badInput);
  auto split = parseSplit(command.split);
  if (!split)
    return report(split.status(), badInput);
  auto checkpoint = readCheckpoint(command.checkpoint);
  if (!checkpoint)
    return report(checkpoint.status(), badInput);
  auto text = data::readText(command.corpus);
  if (!text)
    return report(text.status(), badInput);
  data::Corpus corpus = data::encode(*text, checkpoint->vocabulary);
  data::BatchOptions batching;
  batching.protocol = checkpoint->protocol;
  batching.context = command.context ? command.context : checkpoint->context;
  if (!command.protocol.empty()) {
    auto protocol = data::parseProtocol(command.protocol);
    if (!protocol)
      return report(protocol.status(), badInput);
    batching.protocol = *protocol;
  }
  auto batches =
      data::Batches::create(corpus[*split], batching, command.corpus);
  if (!batches)
    return report(batches.status(), badInput);
  RilmConfig config = checkpoint->config;
  config.scoreRoot = batching.protocol == data::Protocol::Lines;
  SessionOptions options;
  options.target = command.run.target;
  options.cacheDirectory = cacheDirectory();
  options.parts.evaluate = true;
  auto session = Session::create(config, options);
  if (!session)
    return report(session.status(), badInput);
  Evaluation e =
      evaluate(*session, checkpoint->state, *batches, batching.protocol);
  if (!std::isfinite(e.perplexity))
    return report(rt::expects(command.checkpoint, "a finite perplexity",
                              fmt::format("{}", e.perplexity)),
                  badInput);
  if (command.json) {
    nlohmann::ordered_json json{{"model", name(config.kind)},
                                {"split", command.split},
                                {"protocol", data::name(batching.protocol)},
                                {"context", batching.context},
                                {"ppl", e.perplexity},
                                {"scored_tokens", e.scoredTokens},
                                {"clipped_states", e.clippedStates}};
    printJson(json);
  } else {
    fmt::print("{} perplexity {:.3f} over {} words ({})\n", command.split,
               e.perplexity, e.scoredTokens, data::name(batching.protocol));
  }
  return 0;
}

void tools::addEval(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<EvalCommand>();
  CLI::App *sub =
      app.add_subcommand("eval", "Perplexity of a checkpoint on a text");
  sub->footer("Examples:\n"
              "  rilm eval --checkpoint run/last.safetensors --corpus ptb/\n"
              "  rilm eval --checkpoint run/best.safetensors --corpus ptb/ "
              "--split test --json");
  sub->add_option("--checkpoint", command->checkpoint, "A safetensors file")
      ->required();
  sub->add_option("--corpus", command->corpus, "As for train")->required();
  sub->add_option("--split", command->split, "train, valid or test")
      ->capture_default_str();
  sub->add_option("--protocol", command->protocol,
                  "lines or windows (default: as trained)");
  sub->add_option("--context", command->context,
                  "Words of a sequence (default: as trained)");
  addRunOptions(*sub, command->run);
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runEval(*command); });
}
