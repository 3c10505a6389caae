// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Rng.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

using namespace geo::data;

// Seeds in checkpoints and logs mean these sequences for good.
TEST(Rng, SequenceIsFixed) {
  Rng a(42), b(42), other(43), stream(42, 1);
  std::vector<uint64_t> first;
  for (int i = 0; i < 4; ++i)
    first.push_back(a.next());
  EXPECT_EQ(first,
            (std::vector<uint64_t>{0x19e479e2aaa77bfbu, 0x5e3efe753be27527u,
                                   0xc3ed7125b780200au, 0x85b911e2152f876eu}));
  EXPECT_EQ(b.next(), first[0]);
  EXPECT_NE(other.next(), first[0]);
  EXPECT_NE(stream.next(), first[0]);
}

TEST(Rng, UniformMoments) {
  Rng rng(1);
  double sum = 0, squares = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.003);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.003);
}

TEST(Rng, NormalMoments) {
  Rng rng(2);
  double mean = 0, second = 0, fourth = 0;
  constexpr int n = 400000;
  for (int i = 0; i < n; ++i) {
    double x = rng.normal();
    mean += x / n;
    second += x * x / n;
    fourth += x * x * x * x / n;
  }
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(second, 1, 0.01);
  EXPECT_NEAR(fourth, 3, 0.1);
}

TEST(Rng, BelowIsInRangeAndEven) {
  Rng rng(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i)
    ++counts[rng.below(7)];
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(rng.below(1), 0u);
  // With a bound just above 2^63 nearly half of all draws are refused.
  uint64_t bound = (uint64_t(1) << 63) + 1;
  for (int i = 0; i < 1000; ++i)
    EXPECT_LT(rng.below(bound), bound);
}

TEST(Rng, ShufflePermutes) {
  std::vector<int> items(1000), sorted;
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> once = items, twice = items;
  Rng(5).shuffle(once);
  Rng(5).shuffle(twice);
  EXPECT_EQ(once, twice);
  EXPECT_NE(once, items);
  sorted = once;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, items);
  std::vector<int> empty;
  Rng(5).shuffle(empty);
}

TEST(Rng, StateSurvives) {
  Rng a(9);
  a.normal(); // leaves a spare
  Rng b(1);
  ASSERT_TRUE(b.restore(a.save()));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(a.normal(), b.normal());
  a.next();
  ASSERT_TRUE(b.restore(a.save()));
  EXPECT_EQ(a.next(), b.next());
  std::string good = a.save();
  for (const std::string &bad :
       {std::string(), std::string("x"), good + "x", good.substr(0, 40),
        std::string(64, '0') + ":nan"})
    EXPECT_FALSE(b.restore(bad)) << bad;
  EXPECT_EQ(b.save(), good);
}
