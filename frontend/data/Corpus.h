// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_CORPUS_H
#define GEOC_FRONTEND_DATA_CORPUS_H

#include "frontend/data/Vocabulary.h"

#include <array>

namespace geo::data {

/// Lines of words, as numbers, end to end: line i holds
/// ids[starts[i] .. starts[i + 1]). No line is empty.
struct Lines {
  std::vector<int32_t> ids;
  std::vector<int64_t> starts{0};
  /// As long as ids: what is to be predicted after each word. Empty: the next
  /// word of ids.
  std::vector<int32_t> targets{};

  int64_t numLines() const { return int64_t(starts.size()) - 1; }
  int64_t numWords() const { return int64_t(ids.size()); }
  const int32_t *line(int64_t i) const { return ids.data() + starts[i]; }
  int64_t lineLength(int64_t i) const { return starts[i + 1] - starts[i]; }
};

enum class Split { Train, Valid, Test };
constexpr std::array<Split, 3> allSplits = {Split::Train, Split::Valid,
                                            Split::Test};
/// "train", "valid" or "test".
const char *name(Split split);

/// A text as it is in its files: ids index `words`, every different word in
/// order of first appearance, the training part's first.
struct Text {
  std::string path;
  std::vector<std::string> words;
  std::array<Lines, 3> splits;

  const Lines &operator[](Split split) const { return splits[size_t(split)]; }
};

/// Reads a text file (its lines split 90/5/5, in order) or a folder with one
/// file for each split, told by ".train.", ".valid." and ".test." in its name
/// (the first in order of names; Penn Treebank and WikiText come like this).
/// Words are split at white space as Python's str.split() does, blank lines
/// dropped.
/// Errors: missing or unreadable, empty, not text (a zero byte, not UTF-8), a
/// split of fewer than 2 lines, fewer than 100 words to train on.
rt::Expected<Text> readText(const std::string &path);

/// How many words mostFrequent() can give at most: the different words of the
/// training part, and <unk> if it is not one of them.
int64_t largestVocabulary(const Text &text);

/// The `size` most frequent words of the training part, ties by first
/// appearance; <unk> takes the last place if it is not among them. Error:
/// `size` below 2 or above largestVocabulary().
rt::Expected<Vocabulary> mostFrequent(const Text &text, int64_t size);

/// A text in the rows of a vocabulary.
struct Corpus {
  Vocabulary vocabulary;
  std::array<Lines, 3> splits;

  const Lines &operator[](Split split) const { return splits[size_t(split)]; }
};

/// `vocabulary` must not be numbered.
Corpus encode(const Text &text, Vocabulary vocabulary);
/// readText, mostFrequent and encode in one.
rt::Expected<Corpus> loadCorpus(const std::string &path,
                                int64_t vocabularySize);

/// The words of a line of text, split as readText() does.
std::vector<std::string_view> splitWords(std::string_view line);

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_CORPUS_H
