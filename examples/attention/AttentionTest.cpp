// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/attention/Attention.h"

#include "gtest/gtest.h"

using namespace geo;
using namespace geo::examples;

static AttentionResult learn(AttentionOptions options) {
  options.model = GEOC_ATTENTION_FOLDER "/attention.mlir";
  auto result = learnToAttend(options);
  EXPECT_TRUE(result.ok()) << result.message();
  if (!result)
    return {};
  return *result;
}

// Guessing is right for 1 of 32 answers, a value of the sequence for about 1 of
// 13; 3200 new questions are asked. Of ten seeds some end with one or two of
// the 32 labels in each other's place, which costs 0.03 each.
TEST(Attention, FindsTheValueOfTheKeyAskedFor) {
  for (const char *space : {"ball", "hyperboloid", "flat"}) {
    AttentionOptions options;
    options.space = space;
    AttentionResult result = learn(options);
    EXPECT_GT(result.accuracy, 0.9) << space;
    EXPECT_LT(result.loss, 0.5) << space;
    options.steps = 0;
    EXPECT_LT(learn(options).accuracy, 0.15) << space;
  }
}

TEST(Attention, BallAndHyperboloidAreOneSpace) {
  AttentionOptions options;
  options.steps = 300;
  AttentionResult ball = learn(options);
  options.space = "hyperboloid";
  AttentionResult hyperboloid = learn(options);
  EXPECT_NEAR(ball.loss, hyperboloid.loss, 1e-2);
  EXPECT_NEAR(ball.beta, hyperboloid.beta, 1e-2 * ball.beta);
}

TEST(Attention, TargetsAgree) {
  AttentionOptions options;
  options.steps = 100;
  AttentionResult cpu = learn(options);
  options.target = "loops";
  AttentionResult loops = learn(options);
  EXPECT_NEAR(cpu.loss, loops.loss, 1e-3);
  EXPECT_NEAR(cpu.beta, loops.beta, 1e-3);
  EXPECT_NEAR(cpu.tau, loops.tau, 1e-3);
}

TEST(Attention, BadInput) {
  AttentionOptions options;
  options.model = GEOC_ATTENTION_FOLDER "/attention.mlir";
  options.target = "gpu";
  EXPECT_EQ(learnToAttend(options).message(),
            "--target: expects cpu, loops or simt, but got 'gpu'");
  options.target = "cpu";
  options.lr = 0;
  EXPECT_EQ(learnToAttend(options).message(),
            "--lr: expects a positive number, but got 0.000000");
}
