// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Batches.h"

#include "frontend/data/Rng.h"

#include <algorithm>

#include <fmt/format.h>

namespace geo::data {

using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Tensor;

/// Sequences are sorted by length within so many batches: long enough that
/// little is padded, short enough that batches differ from epoch to epoch.
constexpr int64_t batchesPerChunk = 64;

const char *name(Protocol protocol) {
  return protocol == Protocol::Lines ? "lines" : "windows";
}

Expected<Protocol> parseProtocol(std::string_view text) {
  for (Protocol protocol : {Protocol::Lines, Protocol::Windows})
    if (text == name(protocol))
      return protocol;
  return expects("--protocol", "lines or windows", rt::quote(text));
}

Expected<Batches> Batches::create(const Lines &lines,
                                  const BatchOptions &options,
                                  std::string_view where) {
  for (auto [flag, value] : {std::pair("--context", options.context),
                             std::pair("--batch", options.batch),
                             std::pair("--truncate", options.multiple)})
    if (value < 1)
      return expects(flag, "1 or more", fmt::format("{}", value));

  if (options.protocol == Protocol::Lines && !lines.targets.empty())
    return expects("--protocol", "windows with --targets", "lines");

  Batches result(options);
  int64_t context = options.context;
  if (options.protocol == Protocol::Lines) {
    for (int64_t i = 0; i < lines.numLines(); ++i)
      for (int64_t at = 0; at < lines.lineLength(i); at += context)
        result.natural.push_back({lines.starts[i] + at,
                                  std::min(context, lines.lineLength(i) - at)});
  } else {
    // Compared without adding to the context, which may be any number.
    for (int64_t at = 0; context < lines.numWords() - at; at += context)
      result.natural.push_back({at, context + 1});
  }
  if (result.natural.empty())
    return expects(where,
                   options.protocol == Protocol::Lines
                       ? std::string("words")
                       : fmt::format("more than {} words (--context)", context),
                   fmt::format("{}", lines.numWords()));
  result.ids = lines.ids;
  result.targets = lines.targets;
  result.startEpoch(0);
  return result;
}

void Batches::startEpoch(uint64_t epoch) {
  sequences = natural;
  // Stable by hand: equal lengths keep the order they have here.
  auto sortByLength = [this](int64_t first, int64_t last) {
    std::vector<std::pair<int64_t, int64_t>> order; // length, place
    for (int64_t i = first; i < last; ++i)
      order.emplace_back(sequences[i].length, i);
    std::sort(order.begin(), order.end());
    std::vector<Sequence> sorted;
    for (auto [length, place] : order)
      sorted.push_back(sequences[place]);
    std::copy(sorted.begin(), sorted.end(), sequences.begin() + first);
  };
  if (!options.shuffle) {
    sortByLength(0, numSequences());
    makeGroups();
    return;
  }
  Rng random(options.seed, epoch);
  random.shuffle(sequences);
  int64_t count = numSequences();
  int64_t chunk = options.batch > count / batchesPerChunk
                      ? count
                      : options.batch * batchesPerChunk;
  for (int64_t first = 0; first < count; first += chunk)
    sortByLength(first, std::min(first + chunk, count));
  makeGroups();
  random.shuffle(groups);
}

void Batches::makeGroups() {
  groups.clear();
  for (int64_t first = 0; first < numSequences();) {
    int64_t rows = std::min(options.batch, numSequences() - first);
    groups.push_back({first, rows});
    first += rows;
  }
}

int64_t Batches::stepsOf(const Group &group) const {
  int64_t longest = 0;
  for (int64_t r = 0; r < group.count; ++r)
    longest = std::max(longest, sequences[group.first + r].length);
  return (longest + options.multiple - 1) / options.multiple * options.multiple;
}

Batch Batches::get(int64_t i) const {
  const Group &group = groups[i];
  Batch batch;
  batch.steps = stepsOf(group);
  batch.rows = group.count;
  std::vector<int64_t> shape{batch.steps, batch.rows};
  batch.ids = Tensor(DType::I32, shape);
  batch.targets = Tensor(DType::I32, shape);
  batch.mask = Tensor(DType::F32, shape);
  int64_t firstScored = options.protocol == Protocol::Windows;
  for (int64_t r = 0; r < batch.rows; ++r) {
    const Sequence &sequence = sequences[group.first + r];
    for (int64_t t = 0; t < sequence.length; ++t) {
      int64_t cell = t * batch.rows + r;
      int32_t id = ids[sequence.begin + t];
      batch.ids.data<int32_t>()[cell] = id;
      // What follows the word before.
      batch.targets.data<int32_t>()[cell] =
          targets.empty() || t == 0 ? id : targets[sequence.begin + t - 1];
      batch.mask.data<float>()[cell] = t >= firstScored;
    }
    batch.scored += sequence.length - firstScored;
  }
  return batch;
}

int64_t Batches::scoredWords() const {
  int64_t total = 0;
  for (const Sequence &sequence : sequences)
    total += sequence.length - (options.protocol == Protocol::Windows);
  return total;
}

int64_t Batches::cells() const {
  int64_t total = 0;
  for (const Group &group : groups)
    total += stepsOf(group) * group.count;
  return total;
}

} // namespace geo::data
