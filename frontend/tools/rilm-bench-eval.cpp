// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Batches.h"
#include "frontend/tools/rilm-bench.h"
#include "frontend/train/Trainer.h"
#include "runtime/Threads.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

int tools::runBenchEval(BenchCommand &command) {
  if (rt::Status s = prepareBench(command); !s)
    return report(s, badInput);
  auto corpus = data::loadCorpus(command.corpus, command.config.vocabulary);
  if (!corpus)
    return report(corpus.status(), badInput);
  const data::Lines &text = (*corpus)[data::Split::Valid];
  data::BatchOptions batching;
  batching.protocol = data::Protocol::Windows;
  batching.context = command.context;
  batching.batch = command.batch;
  auto batches = data::Batches::create(text, batching, command.corpus);
  if (!batches)
    return report(batches.status(), badInput);
  SessionParts parts;
  parts.evaluate = true;
  auto opened = openBench(command, parts);
  if (!opened)
    return report(opened.status(), badInput);
  Session &session = *opened->session;
  ModelState &state = opened->state;
  rt::Tensor ids(rt::DType::I32, {text.numWords()});
  std::copy(text.ids.begin(), text.ids.end(), ids.data<int32_t>());
  if (rt::Status s = saveBench(command, state, ids); !s)
    return report(s, badInput);
  Evaluation e;
  Timings times = Timings::of(command.repeat, [&] {
    e = evaluate(session, state, *batches, data::Protocol::Windows);
  });
  double loss = std::log(e.perplexity);
  if (!command.json) {
    fmt::print("{} evaluation of {} words, {} threads: median {:.1f} ms, least "
               "{:.1f} ms; loss {:.6f}\n",
               name(command.config.kind), e.scoredTokens, rt::numThreads(),
               times.median(), times.least(), loss);
    return 0;
  }
  nlohmann::ordered_json json{{"model", name(command.config.kind)},
                              {"threads", rt::numThreads()}};
  times.addTo(json);
  json["scored_tokens"] = e.scoredTokens;
  json["loss"] = loss;
  printJson(json);
  return 0;
}
