// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Corpus.h"
#include "frontend/models/ModelFile.h"
#include "frontend/tools/rilm.h"
#include "frontend/train/Checkpoint.h"
#include "frontend/train/WordReader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {

struct GenerateCommand {
  std::string checkpoint, prompt;
  int64_t tokens = 20, top = 0;
  uint64_t seed = 42;
  double temperature = 1;
  bool noUnknown = false, json = false;
  std::optional<Storage> storage;
  RunOptions run;
};

} // namespace

/// The `count` most probable next words, best first.
static std::vector<std::pair<std::string, double>>
topWords(const WordReader &reader, const data::Vocabulary &vocabulary,
         int64_t count) {
  std::vector<int32_t> order(reader.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, reader.size());
  std::partial_sort(
      order.begin(), order.begin() + count, order.end(),
      [&](int32_t a, int32_t b) { return reader.next(a) > reader.next(b); });
  std::vector<std::pair<std::string, double>> result;
  for (int64_t i = 0; i < count; ++i)
    result.emplace_back(vocabulary.word(order[i]),
                        std::exp(reader.next(order[i])));
  return result;
}

static rt::Status check(const GenerateCommand &c) {
  if (c.tokens < 0 || c.tokens > 1000000)
    return rt::expects("--tokens", "0 to 1000000", std::to_string(c.tokens));
  if (c.top < 0)
    return rt::expects("--top", "0 or more", std::to_string(c.top));
  if (!(std::isfinite(c.temperature) && c.temperature >= 0))
    return rt::expects("--temperature", "0 or a positive number",
                       fmt::format("{}", c.temperature));
  if (!rt::isValidUtf8(c.prompt))
    return rt::expects("--prompt", "text in UTF-8", rt::quote(c.prompt));
  return apply(c.run);
}

static int runGenerate(const GenerateCommand &command) {
  if (rt::Status s = check(command); !s)
    return report(s, badInput);
  auto checkpoint = readCheckpoint(command.checkpoint);
  if (!checkpoint)
    return report(checkpoint.status(), badInput);
  if (rt::Status s = checkStorage(command.checkpoint,
                                  checkpoint->config.storage, command.storage);
      !s)
    return report(s, badInput);
  if (checkpoint->config.file && !checkpoint->config.file->canGenerate)
    return report(rt::expects(command.checkpoint,
                              "a model with a function @decode",
                              "one with @loss only"),
                  badInput);
  SessionOptions options = makeSessionOptions(command.run);
  options.parts.generate = true;
  auto session = Session::create(checkpoint->config, options);
  if (!session)
    return report(session.status(), badInput);

  const data::Vocabulary &vocabulary = checkpoint->vocabulary;
  WordReader reader(*session, checkpoint->state);
  std::vector<std::string> text, unknown;
  for (std::string_view view : data::splitWords(command.prompt)) {
    std::string word(view);
    if (!vocabulary.contains(word)) {
      if (vocabulary.isNumbered())
        return report(rt::expects("--prompt",
                                  fmt::format("word numbers of 0 to {}",
                                              vocabulary.size() - 1),
                                  rt::quote(word)),
                      badInput);
      unknown.push_back(word);
    }
    text.push_back(word);
    reader.read(vocabulary.row(word));
  }
  if (!unknown.empty() && !command.json) {
    std::string list;
    for (const std::string &word : unknown)
      list += " " + rt::quote(word);
    fmt::print(stderr, "rilm: not in the vocabulary, read as <unk>:{}\n", list);
  }
  auto notFinite = [&] {
    return report(
        rt::expects(command.checkpoint, "finite log-probabilities",
                    "others after " + std::to_string(text.size()) + " words"),
        badInput);
  };
  if (!reader.isFinite())
    return notFinite();
  auto top = topWords(reader, vocabulary, command.top);

  data::Rng random(command.seed);
  int32_t excluded = command.noUnknown ? vocabulary.unknownRow() : -1;
  auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < command.tokens; ++i) {
    int32_t word = reader.sample(command.temperature, excluded, random);
    text.push_back(vocabulary.word(word));
    reader.read(word);
    if (!reader.isFinite())
      return notFinite();
  }
  double ms = std::chrono::duration<double, std::milli>(
                  std::chrono::steady_clock::now() - begin)
                  .count();
  std::string joined;
  for (const std::string &word : text)
    joined += (joined.empty() ? "" : " ") + word;
  if (command.json) {
    nlohmann::ordered_json json{{"model", name(checkpoint->config.kind)},
                                {"text", joined},
                                {"tokens", command.tokens},
                                {"unknown", unknown}};
    if (command.tokens)
      json["ms_per_token"] = ms / double(command.tokens);
    if (command.top)
      json["top"] = top;
    printJson(json);
    return 0;
  }
  fmt::print("{}\n", joined);
  for (auto &[word, p] : top)
    fmt::print("{:.4f} {}\n", p, word);
  return 0;
}

void tools::addGenerate(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<GenerateCommand>();
  setOneRowDefaults(command->run);
  CLI::App *sub = app.add_subcommand("generate", "Continue a text");
  sub->footer("Examples:\n"
              "  rilm generate --checkpoint run/last.safetensors --prompt "
              "\"the company\" --tokens 20 --seed 1\n"
              "  rilm generate --checkpoint run/last.safetensors --prompt "
              "\"the city of\" --tokens 0 --top 5");
  sub->add_option("--checkpoint", command->checkpoint, "A safetensors file")
      ->required();
  sub->add_option("--prompt", command->prompt,
                  "Words to start from; unknown ones are read as <unk>");
  sub->add_option("--tokens", command->tokens, "Words to add")
      ->capture_default_str();
  sub->add_option("--seed", command->seed, "Of sampling")
      ->capture_default_str();
  sub->add_option("--temperature", command->temperature,
                  "Of sampling; 0: always the most probable word")
      ->capture_default_str();
  sub->add_option("--top", command->top,
                  "Also list so many most probable words after the prompt");
  sub->add_flag("--no-unk", command->noUnknown, "Never draw <unk>");
  addStorage(*sub, command->storage);
  addRunOptions(*sub, command->run);
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runGenerate(*command); });
}
