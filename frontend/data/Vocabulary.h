// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_VOCABULARY_H
#define GEOC_FRONTEND_DATA_VOCABULARY_H

#include "runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace geo::data {

/// Words and their rows. The word "<unk>" is among them and stands for every
/// other word; but for a numbered vocabulary, whose words are the numbers of
/// the rows, "0", "1", ..., and which has none for others.
class Vocabulary {
public:
  static constexpr std::string_view unknown = "<unk>";

  /// The numbered vocabulary of `size` >= 2 rows.
  static Vocabulary numbered(int64_t size);
  /// `words[i]` gets row i. Errors: fewer than two words, duplicates, no
  /// <unk> (unless numbered), words that are empty or not UTF-8; `where` says
  /// what they came from.
  static rt::Expected<Vocabulary> fromWords(std::vector<std::string> words,
                                            std::string_view where);
  /// From the JSON list that toJson() writes.
  static rt::Expected<Vocabulary> fromJson(std::string_view json,
                                           std::string_view where);
  std::string toJson() const;

  int64_t size() const { return int64_t(words.size()); }
  const std::string &word(int32_t row) const { return words[size_t(row)]; }
  const std::vector<std::string> &all() const { return words; }
  bool isNumbered() const { return unknownAt < 0; }
  /// -1 if numbered.
  int32_t unknownRow() const { return unknownAt; }
  bool contains(const std::string &word) const { return rows.count(word) != 0; }
  /// The word's row, or unknownRow().
  int32_t row(const std::string &word) const {
    auto at = rows.find(word);
    return at == rows.end() ? unknownAt : at->second;
  }

private:
  std::vector<std::string> words;
  std::unordered_map<std::string, int32_t> rows;
  int32_t unknownAt = -1;
};

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_VOCABULARY_H
