// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One test per derivative rule of the ops on rows and numbers.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

/// The op under test makes %out of rows %x, %y, a row number %s, a shared row
/// %w and a shared number %c; all lie in (low, high).
struct Rule {
  const char *name;
  const char *body;
  const char *type = "vector<4xf32>";
  double low = 0.1, high = 0.9;
};

std::string printName(const ::testing::TestParamInfo<Rule> &info) {
  return info.param.name;
}

/// The sum of all elements of %out, each with a weight of its own: of its
/// column by %v, of its row by %k.
std::string makeSource(const Rule &rule) {
  std::string type = rule.type;
  std::string weigh;
  if (type == "f64")
    weigh = "%q = arith.mulf %out, %k : f64\n";
  else if (type == "f32")
    weigh = "%wide = arith.extf %out : f32 to f64\n"
            "%q = arith.mulf %wide, %k : f64\n";
  else if (type == "vector<4xf64>")
    weigh = "%wide = arith.extf %v : vector<4xf32> to vector<4xf64>\n"
            "%dot = geo.dot %out, %wide : vector<4xf64>\n"
            "%q = arith.mulf %dot, %k : f64\n";
  else
    weigh = "%dot = geo.dot %out, %v : vector<4xf32>\n"
            "%q = arith.mulf %dot, %k : f64\n";
  return R"mlir(
func.func @f(%X: tensor<3x4xf32>, %Y: tensor<3x4xf32>, %S: tensor<3xf64>,
             %K: tensor<3xf64>, %W: tensor<4xf32>, %C: f64,
             %V: tensor<4xf32>) -> f64 {
  %sum = geo.rowwise rows(%x = %X : tensor<3x4xf32>, %y = %Y : tensor<3x4xf32>,
                          %s = %S : tensor<3xf64>, %k = %K : tensor<3xf64>)
                     shared(%w = %W : tensor<4xf32>, %c = %C : f64,
                            %v = %V : tensor<4xf32>) {
)mlir" + std::string(rule.body) +
         "\n" + weigh + R"mlir(
    geo.yield %q : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir";
}

class RuleGradientTest : public ::testing::TestWithParam<Rule> {};

TEST_P(RuleGradientTest, MatchesFiniteDifferences) {
  const Rule &rule = GetParam();
  auto draw = [&](llvm::ArrayRef<int64_t> shape, int seed) {
    return spread(shape, rule.low, rule.high, seed);
  };
  EXPECT_TRUE(checkAll(makeSource(rule),
                       {draw({3, 4}, 1), draw({3, 4}, 2), draw({3}, 3),
                        Datum({3}, {1.0L, -0.7L, 2.3L}), draw({4}, 5),
                        draw({}, 6), Datum({4}, {1.0L, -2.0L, 0.5L, 1.5L})}));
}

const char *number = "f64";

INSTANTIATE_TEST_SUITE_P(
    Numbers, RuleGradientTest,
    ::testing::Values(
        Rule{"addf", "%out = arith.addf %s, %c : f64", number},
        Rule{"subf", "%out = arith.subf %s, %c : f64", number},
        Rule{"mulf", "%out = arith.mulf %s, %c : f64", number},
        Rule{"square", "%out = arith.mulf %s, %s : f64", number},
        Rule{"divf", "%out = arith.divf %s, %c : f64", number},
        Rule{"negf",
             "%n = arith.negf %s : f64\n"
             "%out = arith.mulf %n, %c : f64",
             number},
        Rule{"maximumf", "%out = arith.maximumf %s, %c : f64", number},
        Rule{"minimumf", "%out = arith.minimumf %s, %c : f64", number},
        Rule{"select",
             "%b = arith.cmpf olt, %s, %c : f64\n"
             "%p = arith.mulf %s, %s : f64\n"
             "%q0 = arith.mulf %c, %s : f64\n"
             "%out = arith.select %b, %p, %q0 : f64",
             number},
        Rule{"exp", "%out = math.exp %s : f64", number},
        Rule{"log", "%out = math.log %s : f64", number},
        Rule{"log1p", "%out = math.log1p %s : f64", number},
        Rule{"sqrt", "%out = math.sqrt %s : f64", number},
        Rule{"rsqrt", "%out = math.rsqrt %s : f64", number},
        Rule{"tanh", "%out = math.tanh %s : f64", number},
        Rule{"sin", "%out = math.sin %s : f64", number},
        Rule{"cos", "%out = math.cos %s : f64", number},
        Rule{"asin", "%out = math.asin %s : f64", number},
        Rule{"truncf",
             "%n = arith.truncf %s : f64 to f32\n"
             "%out = arith.mulf %n, %n : f32",
             "f32"},
        Rule{"extf",
             "%n = arith.truncf %s : f64 to f32\n"
             "%m = arith.mulf %n, %n : f32\n"
             "%e = arith.extf %m : f32 to f64\n"
             "%out = arith.mulf %e, %c : f64",
             number},
        Rule{"detach",
             "%n = geo.detach %s : f64\n"
             "%out = arith.mulf %n, %s : f64",
             number}),
    printName);

INSTANTIATE_TEST_SUITE_P(
    Rows, RuleGradientTest,
    ::testing::Values(
        Rule{"addf", "%out = arith.addf %x, %w : vector<4xf32>"},
        Rule{"subf", "%out = arith.subf %x, %w : vector<4xf32>"},
        Rule{"mulf", "%out = arith.mulf %x, %w : vector<4xf32>"},
        Rule{"divf", "%out = arith.divf %x, %w : vector<4xf32>"},
        Rule{"negf", "%n = arith.negf %x : vector<4xf32>\n"
                     "%out = arith.mulf %n, %w : vector<4xf32>"},
        Rule{"maximumf", "%out = arith.maximumf %x, %y : vector<4xf32>"},
        Rule{"minimumf", "%out = arith.minimumf %x, %y : vector<4xf32>"},
        Rule{"select", "%b = arith.cmpf ogt, %x, %y : vector<4xf32>\n"
                       "%p = arith.mulf %x, %x : vector<4xf32>\n"
                       "%out = arith.select %b, %p, %y "
                       ": vector<4xi1>, vector<4xf32>"},
        Rule{"selectByNumber", "%b = arith.cmpf ogt, %s, %c : f64\n"
                               "%p = arith.mulf %x, %x : vector<4xf32>\n"
                               "%out = arith.select %b, %p, %y "
                               ": vector<4xf32>"},
        Rule{"exp", "%out = math.exp %x : vector<4xf32>"},
        Rule{"log", "%out = math.log %x : vector<4xf32>"},
        Rule{"log1p", "%out = math.log1p %x : vector<4xf32>"},
        Rule{"sqrt", "%out = math.sqrt %x : vector<4xf32>"},
        Rule{"rsqrt", "%out = math.rsqrt %x : vector<4xf32>"},
        Rule{"tanh", "%out = math.tanh %x : vector<4xf32>"},
        Rule{"sin", "%out = math.sin %x : vector<4xf32>"},
        Rule{"cos", "%out = math.cos %x : vector<4xf32>"},
        Rule{"asin", "%out = math.asin %x : vector<4xf32>"},
        Rule{"extf",
             "%e = arith.extf %x : vector<4xf32> to vector<4xf64>\n"
             "%out = arith.mulf %e, %e : vector<4xf64>",
             "vector<4xf64>"},
        Rule{"truncf", "%e = arith.extf %x : vector<4xf32> to vector<4xf64>\n"
                       "%t = arith.truncf %e : vector<4xf64> to vector<4xf32>\n"
                       "%out = arith.mulf %t, %t : vector<4xf32>"},
        Rule{"broadcast", "%n = arith.truncf %s : f64 to f32\n"
                          "%r = vector.broadcast %n : f32 to vector<4xf32>\n"
                          "%out = arith.mulf %r, %x : vector<4xf32>"},
        Rule{"reductionAdd",
             "%p = arith.mulf %x, %y : vector<4xf32>\n"
             "%out = vector.reduction <add>, %p : vector<4xf32> into f32",
             "f32"},
        Rule{"reductionMax",
             "%p = arith.mulf %x, %x : vector<4xf32>\n"
             "%out = vector.reduction <maximumf>, %p : vector<4xf32> into f32",
             "f32"},
        Rule{"dot", "%out = geo.dot %x, %w : vector<4xf32>", number},
        Rule{"dotWithItself", "%out = geo.dot %x, %x : vector<4xf32>", number},
        Rule{"scale", "%out = geo.scale %s, %x : vector<4xf32>"},
        Rule{"scaleByShared", "%out = geo.scale %c, %w : vector<4xf32>"},
        Rule{"scaledTwice", "%p = geo.scale %s, %x : vector<4xf32>\n"
                            "%q0 = geo.scale %c, %x : vector<4xf32>\n"
                            "%out = arith.mulf %p, %q0 : vector<4xf32>"},
        Rule{"detach", "%n = geo.detach %x : vector<4xf32>\n"
                       "%out = arith.mulf %n, %x : vector<4xf32>"},
        Rule{"usedOften", "%p = arith.mulf %x, %y : vector<4xf32>\n"
                          "%q0 = arith.mulf %p, %p : vector<4xf32>\n"
                          "%r = arith.addf %q0, %p : vector<4xf32>\n"
                          "%out = arith.mulf %r, %x : vector<4xf32>"},
        Rule{"unusedValue", "%p = math.exp %y : vector<4xf32>\n"
                            "%out = arith.mulf %x, %w : vector<4xf32>"}),
    printName);

/// geo.even: every function, both sides of the interpreter's series bound, and
/// the order whose derivative is an order that exists.
std::vector<Rule> makeEvenRules() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const char *fn : {"tanhc", "artanhc", "asinhc", "sinhc", "coshq",
                           "sinc", "cosq", "asinc"})
      for (const char *order : {"", "{order = 1 : i64} "}) {
        std::string suffix = *order ? "1" : "0";
        all.push_back(std::string(fn) + suffix);
        all.push_back(std::string("%z = arith.mulf %s, %c : f64\n") +
                      "%out = geo.even " + fn + " %z " + order + ": f64");
      }
    return all;
  }();
  std::vector<Rule> rules;
  for (size_t i = 0; i < texts.size(); i += 2)
    rules.push_back({texts[i].c_str(), texts[i + 1].c_str(), number, 0, 0});
  return rules;
}

