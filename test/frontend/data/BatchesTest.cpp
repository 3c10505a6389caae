// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Batches.h"

#include "frontend/data/Rng.h"

#include <algorithm>

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

/// Lines of the given lengths whose words count up from 1.
Lines counting(const std::vector<int64_t> &lengths) {
  Lines lines;
  for (int64_t length : lengths) {
    for (int64_t k = 0; k < length; ++k)
      lines.ids.push_back(int32_t(lines.ids.size()) + 1);
    lines.starts.push_back(lines.numWords());
  }
  return lines;
}

Lines randomLines(int64_t count, int64_t longest) {
  Rng random(7);
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < count; ++i)
    lengths.push_back(1 + int64_t(random.below(uint64_t(longest))));
  return counting(lengths);
}

Batches make(const Lines &lines, BatchOptions options) {
  auto batches = Batches::create(lines, options, "text");
  EXPECT_TRUE(batches) << batches.message();
  return std::move(*batches);
}

std::vector<int32_t> column(const Batch &batch, int64_t row) {
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < batch.steps; ++t)
    ids.push_back(batch.ids.data<int32_t>()[t * batch.rows + row]);
  return ids;
}

std::vector<float> maskColumn(const Batch &batch, int64_t row) {
  std::vector<float> mask;
  for (int64_t t = 0; t < batch.steps; ++t)
    mask.push_back(batch.mask.data<float>()[t * batch.rows + row]);
  return mask;
}

/// All words where the mask is 1, and checks what holds for every batch.
std::vector<int32_t> scoredIds(const Batches &batches, int64_t multiple) {
  std::vector<int32_t> seen;
  int64_t cells = 0;
  for (int64_t i = 0; i < batches.size(); ++i) {
    Batch batch = batches.get(i);
    EXPECT_EQ(batch.steps % multiple, 0);
    EXPECT_EQ(batch.ids.shape(),
              (std::vector<int64_t>{batch.steps, batch.rows}));
    int64_t scored = 0;
    for (int64_t c = 0; c < batch.ids.numElements(); ++c) {
      EXPECT_EQ(batch.ids.data<int32_t>()[c], batch.targets.data<int32_t>()[c]);
      if (batch.mask.data<float>()[c] == 0)
        continue;
      ++scored;
      seen.push_back(batch.ids.data<int32_t>()[c]);
    }
    EXPECT_EQ(scored, batch.scored);
    cells += batch.steps * batch.rows;
  }
  EXPECT_EQ(int64_t(seen.size()), batches.scoredWords());
  EXPECT_EQ(cells, batches.cells());
  return seen;
}

using Ids = std::vector<int32_t>;
using Mask = std::vector<float>;

} // namespace

TEST(Batches, LinesAreCutAndOrderedByLength) {
  BatchOptions options;
  options.context = 4;
  options.batch = 2;
  Batches batches = make(counting({3, 6, 4}), options);
  // Sequences: 1-3, 4-7, 8-9, 10-13; by length: 8-9, 1-3, 4-7, 10-13.
  ASSERT_EQ(batches.size(), 2);
  EXPECT_EQ(batches.numSequences(), 4);
  Batch first = batches.get(0), second = batches.get(1);
  EXPECT_EQ(first.steps, 3);
  EXPECT_EQ(first.scored, 5);
  EXPECT_EQ(column(first, 0), (Ids{8, 9, 0}));
  EXPECT_EQ(maskColumn(first, 0), (Mask{1, 1, 0}));
  EXPECT_EQ(column(first, 1), (Ids{1, 2, 3}));
  EXPECT_EQ(column(second, 0), (Ids{4, 5, 6, 7}));
  EXPECT_EQ(column(second, 1), (Ids{10, 11, 12, 13}));
}

