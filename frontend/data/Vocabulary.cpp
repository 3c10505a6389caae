// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Vocabulary.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace geo::data {

using rt::Expected;
using rt::expects;
using rt::quote;

Vocabulary Vocabulary::numbered(int64_t size) {
  Vocabulary result;
  for (int64_t i = 0; i < size; ++i) {
    result.words.push_back(std::to_string(i));
    result.rows.emplace(result.words.back(), int32_t(i));
  }
  return result;
}

static bool areNumbers(const std::vector<std::string> &words) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] != std::to_string(i))
      return false;
  return true;
}

Expected<Vocabulary> Vocabulary::fromWords(std::vector<std::string> words,
                                           std::string_view where) {
  if (words.size() < 2 ||
      words.size() > size_t(std::numeric_limits<int32_t>::max()))
    return expects(where, "a vocabulary of 2 to 2^31 - 1 words",
                   fmt::format("{}", words.size()));
  Vocabulary result;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].empty() || !rt::isValidUtf8(words[i]))
      return expects(where, "vocabulary words in UTF-8",
                     fmt::format("{} in place {}", quote(words[i]), i));
    if (!result.rows.emplace(words[i], int32_t(i)).second)
      return expects(where, "distinct vocabulary words",
                     quote(words[i]) + " twice");
  }
  auto at = result.rows.find(std::string(unknown));
  if (at != result.rows.end())
    result.unknownAt = at->second;
  else if (!areNumbers(words))
    return expects(where, "<unk> among the vocabulary's words", "none");
  result.words = std::move(words);
  return result;
}

Expected<Vocabulary> Vocabulary::fromJson(std::string_view json,
                                          std::string_view where) {
  auto wrong = [&](std::string_view got) {
    return expects(where, "a vocabulary that is a JSON list of words", got);
  };
  auto list = nlohmann::json::parse(json.begin(), json.end(), nullptr,
                                    /*allow_exceptions=*/false);
  if (list.is_discarded())
    return wrong(quote(json));
  if (!list.is_array())
    return wrong(list.type_name());
  std::vector<std::string> words;
  for (auto &word : list) {
    if (!word.is_string())
      return wrong(fmt::format("{} among the words", word.type_name()));
    words.push_back(word.get<std::string>());
  }
  return fromWords(std::move(words), where);
}

std::string Vocabulary::toJson() const { return nlohmann::json(words).dump(); }

} // namespace geo::data
