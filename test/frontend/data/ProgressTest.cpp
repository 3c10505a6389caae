// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Progress.h"

#include <gtest/gtest.h>

using namespace geo::data;

namespace {

/// Runs `body` with a progress on a temporary file and returns what it wrote.
template <typename Body>
std::string outputOf(Progress::Options::Terminal terminal, Body body) {
  std::FILE *file = std::tmpfile();
  double now = 0;
  {
    Progress::Options options;
    options.out = file;
    options.terminal = terminal;
    options.clock = [&now] { return now; };
    Progress progress("epoch 1", 1000, options);
    body(progress, now);
  }
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;)
    text += char(c);
  std::fclose(file);
  return text;
}

} // namespace

TEST(Progress, PlainLinesAreRare) {
  auto run = [](Progress &progress, double &now) {
    for (int i = 1; i <= 100; ++i) {
      now = i * 0.2;
      progress.update(i * 10, 4.5);
    }
  };
  std::string text = outputOf(Progress::Options::Terminal::No, run);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4); // 20 s, each 5 s
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "epoch 1  25%  50 tokens/s  loss 4.5000  ETA 0:15");
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text, outputOf(Progress::Options::Terminal::Ask, run));
}

TEST(Progress, BarIsDrawnOverAndRemoved) {
  std::string text = outputOf(Progress::Options::Terminal::Yes,
                              [](Progress &progress, double &now) {
                                now = 1;
                                progress.update(500, 2);
                                now = 1.01; // too soon
                                progress.update(600, 2);
                                now = 2;
                                progress.update(2000, 2); // beyond the end
                              });
  EXPECT_EQ(text,
            "\repoch 1 [############............]  50%  500 tokens/s  loss "
            "2.0000  ETA 0:01\x1b[K"
            "\repoch 1 [########################] 100%  1000 tokens/s  loss "
            "2.0000  ETA 0:00\x1b[K"
            "\r\x1b[K");
}

TEST(Progress, Durations) {
  EXPECT_EQ(durationText(0), "0:00");
  EXPECT_EQ(durationText(65.4), "1:05");
  EXPECT_EQ(durationText(7265), "2:01:05");
  EXPECT_EQ(durationText(-1), "-");
  EXPECT_EQ(durationText(1.0 / 0.0), "-");
}