class EvenGradientTest : public RuleGradientTest {};

TEST_P(EvenGradientTest, MatchesFiniteDifferences) {
  const Rule &rule = GetParam();
  // %z = %s * %c: at 0, next to it, and on both sides of 1/4.
  EXPECT_TRUE(checkAll(makeSource(rule),
                       {spread({3, 4}, 0, 1, 1), spread({3, 4}, 0, 1, 2),
                        Datum({3}, {0.0L, 1e-9L, 0.2L}),
                        Datum({3}, {1.0L, -0.7L, 2.3L}), spread({4}, 0, 1, 5),
                        Datum(0.8L), spread({4}, 0, 1, 7)}));
  EXPECT_TRUE(
      checkAll(makeSource(rule),
               {spread({3, 4}, 0, 1, 1), spread({3, 4}, 0, 1, 2),
                Datum({3}, {0.5L, 0.8L, 1.1L}), Datum({3}, {1.0L, -0.7L, 2.3L}),
                spread({4}, 0, 1, 5), Datum(0.8L), spread({4}, 0, 1, 7)}));
}

INSTANTIATE_TEST_SUITE_P(Even, EvenGradientTest,
                         ::testing::ValuesIn(makeEvenRules()), printName);

TEST(EvenFunctions, ClosedFormAndSeriesMeet) {
  for (uint32_t fn = 0; fn < 8; ++fn)
    for (int order : {0, 1, 2}) {
      SCOPED_TRACE(stringifyEvenFn(static_cast<EvenFn>(fn)).str());
      long double below =
          evaluateEven(static_cast<EvenFn>(fn), 0.25L - 1e-18L, order);
      long double above = evaluateEven(static_cast<EvenFn>(fn), 0.25L, order);
      EXPECT_NEAR(below / above, 1, 5e-16);
    }
}

TEST(Differentiate, TakesTheGradientOfSqrtAtZeroAsZero) {
  auto results = interpretGradient(R"mlir(
func.func @f(%S: tensor<2xf64>) -> f64 {
  %sum = geo.rowwise rows(%s = %S : tensor<2xf64>) {
    %r = math.sqrt %s : f64
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir",
                                   {Datum({2}, {0.0L, 4.0L})}, {0});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[1].data, (std::vector<long double>{0.0L, 0.25L}));
}

} // namespace
