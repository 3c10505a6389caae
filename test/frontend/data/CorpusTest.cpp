// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Corpus.h"

#include "../../runtime/TempFolder.h"
#include "SmallText.h"

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

std::vector<std::string> wordsOf(const Corpus &corpus, Split split,
                                 int64_t line) {
  const Lines &lines = corpus[split];
  std::vector<std::string> words;
  for (int64_t k = 0; k < lines.lineLength(line); ++k)
    words.push_back(corpus.vocabulary.word(lines.line(line)[k]));
  return words;
}

/// A folder whose training part is `train`, with 100 words to spare.
std::unique_ptr<TempFolder> folderWith(const std::string &train) {
  auto folder = std::make_unique<TempFolder>();
  std::string filler;
  for (int i = 0; i < 50; ++i)
    filler += "fill fill\n";
  folder->write("t.train.txt", train + filler);
  folder->write("t.valid.txt", "b zz\n\nfill\n");
  folder->write("t.test.txt", "a\nb\n");
  return folder;
}

} // namespace

TEST(SplitWords, AsPython) {
  using Words = std::vector<std::string_view>;
  EXPECT_EQ(splitWords("  a\tb \x1c c\v\f"), (Words{"a", "b", "c"}));
  EXPECT_EQ(splitWords(""), Words());
  EXPECT_EQ(splitWords(" \t "), Words());
  // No-break, em and ideographic space, line separator, next line.
  EXPECT_EQ(splitWords("a\xc2\xa0"
                       "b\xe2\x80\x83"
                       "c\xe3\x80\x80"
                       "d\xe2\x80\xa8"
                       "e\xc2\x85"
                       "f"),
            (Words{"a", "b", "c", "d", "e", "f"}));
  // Zero-width space and accented letters are no spaces.
  EXPECT_EQ(splitWords("a\xe2\x80\x8b"
                       "b caf\xc3\xa9"),
            (Words{"a\xe2\x80\x8b"
                   "b",
                   "caf\xc3\xa9"}));
}

TEST(Corpus, MostFrequentWithTiesByFirstAppearance) {
  auto folder = folderWith("c a b\n\n   \nb a <unk> d c\n");
  auto text = readText(folder->path.string());
  ASSERT_TRUE(text) << text.message();
  EXPECT_EQ(largestVocabulary(*text), 6);
  using Words = std::vector<std::string>;
  EXPECT_EQ(mostFrequent(*text, 6)->all(),
            (Words{"fill", "c", "a", "b", "<unk>", "d"}));
  // <unk> takes the last place where it is too rare.
  EXPECT_EQ(mostFrequent(*text, 3)->all(), (Words{"fill", "c", "<unk>"}));
  auto corpus = loadCorpus(folder->path.string(), 4);
  ASSERT_TRUE(corpus);
  EXPECT_EQ(wordsOf(*corpus, Split::Train, 1),
            (Words{"<unk>", "a", "<unk>", "<unk>", "c"}));
  EXPECT_EQ((*corpus)[Split::Train].numLines(), 52); // blank lines dropped
  EXPECT_EQ((*corpus)[Split::Train].numWords(), 108);
  EXPECT_EQ(wordsOf(*corpus, Split::Valid, 0), (Words{"<unk>", "<unk>"}));
  EXPECT_EQ((*corpus)[Split::Valid].numLines(), 2);
}

TEST(Corpus, UnknownNotInTheText) {
  auto folder = folderWith("a b\n");
  auto text = readText(folder->path.string());
  ASSERT_TRUE(text);
  EXPECT_EQ(largestVocabulary(*text), 4);
  using Words = std::vector<std::string>;
  EXPECT_EQ(mostFrequent(*text, 4)->all(), (Words{"fill", "a", "b", "<unk>"}));
  EXPECT_EQ(mostFrequent(*text, 2)->all(), (Words{"fill", "<unk>"}));
  EXPECT_EQ(mostFrequent(*text, 5).message(),
            folder->path.string() + ": expects a vocabulary of 2 to 4 words "
                                    "(all it has), but got 5");
  EXPECT_FALSE(mostFrequent(*text, 1));
  EXPECT_FALSE(mostFrequent(*text, -1));
}

TEST(Corpus, OneFileIsSplitInOrder) {
  TempFolder folder;
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "line w" + std::to_string(i) + (i % 2 ? "\r\n" : "\n");
  auto read = readText(folder.write("t", text));
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ((*read)[Split::Train].numLines(), 90);
  EXPECT_EQ((*read)[Split::Valid].numLines(), 5);
  EXPECT_EQ((*read)[Split::Test].numLines(), 5);
  const Lines &valid = (*read)[Split::Valid];
  EXPECT_EQ(read->words[valid.line(0)[1]], "w90");
  EXPECT_EQ(valid.lineLength(0), 2);
  EXPECT_EQ(read->words[(*read)[Split::Test].line(4)[1]], "w99");
}

TEST(Corpus, ByteOrderMarkAndMissingLastLineEnd) {
  TempFolder folder;
  std::string text = "\xEF\xBB\xBF"
                     "first\n";
  for (int i = 0; i < 120; ++i)
    text += "w\n";
  auto read = readText(folder.write("t", text + "last"));
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->words, (std::vector<std::string>{"first", "w", "last"}));
}

TEST(Corpus, BadInput) {
  TempFolder folder;
  auto error = [&](const std::string &name, const std::string &text) {
    std::string path = folder.write(name, text);
    auto read = readText(path);
    EXPECT_FALSE(read) << name;
    EXPECT_EQ(read.message().rfind(path + ": expects ", 0), 0u);
    EXPECT_EQ(read.message().find('\n'), std::string::npos);
    return read.message().substr(path.size() + 2);
  };
  std::string good = SmallText().lines(60);
  ASSERT_TRUE(readText(folder.write("good", good)));
  EXPECT_EQ(error("empty", ""), "expects text, but got an empty file");
  EXPECT_EQ(error("blank", "\n \n"),
            "expects at least 40 lines with words, to split them 90/5/5, but "
            "got 0");
  EXPECT_EQ(error("zero", std::string("ab\0c", 4) + good),
            "expects text in UTF-8, but got byte 0x00 at position 2");
  EXPECT_EQ(error("latin", "caf\xe9 " + good),
            "expects text in UTF-8, but got byte 0xe9 at position 3");
  error("short", SmallText().lines(39));
  std::string few;
  for (int i = 0; i < 60; ++i)
    few += "w\n";
  EXPECT_EQ(error("few", few),
            "expects at least 100 words to train on, but got 54");
  EXPECT_FALSE(readText(folder / "none"));
  EXPECT_FALSE(readText("/dev/null"));
  EXPECT_FALSE(readText(""));
}

TEST(Corpus, BadFolders) {
  auto folder = folderWith("");
  std::string path = folder->path.string();
  ASSERT_TRUE(readText(path));
  folder->write(".t.train.txt.swp", std::string(1, '\0')); // an editor's
  EXPECT_TRUE(readText(path));
  folder->write("t.valid.txt", "one line\n");
  EXPECT_EQ(readText(path).message(),
            path + "/t.valid.txt: expects at least 2 lines with words, but "
                   "got 1");
  std::filesystem::remove(folder->path / "t.valid.txt");
  EXPECT_EQ(readText(path).message(),
            path + ": expects a file with .valid. in its name (as in "
                   "ptb.valid.txt), but got none");
  std::filesystem::create_directory(folder->path / "t.valid.txt");
  EXPECT_FALSE(readText(path));
  EXPECT_FALSE(readText(TempFolder().path.string()));
}