TEST(Batches, WindowsShareOneWord) {
  BatchOptions options;
  options.protocol = Protocol::Windows;
  options.context = 3;
  options.batch = 8;
  options.multiple = 3;
  // 11 words: (11 - 1) / 3 = 3 windows, the last word is left out.
  Batches batches = make(counting({5, 6}), options);
  ASSERT_EQ(batches.size(), 1);
  Batch batch = batches.get(0);
  EXPECT_EQ(batch.rows, 3);
  EXPECT_EQ(batch.steps, 6); // 4 steps padded to a multiple of 3
  EXPECT_EQ(batch.scored, 9);
  EXPECT_EQ(column(batch, 0), (Ids{1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(column(batch, 1), (Ids{4, 5, 6, 7, 0, 0}));
  EXPECT_EQ(column(batch, 2), (Ids{7, 8, 9, 10, 0, 0}));
  for (int64_t row = 0; row < 3; ++row)
    EXPECT_EQ(maskColumn(batch, row), (Mask{0, 1, 1, 1, 0, 0}));
}

TEST(Batches, WindowsNeedAWordMoreThanTheContext) {
  BatchOptions options;
  options.protocol = Protocol::Windows;
  options.context = 4;
  EXPECT_EQ(make(counting({5}), options).size(), 1);
  EXPECT_EQ(Batches::create(counting({4}), options, "text").message(),
            "text: expects more than 4 words (--context), but got 4");
  options.context = INT64_MAX;
  EXPECT_FALSE(Batches::create(counting({4}), options, "text"));
  options.protocol = Protocol::Lines;
  EXPECT_EQ(make(counting({4}), options).get(0).steps, 4);
  options.batch = INT64_MAX;
  options.shuffle = true;
  EXPECT_EQ(make(counting({4, 2}), options).size(), 1);
}

TEST(Batches, EveryWordIsScoredOnce) {
  Lines lines = randomLines(1000, 50);
  Ids all = lines.ids;
  for (bool shuffle : {false, true})
    for (int64_t multiple : {1, 8}) {
      BatchOptions options;
      options.context = 20;
      options.batch = 16;
      options.multiple = multiple;
      options.shuffle = shuffle;
      Batches batches = make(lines, options);
      Ids seen = scoredIds(batches, multiple);
      std::sort(seen.begin(), seen.end());
      EXPECT_EQ(seen, all);
    }
}

TEST(Batches, ShuffleDependsOnSeedAndEpochOnly) {
  Lines lines = randomLines(3000, 40);
  BatchOptions options;
  options.batch = 16;
  options.shuffle = true;
  options.seed = 42;
  Batches a = make(lines, options), b = make(lines, options);
  Ids epoch0 = scoredIds(a, 1);
  a.startEpoch(1);
  Ids epoch1 = scoredIds(a, 1);
  EXPECT_NE(epoch0, epoch1);
  b.startEpoch(5);
  b.startEpoch(1);
  EXPECT_EQ(scoredIds(b, 1), epoch1);
  a.startEpoch(0);
  EXPECT_EQ(scoredIds(a, 1), epoch0);
  options.seed = 43;
  EXPECT_NE(scoredIds(make(lines, options), 1), epoch0);
}

TEST(Batches, ShuffledBatchesPadLittle) {
  Lines lines = randomLines(5000, 60);
  BatchOptions options;
  options.batch = 16;
  options.shuffle = true;
  Batches batches = make(lines, options);
  EXPECT_LT(double(batches.cells()), 1.06 * double(batches.scoredWords()));
  // The order of batches is not by length.
  int longer = 0, shorter = 0;
  for (int64_t i = 1; i < batches.size(); ++i) {
    longer += batches.get(i).steps > batches.get(i - 1).steps;
    shorter += batches.get(i).steps < batches.get(i - 1).steps;
  }
  EXPECT_GT(longer, batches.size() / 4);
  EXPECT_GT(shorter, batches.size() / 4);
}

TEST(Batches, Refuses) {
  Lines lines = counting({5});
  for (int64_t bad : {int64_t(0), int64_t(-1)}) {
    BatchOptions context, batch, multiple;
    context.context = bad;
    batch.batch = bad;
    multiple.multiple = bad;
    for (const BatchOptions &options : {context, batch, multiple})
      EXPECT_FALSE(Batches::create(lines, options, "text"));
  }
  EXPECT_FALSE(Batches::create(Lines(), BatchOptions(), "text"));
  EXPECT_EQ(*parseProtocol("windows"), Protocol::Windows);
  EXPECT_EQ(parseProtocol("x").message(),
            "--protocol: expects lines or windows, but got 'x'");
}
