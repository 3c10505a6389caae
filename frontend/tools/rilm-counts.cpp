// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/CountModels.h"
#include "frontend/tools/rilm.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct CountsCommand {
  std::string corpus, split = "valid", protocol = "lines";
  int64_t vocabulary = 2000;
  bool json = false;
};
} // namespace

static int runCounts(const CountsCommand &command) {
  auto protocol = data::parseProtocol(command.protocol);
  if (!protocol)
    return report(protocol.status(), badInput);
  if (command.split != "valid" && command.split != "test")
    return report(
        rt::expects("--split", "valid or test", rt::quote(command.split)),
        badInput);
  auto corpus = data::loadCorpus(command.corpus, command.vocabulary);
  if (!corpus)
    return report(corpus.status(), badInput);
  data::Split split =
      command.split == "test" ? data::Split::Test : data::Split::Valid;
  auto models =
      data::countModels((*corpus)[data::Split::Train], (*corpus)[split],
                        corpus->vocabulary.size(), *protocol);
  if (!models)
    return report(models.status(), badInput);
  auto rows = nlohmann::ordered_json::array();
  for (const data::CountModel &m : *models) {
    std::string label =
        m.order == 1 ? "unigram" : fmt::format("Kneser-Ney {}-gram", m.order);
    if (!command.json)
      fmt::print("{:<18} {:8.2f} perplexity over {} words\n", label,
                 m.perplexity, m.scoredWords);
    rows.push_back({{"model", label},
                    {"order", m.order},
                    {"ppl", m.perplexity},
                    {"scored_tokens", m.scoredWords}});
  }
  if (command.json)
    printJson(nlohmann::ordered_json{{"split", command.split},
                                     {"protocol", command.protocol},
                                     {"vocab", command.vocabulary},
                                     {"rows", rows}});
  return 0;
}

void tools::addCounts(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<CountsCommand>();
  CLI::App *sub = app.add_subcommand(
      "counts", "Perplexity of unigram and Kneser-Ney models on a text");
  sub->footer("Examples:\n"
              "  rilm counts --corpus ptb/ --vocab 2000\n"
              "  rilm counts --corpus novel.txt --vocab 5000 --protocol "
              "windows --json");
  sub->add_option("--corpus", command->corpus, "As for train")->required();
  sub->add_option("--vocab", command->vocabulary, "Words")
      ->capture_default_str();
  sub->add_option("--protocol", command->protocol, "lines or windows")
      ->capture_default_str();
  sub->add_option("--split", command->split, "valid or test")
      ->capture_default_str();
  sub->add_flag("--json", command->json, "Print one line of JSON");
  sub->callback([command, &exitCode] { exitCode = runCounts(*command); });
}
