// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/product/Product.h"

#include "gtest/gtest.h"
#include <filesystem>

using namespace geo;
using namespace geo::examples;

namespace {

class Product : public testing::Test {
protected:
  void SetUp() override {
    options.model = GEOC_PRODUCT_FOLDER "/product.mlir";
    options.corpus = GEOC_PRODUCT_FOLDER "/text.txt";
    options.out = testing::TempDir() + "geoc-example-product-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override { std::filesystem::remove_all(options.out); }

  std::vector<EpochMetrics> train(const std::string &manifold) {
    options.manifold = manifold;
    auto metrics = trainProduct(options);
    EXPECT_TRUE(metrics.ok()) << metrics.message();
    return metrics ? *metrics : std::vector<EpochMetrics>();
  }

  double perplexity(const std::string &manifold) {
    std::vector<EpochMetrics> metrics = train(manifold);
    return metrics.empty() ? 0 : metrics.back().validPerplexity;
  }

  ProductOptions options;
};

} // namespace

static const char *product =
    "#geo.product<#geo.poincare<1.0> x 4, #geo.euclidean x 4>";

// 61 words; a Kneser-Ney bigram model of the same text has 4.99.
TEST_F(Product, LearnsBetterThanFlatSpaceOfTheSameWidth) {
  double mixed = perplexity(product), ball = perplexity("#geo.poincare<1.0>"),
         flat = perplexity("#geo.euclidean");
  EXPECT_LT(mixed, 3.8);
  EXPECT_LT(mixed, flat - 0.25);
  EXPECT_NEAR(mixed, ball, 0.3);
  EXPECT_LT(flat, 4.5);
  EXPECT_TRUE(std::filesystem::exists(options.out + "/best.safetensors"));
}

TEST_F(Product, OtherFactors) {
  options.epochs = 3;
  std::vector<EpochMetrics> metrics =
      train("#geo.product<#geo.lorentz<1.0> x 3, #geo.poincare<0.5> x 3, "
            "#geo.euclidean x 2>");
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_LT(metrics[2].validPerplexity, metrics[0].validPerplexity);
  EXPECT_LT(metrics[2].validPerplexity, 8);
}

TEST_F(Product, TargetsAgree) {
  options.epochs = 1;
  std::vector<EpochMetrics> cpu = train(product);
  options.target = "loops";
  std::vector<EpochMetrics> loops = train(product);
  ASSERT_EQ(cpu.size(), 1u);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_NEAR(cpu[0].validPerplexity, loops[0].validPerplexity, 2e-3);
  EXPECT_NEAR(cpu[0].trainPerplexity, loops[0].trainPerplexity, 2e-3);
}

TEST_F(Product, BadInput) {
  auto message = [&] { return trainProduct(options).message(); };
  options.dim = 6;
  EXPECT_NE(message().find("to have 8 coordinates, but got 6"),
            std::string::npos)
      << message();
  options.dim = 0;
  EXPECT_EQ(message(), "--dim: expects 1 to 4096, but got 0");
  options.dim = 8;
  options.corpus = GEOC_PRODUCT_FOLDER "/none.txt";
  EXPECT_NE(message().find("none.txt: expects"), std::string::npos)
      << message();
  EXPECT_FALSE(std::filesystem::exists(options.out));
}
