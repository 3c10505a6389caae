// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoints of the constructs other than scan.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

TEST(RowwiseGradient, RowsSharedAndSums) {
  // Results of both kinds, sums of both kinds, an unused result, a row operand
  // that comes twice, and a shared number of f32.
  EXPECT_TRUE(
      checkGradient(R"mlir(
func.func @f(%X: tensor<?x4xf32>, %S: tensor<?xf64>, %W: tensor<4xf32>,
             %C: f64, %T: f32) -> (f64, tensor<4xf32>) {
  %r:5 = geo.rowwise rows(%x = %X : tensor<?x4xf32>, %s = %S : tensor<?xf64>,
                          %again = %X : tensor<?x4xf32>)
      shared(%w = %W : tensor<4xf32>, %c = %C : f64, %t = %T : f32) {
    %p = arith.mulf %x, %w : vector<4xf32>
    %tr = vector.broadcast %t : f32 to vector<4xf32>
    %q = arith.addf %p, %tr : vector<4xf32>
    %e = math.exp %again : vector<4xf32>
    %m = arith.mulf %q, %e : vector<4xf32>
    %n = geo.dot %m, %x : vector<4xf32>
    %k = arith.mulf %n, %c : f64
    %l = arith.mulf %k, %s : f64
    %v = geo.scale %s, %m : vector<4xf32>
    geo.yield %m, %k, %p, %v, %l
      : vector<4xf32>, f64, vector<4xf32>, vector<4xf32>, f64
  } -> (tensor<?x4xf32>, tensor<?xf64>, tensor<?x4xf32>) sums (tensor<4xf32>, f64)
  // A use of every result but the third.
  %u = geo.rowwise rows(%a = %r#0 : tensor<?x4xf32>, %b = %r#1 : tensor<?xf64>)
      shared(%s = %r#3 : tensor<4xf32>) {
    %d = geo.dot %a, %s : vector<4xf32>
    %e = arith.mulf %d, %b : f64
    %g = arith.mulf %e, %d : f64
    geo.yield %g : f64
  } -> () sums (f64)
  %loss = arith.mulf %u, %r#4 : f64
  return %loss, %r#3 : f64, tensor<4xf32>
}
)mlir",
                    {spread({3, 4}, -1, 1, 1), spread({3}, .2, 1, 2),
                     spread({4}, -1, 1, 3), Datum(0.7L), Datum(-0.3L)}));
}

TEST(RowwiseGradient, ArgumentsThatDoNotMatter) {
  auto results = interpretGradient(
      R"mlir(
func.func @f(%X: tensor<?x4xf32>, %Y: tensor<2xf32>, %C: f64, %D: f64) -> f64 {
  %loss = arith.mulf %C, %C : f64
  return %loss : f64
}
)mlir",
      {spread({3, 4}, -1, 1), spread({2}, -1, 1), Datum(3.0L), Datum(5.0L)},
      {0, 1, 2, 3});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[1].data, std::vector<long double>(12, 0));
  EXPECT_EQ((*results)[2].data, std::vector<long double>(2, 0));
  EXPECT_EQ((*results)[3].number(), 6);
  EXPECT_EQ((*results)[4].number(), 0);
}

//===----------------------------------------------------------------------===//
// Pair programs
//===----------------------------------------------------------------------===//

struct PairCase {
  const char *name;
  const char *reducer;
  /// Binds %g, and %h where `body` uses it.
  const char *grams;
  const char *math;
  /// Makes %z of the Grams, a row scalar %u, a column scalar %w, and shared %c
  /// and %t.
  const char *body;
};

const char *oneGram = "%g = sqdiff %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>";
const char *oneDot = "%g = dot %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>";
const char *twoGrams = "%g = sqdiff %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>, "
                       "%h = dot %P, %Q : tensor<3x2xf32>, tensor<5x2xf32>";

