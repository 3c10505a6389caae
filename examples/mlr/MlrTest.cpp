// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/mlr/Mlr.h"

#include "gtest/gtest.h"
#include <cmath>

using namespace geo;
using namespace geo::examples;

static MlrResult learn(MlrOptions options) {
  options.model = GEOC_MLR_FOLDER "/mlr.mlir";
  auto result = learnClasses(options);
  EXPECT_TRUE(result.ok()) << result.message();
  if (!result)
    return {};
  return std::move(*result);
}

static MlrOptions in(const std::string &space) {
  MlrOptions options;
  options.space = space;
  return options;
}

// Every class has 100 points to learn from and 100 to be tested on; the
// standard error of an accuracy is 0.009, of a difference on the same points
// less.
TEST(Mlr, CurvedHyperplanesComeNearTheTrueCentresFlatOnesDoNot) {
  MlrResult ball = learn(in("ball")), hyperboloid = learn(in("hyperboloid")),
            flat = learn(in("flat"));
  EXPECT_GT(ball.testAccuracy, ball.nearestAccuracy - 0.02);
  EXPECT_GT(ball.testAccuracy, flat.testAccuracy + 0.02);
  EXPECT_NEAR(ball.testAccuracy, hyperboloid.testAccuracy, 0.02);
  EXPECT_NEAR(ball.loss, hyperboloid.loss, 0.03);
  EXPECT_LT(ball.loss, flat.loss - 0.05);
  EXPECT_GT(flat.testAccuracy, 0.8);
  // The draws are the same points of one space.
  EXPECT_NEAR(ball.nearestAccuracy, hyperboloid.nearestAccuracy, 0.002);
}

// The formulas of the model against geo.plane_dist and geo.norm. In one case
// the normals at p are rounded to f32 between two ops; what that costs grows
// like e^distance where coordinates shrink or grow so.
TEST(Mlr, PairProgramsAreTheNamedOp) {
  for (const char *space : {"ball", "hyperboloid", "flat"}) {
    MlrOptions options = in(space);
    options.epochs = 5;
    options.samples = 20;
    MlrResult result = learn(options);
    int64_t size = result.logits.numElements();
    ASSERT_EQ(size, 13 * 13 * 20);
    ASSERT_EQ(result.logitsByName.numElements(), size);
    double largest = 0;
    double tolerance = options.space == "flat" ? 2e-6 : 1e-4;
    for (int64_t i = 0; i < size; ++i) {
      double expected = result.logitsByName.number(i);
      largest = std::max(largest, std::fabs(expected));
      EXPECT_NEAR(result.logits.number(i), expected,
                  tolerance * (1 + std::fabs(expected)))
          << space;
    }
    EXPECT_GT(largest, 1) << "nothing was learned";
  }
}

// Up to the order of sums, which steps magnify.
TEST(Mlr, TargetsAgree) {
  for (const char *space : {"ball", "hyperboloid"}) {
    MlrOptions options = in(space);
    options.epochs = 2;
    options.samples = 10;
    options.lr = 0.1;
    MlrResult cpu = learn(options);
    options.target = "loops";
    MlrResult loops = learn(options);
    EXPECT_NEAR(cpu.loss, loops.loss, 5e-5) << space;
    ASSERT_EQ(cpu.logits.numElements(), loops.logits.numElements());
    for (int64_t i = 0; i < cpu.logits.numElements(); ++i)
      EXPECT_NEAR(cpu.logits.number(i), loops.logits.number(i), 5e-4);
  }
}

TEST(Mlr, MoreDimensions) {
  MlrOptions options = in("ball");
  options.dim = 5;
  options.deviation = 0.8;
  options.edge = 3;
  options.epochs = 60;
  EXPECT_GT(learn(options).testAccuracy, 0.95);
}

TEST(Mlr, BadInput) {
  MlrOptions options = in("torus");
  options.model = GEOC_MLR_FOLDER "/mlr.mlir";
  EXPECT_EQ(learnClasses(options).message(),
            "--space: expects ball, hyperboloid or flat, but got 'torus'");
  options.space = "ball";
  options.dim = 1;
  EXPECT_EQ(learnClasses(options).message(),
            "--dim: expects 2 to 4096, but got 1");
  options.dim = 2;
  options.model = GEOC_MLR_FOLDER "/none.mlir";
  EXPECT_NE(learnClasses(options).message().find("none.mlir: expects"),
            std::string::npos);
}
