// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Ids.h"

#include "frontend/data/Npy.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace geo::data {

using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Status;

constexpr size_t leastTrain = 100, leastOther = 2;

namespace {

/// The numbers of a split, and the file that they came from.
struct Stream {
  std::string path;
  std::vector<int32_t> numbers;
};
using Streams = std::array<Stream, 3>;

} // namespace

/// All numbers of a file; `limit` is the first number that is too large.
static Expected<std::vector<int32_t>> readNumbers(const std::string &path,
                                                  int64_t limit) {
  auto tensor = readNpy(path);
  if (!tensor)
    return tensor.status();
  std::vector<int32_t> numbers(size_t(tensor->numElements()));
  for (int64_t i = 0; i < tensor->numElements(); ++i) {
    int64_t value = tensor->dtype() == DType::I64
                        ? tensor->data<int64_t>()[i]
                        : int64_t(tensor->data<int32_t>()[i]);
    if (value < 0 || value >= limit)
      return expects(path, fmt::format("word numbers of 0 to {}", limit - 1),
                     fmt::format("{} at position {}", value, i));
    numbers[size_t(i)] = int32_t(value);
  }
  return numbers;
}

/// `kind` is "ids" or "targets".
static Expected<Streams> readStreams(const std::string &path, const char *kind,
                                     int64_t limit) {
  Streams result;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    for (Split split : allSplits) {
      Stream &into = result[size_t(split)];
      into.path = (std::filesystem::path(path) /
                   fmt::format("{}.{}.npy", kind, name(split)))
                      .string();
      auto numbers = readNumbers(into.path, limit);
      if (!numbers)
        return numbers.status();
      into.numbers = std::move(*numbers);
    }
    return result;
  }
  auto numbers = readNumbers(path, limit);
  if (!numbers)
    return numbers.status();
  auto begin = numbers->begin();
  size_t size = numbers->size(),
         trainEnd = size / 100 * 90 + size % 100 * 90 / 100,
         validEnd = size / 100 * 95 + size % 100 * 95 / 100;
  result[0] = {path, {begin, begin + trainEnd}};
  result[1] = {path, {begin + trainEnd, begin + validEnd}};
  result[2] = {path, {begin + validEnd, numbers->end()}};
  return result;
}

static Status checkLengths(const Streams &ids, const Streams *targets) {
  for (Split split : allSplits) {
    const Stream &stream = ids[size_t(split)];
    size_t least = split == Split::Train ? leastTrain : leastOther;
    if (stream.numbers.size() < least)
      return expects(
          stream.path,
          fmt::format("at least {} numbers in the {} part", least, name(split)),
          fmt::format("{}", stream.numbers.size()));
    if (targets &&
        (*targets)[size_t(split)].numbers.size() != stream.numbers.size())
      return expects(
          (*targets)[size_t(split)].path,
          fmt::format("{} targets in the {} part, one for each id",
                      stream.numbers.size(), name(split)),
          fmt::format("{}", (*targets)[size_t(split)].numbers.size()));
  }
  return Status::success();
}

Expected<Corpus> loadIds(const std::string &ids, const std::string &targets,
                         std::optional<int64_t> size) {
  constexpr int64_t most = 1 << 24;
  if (size && (*size < 2 || *size > most))
    return expects("--vocab", fmt::format("2 to {} words", most),
                   fmt::format("{}", *size));
  int64_t limit = size.value_or(most);
  auto read = readStreams(ids, "ids", limit);
  if (!read)
    return read.status();
  std::optional<Streams> aims;
  if (!targets.empty()) {
    auto made = readStreams(targets, "targets", limit);
    if (!made)
      return made.status();
    aims = std::move(*made);
  }
  if (Status s = checkLengths(*read, aims ? &*aims : nullptr); !s)
    return s;
  int32_t largest = 1;
  for (const Streams *group : {&*read, aims ? &*aims : nullptr})
    for (size_t i = 0; group && i < allSplits.size(); ++i)
      for (int32_t number : (*group)[i].numbers)
        largest = std::max(largest, number);
  Corpus corpus{Vocabulary::numbered(size.value_or(int64_t(largest) + 1)), {}};
  for (size_t i = 0; i < allSplits.size(); ++i) {
    Lines &lines = corpus.splits[i];
    lines.ids = std::move((*read)[i].numbers);
    lines.starts.push_back(lines.numWords());
    if (aims)
      lines.targets = std::move((*aims)[i].numbers);
  }
  return corpus;
}

} // namespace geo::data