const char *curved = R"mlir(
    %uw = arith.mulf %u, %w : MATH
    %m = arith.mulf %g, %uw : MATH
    %cm = arith.mulf %c, %m : MATH
    %q = geo.even asinhc %cm : MATH
    %mq = arith.mulf %m, %q : MATH
    %d = arith.mulf %mq, %q : MATH
    %dt = arith.divf %d, %t : MATH
    %z = arith.negf %dt : MATH
)mlir";
const char *product = R"mlir(
    %a = math.sqrt %g : MATH
    %b = arith.mulf %h, %c : MATH
    %s = math.tanh %b : MATH
    %as = arith.mulf %a, %s : MATH
    %uw = arith.subf %u, %w : MATH
    %z0 = arith.addf %as, %uw : MATH
    %z = arith.divf %z0, %t : MATH
)mlir";
// Two of the columns are masked.
const char *masked = R"mlir(
    %limit = arith.constant 0.6 : MATH
    %low = arith.constant -20.0 : MATH
    %out = arith.cmpf ogt, %w, %limit : MATH
    %gt = arith.divf %g, %t : MATH
    %z = arith.select %out, %low, %gt : MATH
)mlir";

std::string makeSource(const PairCase &pair) {
  bool isNll = pair.reducer == std::string("nll");
  std::string results = pair.reducer == std::string("none")
                            ? "(tensor<3x5xf32>)"
                        : isNll ? "(tensor<3xf64>, tensor<3xf64>)"
                                : "(tensor<3x5xf32>, tensor<3xf64>)";
  std::string count = pair.reducer == std::string("none") ? "1" : "2";
  std::string loss = isNll ? R"mlir(
  %loss = geo.rowwise rows(%n = %p#0 : tensor<3xf64>, %k = %K : tensor<3xf64>) {
    %q = arith.mulf %n, %k : f64
    geo.yield %q : f64
  } -> () sums (f64)
)mlir"
                           : R"mlir(
  %loss = geo.rowwise rows(%n = %p#0 : tensor<3x5xf32>, %k = %L : tensor<3x5xf32>) {
    %q = geo.dot %n, %k : vector<5xf32>
    geo.yield %q : f64
  } -> () sums (f64)
)mlir";
  std::string body = pair.body;
  for (size_t i; (i = body.find("MATH")) != std::string::npos;)
    body.replace(i, 4, pair.math);
  return std::string(R"mlir(
func.func @f(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %P: tensor<3x2xf32>,
             %Q: tensor<5x2xf32>, %U: tensor<3xf64>, %W: tensor<5xf64>,
             %C: f64, %T: f64, %K: tensor<3xf64>, %L: tensor<3x5xf32>,
             %ids: tensor<3xi32>) -> f64 {
  %p:)mlir") +
         count + " = geo.pairwise " + pair.reducer + " grams(" + pair.grams +
         R"mlir()
    row(%u = %U : tensor<3xf64>) column(%w = %W : tensor<5xf64>)
    shared(%c = %C : f64, %t = %T : f64) )mlir" +
         (isNll ? "targets(%ids : tensor<3xi32>) " : "") + "math " + pair.math +
         " {" + body + "    geo.yield %z : " + pair.math + "\n  } -> " +
         results + loss + "  return %loss : f64\n}\n";
}

class PairGradientTest : public ::testing::TestWithParam<PairCase> {};

TEST_P(PairGradientTest, MatchesFiniteDifferences) {
  std::string source = makeSource(GetParam());
  SCOPED_TRACE(source);
  EXPECT_TRUE(
      checkAll(source, {spread({3, 4}, -1, 1, 1), spread({5, 4}, -1, 1, 2),
                        spread({3, 2}, -1, 1, 3), spread({5, 2}, -1, 1, 4),
                        spread({3}, .3, 1, 5), spread({5}, .1, 1, 6),
                        Datum(0.8L), Datum(0.6L), spread({3}, .5, 2, 7),
                        spread({3, 5}, -1, 1, 8), makeIds({3}, 5)}));
}

