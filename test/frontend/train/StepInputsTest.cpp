// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/StepInputs.h"

#include <gtest/gtest.h>

using namespace geo;
using rt::DType;
using rt::Tensor;

namespace {

/// [steps, rows] with ids 1, 2, 3, ... in each column, of the given lengths.
data::Batch batchOf(std::vector<int64_t> lengths, float firstMask) {
  data::Batch b;
  b.rows = int64_t(lengths.size());
  for (int64_t n : lengths)
    b.steps = std::max(b.steps, n);
  b.ids = Tensor(DType::I32, {b.steps, b.rows});
  b.mask = Tensor(DType::F32, {b.steps, b.rows});
  for (int64_t r = 0; r < b.rows; ++r)
    for (int64_t t = 0; t < lengths[r]; ++t) {
      b.ids.data<int32_t>()[t * b.rows + r] = int32_t(10 * r + t + 1);
      b.mask.data<float>()[t * b.rows + r] = t == 0 ? firstMask : 1;
    }
  b.targets = b.ids.clone();
  return b;
}

template <class T> std::vector<T> all(const T *data, int64_t n) {
  return std::vector<T>(data, data + n);
}

TEST(StepInputs, LinesScoreEveryWordFromTheRootOn) {
  StepInputs made(batchOf({3, 2}, 1), data::Protocol::Lines);
  const StepInput &in = made.get();
  ASSERT_EQ(in.steps, 2);
  ASSERT_EQ(in.rows, 2);
  EXPECT_EQ(all(in.startTargets, 2), (std::vector<int32_t>{1, 11}));
  EXPECT_EQ(all(in.startMask, 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(all(in.ids, 4), (std::vector<int32_t>{1, 11, 2, 12}));
  EXPECT_EQ(all(in.valid, 4), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(all(in.targets, 4), (std::vector<int32_t>{2, 12, 3, 0}));
  EXPECT_EQ(all(in.mask, 4), (std::vector<float>{1, 1, 1, 0}));
}

TEST(StepInputs, WindowsReadTheFirstWordWithoutScoringIt) {
  StepInputs made(batchOf({3}, 0), data::Protocol::Windows);
  const StepInput &in = made.get();
  EXPECT_EQ(in.steps, 2);
  EXPECT_EQ(all(in.startMask, 1), (std::vector<float>{0}));
  EXPECT_EQ(all(in.valid, 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(all(in.mask, 2), (std::vector<float>{1, 1}));
}

TEST(StepInputs, LinesOfOneWordGetAPaddedStep) {
  StepInputs made(batchOf({1, 1}, 1), data::Protocol::Lines);
  const StepInput &in = made.get();
  EXPECT_EQ(in.steps, 1);
  EXPECT_EQ(all(in.startMask, 2), (std::vector<float>{1, 1}));
  EXPECT_EQ(all(in.mask, 2), (std::vector<float>{0, 0}));
}

} // namespace
