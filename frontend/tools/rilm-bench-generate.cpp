// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/ModelFile.h"
#include "frontend/tools/rilm-bench.h"
#include "frontend/train/WordReader.h"
#include "runtime/Threads.h"

#include <cstring>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

/// How often the table of words is read to find out how long that takes.
constexpr int64_t tableReads = 50;

/// The fastest time to read a tensor once, in ms: what no decoder can beat.
static double timeToRead(const rt::Tensor &table) {
  using Lanes = uint64_t __attribute__((vector_size(64)));
  const char *data = static_cast<const char *>(table.raw());
  size_t bytes = table.byteSize();
  volatile uint64_t sink = 0;
  Timings times = Timings::of(tableReads, [&] {
    // Several chains: the loads are to be the limit, not the additions.
    constexpr size_t chains = 8, width = sizeof(Lanes);
    Lanes sums[chains] = {};
    for (size_t at = 0; at + chains * width <= bytes; at += chains * width)
      for (size_t c = 0; c < chains; ++c) {
        Lanes words;
        std::memcpy(&words, data + at + c * width, width);
        sums[c] ^= words;
      }
    for (const Lanes &s : sums)
      sink = sink ^ s[0];
  });
  return times.least();
}

int tools::runBenchGenerate(BenchCommand &command) {
  if (rt::Status s = prepareBench(command); !s)
    return report(s, badInput);
  if (command.config.file && !command.config.file->canGenerate)
    return report(rt::expects(command.modelFile,
                              "a model with a function @decode",
                              "one with @loss only"),
                  badInput);
  SessionParts parts;
  parts.generate = true;
  auto opened = openBench(command, parts);
  if (!opened)
    return report(opened.status(), badInput);
  Session &session = *opened->session;
  ModelState &state = opened->state;

  // What a peer can check: the mean log-probability of given words.
  data::Rng random(command.seed);
  rt::Tensor ids(rt::DType::I32, {command.tokens});
  for (int64_t i = 0; i < command.tokens; ++i)
    ids.data<int32_t>()[i] =
        int32_t(random.below(uint64_t(command.config.vocabulary)));
  if (rt::Status s = saveBench(command, state, ids); !s)
    return report(s, badInput);
  WordReader reader(session, state);
  double loss = 0;
  for (int64_t i = 0; i < command.tokens; ++i) {
    int32_t word = ids.data<int32_t>()[i];
    loss -= reader.next(word) / double(command.tokens);
    reader.read(word);
  }
  Timings times = Timings::of(command.tokens, [&] {
    reader.read(reader.sample(/*temperature=*/1, /*excluded=*/-1, random));
  });
  double read = timeToRead(state.parameters.front());
  if (!command.json) {
    fmt::print("{} generation, {} threads: median {:.4f} ms a word, least "
               "{:.4f} ms; reading E once {:.4f} ms\n",
               name(command.config.kind), rt::numThreads(), times.median(),
               times.least(), read);
    return 0;
  }
  nlohmann::ordered_json json{{"model", name(command.config.kind)},
                              {"threads", rt::numThreads()}};
  times.addTo(json);
  json["read_ms"] = read;
  json["loss"] = loss;
  printJson(json);
  return 0;
}