INSTANTIATE_TEST_SUITE_P(
    Reducers, PairGradientTest,
    ::testing::Values(
        PairCase{"noneSqdiff", "none", oneGram, "f64", curved},
        PairCase{"softmaxSqdiff", "softmax", oneGram, "f32", curved},
        PairCase{"nllSqdiff", "nll", oneGram, "f64", curved},
        PairCase{"noneDot", "none", oneDot, "f32", masked},
        PairCase{"softmaxDot", "softmax", oneDot, "f64", masked},
        PairCase{"nllDot", "nll", oneDot, "f32", masked},
        PairCase{"noneProduct", "none", twoGrams, "f64", product},
        PairCase{"softmaxProduct", "softmax", twoGrams, "f32", product},
        PairCase{"nllProduct", "nll", twoGrams, "f64", product}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(PairwiseGradient, OneBatchOnBothSides) {
  EXPECT_TRUE(checkAll(R"mlir(
func.func @f(%X: tensor<3x4xf32>, %K: tensor<3x3xf32>) -> f64 {
  %p = geo.pairwise none
      grams(%g = sqdiff %X, %X : tensor<3x4xf32>, tensor<3x4xf32>,
            %h = dot %X, %X : tensor<3x4xf32>, tensor<3x4xf32>) math f64 {
    %z = arith.mulf %g, %h : f64
    geo.yield %z : f64
  } -> (tensor<3x3xf32>)
  %loss = geo.rowwise rows(%n = %p : tensor<3x3xf32>, %k = %K : tensor<3x3xf32>) {
    %q = geo.dot %n, %k : vector<3xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir",
                       {spread({3, 4}, -1, 1), spread({3, 3}, -1, 1, 5)}));
}

TEST(PairwiseGradient, ConstantLogits) {
  // No argument matters, so every gradient is zero.
  EXPECT_TRUE(checkAll(
      R"mlir(
func.func @f(%X: tensor<3x4xf32>, %Y: tensor<5x4xf32>, %ids: tensor<3xi32>) -> f64 {
  %p:2 = geo.pairwise nll
      grams(%g = sqdiff %X, %Y : tensor<3x4xf32>, tensor<5x4xf32>)
      targets(%ids : tensor<3xi32>) math f64 {
    %z = arith.constant 1.0 : f64
    geo.yield %z : f64
  } -> (tensor<3xf64>, tensor<3xf64>)
  %loss = geo.rowwise rows(%n = %p#0 : tensor<3xf64>) {
    geo.yield %n : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir",
      {spread({3, 4}, -1, 1), spread({5, 4}, -1, 1, 5), makeIds({3}, 5)}));
}

//===----------------------------------------------------------------------===//
// Products, tables, shapes, numbers
//===----------------------------------------------------------------------===//

class MatmulGradientTest
    : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(MatmulGradientTest, MatchesFiniteDifferences) {
  auto [ta, tb] = GetParam();
  std::string a = ta ? "tensor<4x3xf32>" : "tensor<3x4xf32>";
  std::string b = tb ? "tensor<5x4xf32>" : "tensor<4x5xf32>";
  std::string source =
      "func.func @f(%A: " + a + ", %B: " + b +
      ", %K: tensor<3x5xf32>) -> f64 {\n  %c = geo.matmul %A, %B " +
      (ta ? "transpose_a " : "") + (tb ? "transpose_b " : "") + ": " + a +
      ", " + b + R"mlir( -> tensor<3x5xf32>
  %loss = geo.rowwise rows(%n = %c : tensor<3x5xf32>, %k = %K : tensor<3x5xf32>) {
    %e = math.tanh %n : vector<5xf32>
    %q = geo.dot %e, %k : vector<5xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir";
  EXPECT_TRUE(checkAll(source, {spread(ta ? llvm::ArrayRef<int64_t>{4, 3}
                                          : llvm::ArrayRef<int64_t>{3, 4},
                                       -1, 1, 1),
                                spread(tb ? llvm::ArrayRef<int64_t>{5, 4}
                                          : llvm::ArrayRef<int64_t>{4, 5},
                                       -1, 1, 2),
                                spread({3, 5}, -1, 1, 3)}));
}

INSTANTIATE_TEST_SUITE_P(Transposes, MatmulGradientTest,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Bool()));

TEST(MatmulGradient, OneMatrixTwice) {
  EXPECT_TRUE(checkAll(R"mlir(
func.func @f(%A: tensor<3x4xf32>, %K: tensor<3x3xf32>) -> f64 {
  %c = geo.matmul %A, %A transpose_b : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x3xf32>
  %d = geo.matmul %c, %c : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %loss = geo.rowwise rows(%n = %d : tensor<3x3xf32>, %k = %K : tensor<3x3xf32>) {
    %q = geo.dot %n, %k : vector<3xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir",
                       {spread({3, 4}, -1, 1), spread({3, 3}, -1, 1, 5)}));
}

TEST(TableGradient, GatherAndScatterAdd) {
  // Ids repeat, and some rows are never asked for; tables of static and of
  // dynamic size.
  EXPECT_TRUE(
      checkGradient(R"mlir(
func.func @f(%E: tensor<?x4xf32>, %D: tensor<6x4xf32>, %ids: tensor<?xi32>,
             %K: tensor<6x4xf32>) -> f64 {
  %zero = arith.constant 0 : index
  %v = tensor.dim %E, %zero : tensor<?x4xf32>
  %e = geo.gather %E[%ids] : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %d = geo.gather %D[%ids] : tensor<6x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %p = geo.rowwise rows(%a = %e : tensor<?x4xf32>, %b = %d : tensor<?x4xf32>) {
    %m = arith.mulf %a, %b : vector<4xf32>
    geo.yield %m : vector<4xf32>
  } -> (tensor<?x4xf32>)
  %t = geo.scatter_add %p[%ids] : tensor<?x4xf32>, tensor<?xi32> -> tensor<6x4xf32>
  %s = geo.scatter_add %d[%ids] size %v : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %l = geo.rowwise rows(%a = %t : tensor<6x4xf32>, %k = %K : tensor<6x4xf32>) {
    %q = arith.mulf %a, %a : vector<4xf32>
    %n = geo.dot %q, %k : vector<4xf32>
    geo.yield %n : f64
  } -> () sums (f64)
  %m = geo.rowwise rows(%a = %s : tensor<?x4xf32>, %b = %E : tensor<?x4xf32>) {
    %n = geo.dot %a, %b : vector<4xf32>
    geo.yield %n : f64
  } -> () sums (f64)
  %loss = arith.addf %l, %m : f64
  return %loss : f64
}
)mlir",
                    {spread({6, 4}, -1, 1, 1), spread({6, 4}, -1, 1, 2),
                     Datum({5}, {1, 4, 1, 0, 1}), spread({6, 4}, -1, 1, 3)}));
}

TEST(ShapeGradient, CollapseAndExpand) {
  EXPECT_TRUE(
      checkGradient(R"mlir(
func.func @f(%X: tensor<?x3x4xf32>, %K: tensor<?x4xf32>) -> f64 {
  %zero = arith.constant 0 : index
  %t = tensor.dim %X, %zero : tensor<?x3x4xf32>
  %flat = tensor.collapse_shape %X [[0, 1], [2]] : tensor<?x3x4xf32> into tensor<?x4xf32>
  %e = geo.rowwise rows(%a = %flat : tensor<?x4xf32>) {
    %q = math.exp %a : vector<4xf32>
    geo.yield %q : vector<4xf32>
  } -> (tensor<?x4xf32>)
  %back = tensor.expand_shape %e [[0, 1], [2]] output_shape [%t, 3, 4]
    : tensor<?x4xf32> into tensor<?x3x4xf32>
  %again = tensor.collapse_shape %back [[0, 1], [2]] : tensor<?x3x4xf32> into tensor<?x4xf32>
  %loss = geo.rowwise rows(%a = %again : tensor<?x4xf32>, %k = %K : tensor<?x4xf32>) {
    %n = geo.dot %a, %k : vector<4xf32>
    geo.yield %n : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir",
                    {spread({2, 3, 4}, -1, 1), spread({6, 4}, -1, 1, 5)}));
}

TEST(NumberGradient, ArithmeticOfTheFunctionItself) {
  EXPECT_TRUE(checkAll(R"mlir(
func.func @f(%A: f64, %B: f64, %C: f32) -> f64 {
  %one = arith.constant 1.0 : f64
  %p = arith.divf %A, %B : f64
  %e = math.exp %p : f64
  %d = geo.detach %A : f64
  %b = arith.cmpf olt, %A, %B : f64
  %s = arith.select %b, %e, %one : f64
  %m = arith.mulf %s, %d : f64
  %c = arith.extf %C : f32 to f64
  %loss = arith.addf %m, %c : f64
  return %loss : f64
}
)mlir",
                       {Datum(0.5L), Datum(0.8L), Datum(0.3L)}));
}

TEST(GradientChecker, SeesAWrongGradient) {
  // Without freezing, finite differences see through geo.detach, and the
  // gradient that respects it is off.
  GradientOptions options;
  options.freezes = false;
  EXPECT_FALSE(checkGradient(R"mlir(
func.func @f(%A: f64) -> f64 {
  %d = geo.detach %A : f64
  %loss = arith.mulf %d, %A : f64
  return %loss : f64
}
)mlir",
                             {Datum(0.5L)}, options));
}

} // namespace
