// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/CountModels.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

/// The folder of a shared corpus; empty, with a line said, where there is none.
std::string sharedCorpus(const std::string &name) {
  const char *set = std::getenv("GEOC_SHARED_DATA");
  std::filesystem::path root =
      set ? std::filesystem::path(set)
          : std::filesystem::path(GEOC_SOURCE_DIR) / "../shared/data";
  std::filesystem::path folder = root / name;
  return std::filesystem::is_directory(folder) ? folder.string() : "";
}

#define NEED_CORPUS(variable, name)                                            \
  std::string variable = sharedCorpus(name);                                   \
  if (variable.empty())                                                        \
  GTEST_SKIP() << "no corpus " name                                            \
                  ": set GEOC_SHARED_DATA to the folder that holds it"

std::vector<double> roundedPerplexities(const Corpus &corpus,
                                        Protocol protocol) {
  auto models = countModels(corpus[Split::Train], corpus[Split::Valid],
                            corpus.vocabulary.size(), protocol);
  EXPECT_TRUE(models);
  std::vector<double> result;
  for (const CountModel &model : *models)
    result.push_back(std::round(model.perplexity * 10) / 10);
  return result;
}

} // namespace

TEST(SharedData, PennTreebank) {
  NEED_CORPUS(path, "ptb");
  auto text = readText(path);
  ASSERT_TRUE(text) << text.message();
  EXPECT_EQ((*text)[Split::Train].numWords(), 887521);
  EXPECT_EQ((*text)[Split::Valid].numWords(), 70390);
  EXPECT_EQ((*text)[Split::Test].numWords(), 78669);
  EXPECT_EQ(largestVocabulary(*text), 9999); // 10,000 with the line end
  EXPECT_FALSE(mostFrequent(*text, 10000));

  auto corpus = loadCorpus(path, 2000);
  ASSERT_TRUE(corpus) << corpus.message();
  BatchOptions options;
  auto valid = Batches::create((*corpus)[Split::Valid], options, path);
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->scoredWords(), 70390);
  int64_t scored = 0;
  for (int64_t i = 0; i < valid->size(); ++i)
    scored += valid->get(i).scored;
  EXPECT_EQ(scored, 70390);
  options.shuffle = true;
  auto train = Batches::create((*corpus)[Split::Train], options, path);
  EXPECT_EQ(train->scoredWords(), 887521);
  EXPECT_LT(double(train->cells()), 1.05 * 887521);

  EXPECT_EQ(roundedPerplexities(*corpus, Protocol::Lines),
            (std::vector<double>{205.4, 72.3, 59.4, 58.7, 59.8}));
  EXPECT_EQ(roundedPerplexities(*corpus, Protocol::Windows),
            (std::vector<double>{205.4, 75.9, 63.3, 63.2, 64.5}));
}

TEST(SharedData, WikiText2) {
  NEED_CORPUS(path, "wikitext-2");
  auto text = readText(path);
  ASSERT_TRUE(text) << text.message();
  EXPECT_EQ((*text)[Split::Train].numWords(), 2051910);
  EXPECT_EQ((*text)[Split::Valid].numWords(), 213886);
  EXPECT_EQ((*text)[Split::Test].numWords(), 241211);
  auto corpus = loadCorpus(path, 2000);
  ASSERT_TRUE(corpus) << corpus.message();
  EXPECT_EQ(roundedPerplexities(*corpus, Protocol::Lines),
            (std::vector<double>{110.3, 44.4, 38.2, 39.2, 40.9}));
}
