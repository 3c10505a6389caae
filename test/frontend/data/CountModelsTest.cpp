// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/CountModels.h"

#include "../../runtime/TempFolder.h"
#include "SmallText.h"

#include <cmath>

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

/// Training and scored lines of the small text in V words.
std::pair<Corpus, Lines> smallCorpus(int64_t vocabularySize) {
  TempFolder folder;
  SmallText text;
  folder.write("t.train.txt", text.lines(300));
  folder.write("t.valid.txt", text.lines(60));
  folder.write("t.test.txt", "w1\nw2\n");
  auto corpus = loadCorpus(folder.path.string(), vocabularySize);
  EXPECT_TRUE(corpus) << corpus.message();
  return {*corpus, (*corpus)[Split::Valid]};
}

void expectPerplexities(int64_t vocabularySize, Protocol protocol,
                        const std::vector<double> &want) {
  auto [corpus, scored] = smallCorpus(vocabularySize);
  auto models =
      countModels(corpus[Split::Train], scored, vocabularySize, protocol);
  ASSERT_TRUE(models) << models.message();
  ASSERT_EQ(models->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ((*models)[i].order, int(i) + 1);
    EXPECT_NEAR((*models)[i].perplexity, want[i], 1e-9 * want[i]);
    EXPECT_EQ((*models)[i].scoredWords, 488);
  }
}

} // namespace

// Wanted values: an independent implementation in Python on the same text.
TEST(CountModels, Lines) {
  expectPerplexities(25, Protocol::Lines,
                     {15.161714370361393, 9.78930886205788, 10.472144095559626,
                      11.271033257464008, 11.725197047200403});
  expectPerplexities(40, Protocol::Lines,
                     {38.83581900869384, 15.125210066128552, 17.52208198605328,
                      18.684670296085795, 19.38384452245827});
}

TEST(CountModels, Windows) {
  expectPerplexities(25, Protocol::Windows,
                     {15.161714370361393, 10.35299872068844, 11.526763519389116,
                      12.787077750643851, 13.354943812673582});
  expectPerplexities(40, Protocol::Windows,
                     {38.83581900869384, 17.282842181729, 20.837374509827537,
                      22.14199437568371, 22.45421382431916});
}

TEST(CountModels, ByHand) {
  // Train: "0 1", "0 1"; V = 4. Unigram: p(0) = (2 - .75) / 4
  // + .75 * 2 / 4 / 4, p(2) = .75 * 2 / 4 / 4.
  Lines train{{0, 1, 0, 1}, {0, 2, 4}}, scored{{0, 2}, {0, 2}};
  auto models = countModels(train, scored, 4, Protocol::Lines, 1);
  double p0 = 1.25 / 4 + 0.375 / 4, p2 = 0.375 / 4;
  EXPECT_NEAR((*models)[0].perplexity, 1 / std::sqrt(p0 * p2), 1e-12);
  // Nothing seen: every word has probability 1 / V in every order.
  models = countModels(Lines(), scored, 4, Protocol::Lines);
  for (const CountModel &model : *models)
    EXPECT_NEAR(model.perplexity, 4, 1e-12);
}

TEST(CountModels, Refuses) {
  Lines none;
  EXPECT_FALSE(countModels(none, none, 4, Protocol::Lines, 0));
  EXPECT_FALSE(countModels(none, none, 4, Protocol::Lines, 6));
  EXPECT_FALSE(countModels(none, none, 1 << 25, Protocol::Lines));
  EXPECT_FALSE(countModels(none, none, 0, Protocol::Lines));
}
