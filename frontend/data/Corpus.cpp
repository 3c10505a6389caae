// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Corpus.h"

#include "runtime/AtomicFile.h"

#include <algorithm>
#include <deque>
#include <filesystem>

#include <fmt/format.h>

namespace geo::data {

using rt::Expected;
using rt::expects;
using rt::Status;

/// The least of each split, and of a file that is split here (so that its
/// parts have enough).
constexpr int64_t leastLines = 2, leastFileLines = 40, leastWords = 100;

const char *name(Split split) {
  switch (split) {
  case Split::Train:
    return "train";
  case Split::Valid:
    return "valid";
  case Split::Test:
    return "test";
  }
  return "?";
}

/// Bytes of the white space at `text[at]`, 0 if there is none: the characters
/// of Python's str.isspace().
static size_t spaceLength(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  unsigned b = byte(0);
  if (b < 0x80)
    return b == ' ' || (b >= 0x09 && b <= 0x0D) || (b >= 0x1C && b <= 0x1F);
  if (b == 0xC2)
    return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  unsigned wide = b << 16 | byte(1) << 8 | byte(2);
  bool space = wide == 0xE19A80 ||                       // U+1680
               (wide >= 0xE28080 && wide <= 0xE2808A) || // U+2000 - U+200A
               wide == 0xE280A8 || wide == 0xE280A9 || wide == 0xE280AF ||
               wide == 0xE2819F || wide == 0xE38080;
  return space ? 3 : 0;
}

std::vector<std::string_view> splitWords(std::string_view line) {
  std::vector<std::string_view> words;
  size_t start = 0;
  for (size_t i = 0; i <= line.size();) {
    size_t space = i < line.size() ? spaceLength(line, i) : 1;
    if (space && i > start)
      words.push_back(line.substr(start, i - start));
    i += space ? space : 1;
    if (space)
      start = i;
  }
  return words;
}

namespace {

/// Gives every different word a number.
class Interner {
public:
  int32_t operator()(std::string_view word) {
    auto at = numbers.find(word);
    if (at != numbers.end())
      return at->second;
    // A deque's elements stay in place, so the keys may point into it.
    words.emplace_back(word);
    auto number = int32_t(numbers.size());
    numbers.emplace(words.back(), number);
    return number;
  }
  std::vector<std::string> all() const { return {words.begin(), words.end()}; }

private:
  std::deque<std::string> words;
  std::unordered_map<std::string_view, int32_t> numbers;
};

} // namespace

static Expected<Lines> readLines(const std::string &path, Interner &intern) {
  auto file = rt::readFile(path);
  if (!file)
    return file.status();
  std::string_view text = *file;
  if (text.empty())
    return expects(path, "text", "an empty file");
  size_t valid = std::min(rt::validUtf8Length(text), text.find('\0'));
  if (valid < text.size())
    return expects(path, "text in UTF-8",
                   fmt::format("byte 0x{:02x} at position {}",
                               static_cast<unsigned char>(text[valid]), valid));
  if (text.substr(0, 3) == "\xEF\xBB\xBF") // byte order mark
    text.remove_prefix(3);
  Lines lines;
  while (!text.empty()) {
    size_t end = std::min(text.find_first_of("\r\n"), text.size());
    for (std::string_view word : splitWords(text.substr(0, end)))
      lines.ids.push_back(intern(word));
    if (lines.numWords() > lines.starts.back())
      lines.starts.push_back(lines.numWords());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

static Lines slice(const Lines &lines, int64_t first, int64_t last) {
  Lines part;
  int64_t offset = lines.starts[first];
  part.ids.assign(lines.ids.begin() + offset,
                  lines.ids.begin() + lines.starts[last]);
  for (int64_t i = first; i < last; ++i)
    part.starts.push_back(lines.starts[i + 1] - offset);
  return part;
}

static Status readOneFile(Text &text, Interner &intern) {
  auto lines = readLines(text.path, intern);
  if (!lines)
    return lines.status();
  int64_t n = lines->numLines(), trainEnd = n * 90 / 100,
          validEnd = n * 95 / 100;
  if (n < leastFileLines)
    return expects(
        text.path,
        fmt::format("at least {} lines with words, to split them 90/5/5",
                    leastFileLines),
        fmt::format("{}", n));
  text.splits = {slice(*lines, 0, trainEnd), slice(*lines, trainEnd, validEnd),
                 slice(*lines, validEnd, n)};
  return Status::success();
}

/// The file of `folder` for a split; empty if there is none.
static Expected<std::string> fileOfSplit(const std::string &folder,
                                         Split split) {
  std::string found, part = fmt::format(".{}.", name(split));
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end; at.increment(error)) {
    std::string file = at->path().filename().string();
    // Hidden files are what editors leave.
    if (file[0] != '.' && file.find(part) != std::string::npos &&
        (found.empty() || file < found))
      found = file;
  }
  if (error)
    return expects(folder, "a readable folder", error.message());
  if (found.empty())
    return expects(folder,
                   "a file with " + part + " in its name (as in ptb" + part +
                       "txt)",
                   "none");
  return (std::filesystem::path(folder) / found).string();
}

static Status readFolder(Text &text, Interner &intern) {
  for (Split split : allSplits) {
    auto file = fileOfSplit(text.path, split);
    if (!file)
      return file.status();
    auto lines = readLines(*file, intern);
    if (!lines)
      return lines.status();
    if (lines->numLines() < leastLines)
      return expects(*file,
                     fmt::format("at least {} lines with words", leastLines),
                     fmt::format("{}", lines->numLines()));
    text.splits[size_t(split)] = std::move(*lines);
  }
  return Status::success();
}

Expected<Text> readText(const std::string &path) {
  Text text;
  text.path = path;
  Interner intern;
  std::error_code error;
  bool folder = std::filesystem::is_directory(path, error);
  if (Status s = folder ? readFolder(text, intern) : readOneFile(text, intern);
      !s)
    return s;
  int64_t words = text[Split::Train].numWords();
  if (words < leastWords)
    return expects(path,
                   fmt::format("at least {} words to train on", leastWords),
                   fmt::format("{}", words));
  text.words = intern.all();
  return text;
}

/// How often each word stands in the training part.
static std::vector<int64_t> countWords(const Text &text) {
  std::vector<int64_t> counts(text.words.size());
  for (int32_t id : text[Split::Train].ids)
    ++counts[size_t(id)];
  return counts;
}

/// The training part's different words, most frequent first.
static std::vector<int32_t> byFrequency(const Text &text) {
  std::vector<int64_t> counts = countWords(text);
  std::vector<int32_t> order;
  for (size_t id = 0; id < counts.size(); ++id)
    if (counts[id])
      order.push_back(int32_t(id));
  // Numbers follow first appearance, so they decide ties.
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  return order;
}

static int64_t largestVocabulary(const Text &text,
                                 const std::vector<int32_t> &order) {
  bool known = std::any_of(order.begin(), order.end(), [&](int32_t id) {
    return text.words[size_t(id)] == Vocabulary::unknown;
  });
  return int64_t(order.size()) + !known;
}

int64_t largestVocabulary(const Text &text) {
  return largestVocabulary(text, byFrequency(text));
}

Expected<Vocabulary> mostFrequent(const Text &text, int64_t size) {
  std::vector<int32_t> order = byFrequency(text);
  int64_t most = largestVocabulary(text, order);
  if (size < 2 || size > most)
    return expects(
        text.path,
        fmt::format("a vocabulary of 2 to {} words (all it has)", most),
        fmt::format("{}", size));
  std::vector<std::string> words;
  for (int32_t id : order)
    if (int64_t(words.size()) < size)
      words.push_back(text.words[size_t(id)]);
  if (std::find(words.begin(), words.end(), Vocabulary::unknown) ==
      words.end()) {
    words.resize(size_t(size) - 1);
    words.emplace_back(Vocabulary::unknown);
  }
  return Vocabulary::fromWords(std::move(words), text.path);
}

Corpus encode(const Text &text, Vocabulary vocabulary) {
  std::vector<int32_t> rows;
  for (const std::string &word : text.words)
    rows.push_back(vocabulary.row(word));
  Corpus corpus{std::move(vocabulary), text.splits};
  for (Lines &lines : corpus.splits)
    for (int32_t &id : lines.ids)
      id = rows[size_t(id)];
  return corpus;
}

Expected<Corpus> loadCorpus(const std::string &path, int64_t vocabularySize) {
  auto text = readText(path);
  if (!text)
    return text.status();
  auto vocabulary = mostFrequent(*text, vocabularySize);
  if (!vocabulary)
    return vocabulary.status();
  return encode(*text, std::move(*vocabulary));
}

} // namespace geo::data
