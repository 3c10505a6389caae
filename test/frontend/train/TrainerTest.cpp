// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Trainer.h"

#include "../../runtime/TempFolder.h"

#include <gtest/gtest.h>

using namespace geo;

namespace {

TrainOptions smallRun(const TempFolder &folder) {
  std::string text;
  for (int i = 0; i < 120; ++i) {
    for (int k = 0; k < 2 + i % 5; ++k)
      text += "w" + std::to_string((i * 7 + k * k) % 11) + " ";
    text += "\n";
  }
  TrainOptions options;
  options.corpus = folder.write("text.txt", text);
  options.out = folder / "run";
  options.config.dim = 4;
  options.vocabulary = 8;
  options.batch = 8;
  options.context = 8;
  options.epochs = 3;
  options.target = "loops";
  options.quiet = true;
  return options;
}

} // namespace

TEST(Trainer, NeverMoreThanTheIntervalIsUnsaved) {
  TempFolder folder;
  TrainOptions options = smallRun(folder);
  options.checkpointEvery = 4;
  auto trainer = Trainer::prepare(options);
  ASSERT_TRUE(trainer) << trainer.message();
  int64_t count = 0;
  auto status = trainer->run(
      [&](const EpochMetrics &m) {
        auto saved = readCheckpoint(trainer->lastPath());
        ASSERT_TRUE(saved) << saved.message();
        EXPECT_EQ(saved->epoch, m.epoch);
        EXPECT_EQ(saved->state.updates, count);
      },
      [&](int64_t updates) {
        EXPECT_EQ(updates, ++count);
        auto saved = readCheckpoint(trainer->lastPath());
        ASSERT_TRUE(saved) << saved.message();
        EXPECT_LT(updates - saved->state.updates, 4);
      });
  EXPECT_TRUE(status) << status.message();
  EXPECT_GT(count, 30);
}

TEST(Trainer, PatienceEndsARunAndItsResumption) {
  TempFolder folder;
  TrainOptions options = smallRun(folder);
  options.epochs = 50;
  options.patience = 2;
  options.lr = 0.5;
  options.schedule.kind = ScheduleKind::constant;
  std::vector<double> valid;
  auto keep = [&](const EpochMetrics &m) {
    valid.push_back(m.validPerplexity);
  };
  auto trainer = Trainer::prepare(options);
  ASSERT_TRUE(trainer) << trainer.message();
  ASSERT_TRUE(trainer->run(keep));
  ASSERT_LT(valid.size(), 50u);
  ASSERT_GT(valid.size(), 2u);
  EXPECT_EQ(std::min_element(valid.begin(), valid.end()), valid.end() - 3);
  std::string last = trainer->lastMetrics();
  options.resume = true;
  auto again = Trainer::prepare(options);
  ASSERT_TRUE(again) << again.message();
  size_t before = valid.size();
  ASSERT_TRUE(again->run(keep));
  EXPECT_EQ(valid.size(), before);
  EXPECT_EQ(again->lastMetrics(), last);
}
