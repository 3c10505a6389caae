// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Ids.h"
#include "frontend/tools/rilm.h"
#include "frontend/train/Trainer.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct EvalCommand {
  std::string checkpoint, corpus, ids, targets, split = "valid", protocol;
  int64_t context = 0;
  std::optional<Storage> storage;
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

static rt::Expected<data::Corpus> load(const EvalCommand &command,
                                       const data::Vocabulary &vocabulary) {
  if (command.corpus.empty() == command.ids.empty())
    return rt::expects("--corpus", "a text, or --ids instead of it",
                       command.ids.empty() ? "none" : "both");
  if (!command.ids.empty())
    return data::loadIds(command.ids, command.targets, vocabulary.size());
  if (!command.targets.empty())
    return rt::expects("--targets", "--ids beside it", "none");
  if (vocabulary.isNumbered())
    return rt::expects("--corpus", "--ids for a model trained on them",
                       rt::quote(command.corpus));
  auto text = data::readText(command.corpus);
  if (!text)
    return text.status();
  return data::encode(*text, vocabulary);
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
  if (rt::Status s = checkStorage(command.checkpoint,
                                  checkpoint->config.storage, command.storage);
      !s)
    return report(s, badInput);
  auto corpus = load(command, checkpoint->vocabulary);
  if (!corpus)
    return report(corpus.status(), badInput);
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
      data::Batches::create((*corpus)[*split], batching,
                            command.ids.empty() ? command.corpus : command.ids);
  if (!batches)
    return report(batches.status(), badInput);
  RilmConfig config = checkpoint->config;
  config.scoreRoot = batching.protocol == data::Protocol::Lines;
  SessionOptions options = makeSessionOptions(command.run);
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
  sub->add_option("--corpus", command->corpus, "As for train");
  sub->add_option("--ids", command->ids, "As for train");
  sub->add_option("--targets", command->targets, "As for train");
  sub->add_option("--split", command->split, "train, valid or test")
      ->capture_default_str();
  sub->add_option("--protocol", command->protocol,
                  "lines or windows (default: as trained)");
  sub->add_option("--context", command->context,
                  "Words of a sequence (default: as trained)");
  addStorage(*sub, command->storage);
  addRunOptions(*sub, command->run);
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runEval(*command); });
}
