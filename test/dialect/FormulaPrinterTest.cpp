// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/FormulaPrinter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace geo;

namespace {

/// The page has these lines, one after another.
void expectLines(const std::string &page, const std::string &lines) {
  EXPECT_NE(page.find(lines), std::string::npos) << "expects\n"
                                                 << lines << "but got\n"
                                                 << page;
}

TEST(FormulaPrinter, FlatSpace) {
  MLIRContext context;
  context.loadDialect<GeoDialect>();
  std::string page = printFormulas(ManifoldAttr::get(&context, "euclidean"));
  expectLines(page, R"(add(x, y)
  add = x + y
)");
  expectLines(page, R"(geodesic(x, y, t)
  geodesic = x + t * (y - x)
)");
  expectLines(page, R"(dist(x, y)
  dist = sqrt(|x - y|^2)
)");
}

TEST(FormulaPrinter, PoincareBall) {
  MLIRContext context;
  context.loadDialect<GeoDialect>();
  std::string page =
      printFormulas(ManifoldAttr::get(&context, "poincare", 1.0));
  expectLines(page, R"(add(x, y, c)
  t1 = 1 - c * |x|^2
  t2 = if 0 < t1 then t1 else nan
  t3 = 1 - c * |y|^2
  t4 = t2 * (if 0 < t3 then t3 else nan)
  t5 = x + y
  t6 = c * |t5|^2
  t7 = t6 + t4
  t8 = (if t4 / t7 < 4 * 1.1920928955078125e-07 then 1 - 2 * 1.1920928955078125e-07 else 1) / t7
  add = t8 * t6 * x + t8 * t2 * t5
)");
  expectLines(page, R"(logmap0(x, c)
  logmap0 = artanhc(c * |x|^2) * x
)");
  expectLines(page, R"(project(x, fraction, c)
  t1 = fraction^2
  t2 = c * |x|^2
  t3 = t1 < t2
  project = if t3 then fraction / sqrt(if t3 then t2 else t1) * x else x
)");
  expectLines(page, R"(sqdist(x, y, c)
  t1 = 1 - c * |x|^2
  t2 = 1 - c * |y|^2
  t3 = |x - y|^2 * (1 / (if 0 < t1 then t1 else nan) * (1 / (if 0 < t2 then t2 else nan)))
  sqdist = 4 * t3 * asinhc(c * t3)^2
)");
}

TEST(FormulaPrinter, ManifoldsWithoutAFormulaSkipIt) {
  MLIRContext context;
  context.loadDialect<GeoDialect>();
  std::string page = printFormulas(ManifoldAttr::get(&context, "sphere", 1.0));
  expectLines(page, R"(egrad2rgrad(x, g, c)
  egrad2rgrad = g - <x, g> / |x|^2 * x
)");
  EXPECT_EQ(page.find("conformal_factor"), std::string::npos);
}

class ExpressionTest : public ::testing::Test {
protected:
  ExpressionTest() : b(UnknownLoc::get(&context), &context) {
    context.loadDialect<GeoDialect>();
    b.setInsertionPointToEnd(&block);
  }
  ~ExpressionTest() override {
    while (!block.empty())
      block.back().erase();
  }
  Ex add(const char *name) {
    Value v = block.addArgument(b.getF64Type(), b.getLoc());
    names[v] = name;
    return Ex(b, v);
  }
  std::string print(Ex e) {
    return printExpressions(e.get(), std::string("r"), names);
  }

  MLIRContext context;
  Block block;
  ImplicitLocOpBuilder b;
  DenseMap<Value, std::string> names;
};

TEST_F(ExpressionTest, Precedence) {
  Ex p = add("p"), q = add("q"), r = add("r0");
  EXPECT_EQ(print(p - (q - r)), "  r = p - (q - r0)\n");
  EXPECT_EQ(print(p - q - r), "  r = p - q - r0\n");
  EXPECT_EQ(print(p + (q + r)), "  r = p + q + r0\n");
  EXPECT_EQ(print(p + (q - r)), "  r = p + (q - r0)\n");
  EXPECT_EQ(print(p / (q * r)), "  r = p / (q * r0)\n");
  EXPECT_EQ(print(p * (q / r)), "  r = p * (q / r0)\n");
  EXPECT_EQ(print(p / q * r), "  r = p / q * r0\n");
  EXPECT_EQ(print(p * (q + r)), "  r = p * (q + r0)\n");
  EXPECT_EQ(print(-(p + q)), "  r = -(p + q)\n");
  EXPECT_EQ(print(p - -q), "  r = p - -q\n");
  EXPECT_EQ(print(-p * q), "  r = -p * q\n");
  EXPECT_EQ(print((p + q) * (p + q)), "  r = (p + q)^2\n");
  EXPECT_EQ(print(select(less(p, q), p, q + 1.5)),
            "  r = if p < q then p else q + 1.5\n");
  EXPECT_EQ(print(geo::exp(-p) / tanhc(q)), "  r = exp(-p) / tanhc(q)\n");
}

TEST_F(ExpressionTest, ValuesUsedMoreThanOnceGetAName) {
  Ex p = add("p"), q = add("q");
  // Equal by construction, though built twice.
  Ex first = p * q + 2.0, second = p * q + 2.0;
  EXPECT_EQ(print(geo::sqrt(first) + second),
            "  t1 = p * q + 2\n  r = sqrt(t1) + t1\n");
  // A cast is no part of the formula.
  Value narrow = arith::TruncFOp::create(b, b.getF32Type(), p.get());
  Value wide = arith::ExtFOp::create(b, b.getF64Type(), narrow);
  EXPECT_EQ(print(Ex(b, wide) + q), "  r = p + q\n");
}

} // namespace
