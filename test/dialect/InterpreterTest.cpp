// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the interpreter refuses, and the meaning of scans and reducers in small.
#include "frontend/tools/Registration.h"
#include "mlir/Parser/Parser.h"
#include "test/lib/GradientChecker.h"
#include <cmath>

using namespace mlir;
using namespace geo;
using namespace geo::test;

namespace {

/// The diagnostics of interpreting @f, or "" if it succeeds.
std::string interpretToError(StringRef source, ArrayRef<Datum> arguments) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry);
  std::string diagnostics;
  context.getDiagEngine().registerHandler([&](Diagnostic &d) {
    diagnostics += d.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return "cannot parse: " + diagnostics;
  auto results = interpret(module->lookupSymbol<func::FuncOp>("f"), arguments);
  EXPECT_EQ(failed(results), !diagnostics.empty());
  return diagnostics;
}

TEST(Interpreter, NamesOpsWithoutAReading) {
  EXPECT_EQ(interpretToError(R"mlir(
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32, #geo.euclidean> {
  %p = geo.point %x : tensor<2x3xf32> -> tensor<2x3xf32, #geo.euclidean>
  return %p : tensor<2x3xf32, #geo.euclidean>
}
)mlir",
                             {spread({2, 3}, 0, 1)}),
            "'geo.point' op expects to stand outside of interpreted functions: "
            "it has no exact reading");
}

TEST(Interpreter, NamesArgumentsThatDoNotFit) {
  const char *source = R"mlir(
func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}
)mlir";
  EXPECT_EQ(interpretToError(source, {spread({5, 3}, 0, 1)}), "");
  EXPECT_EQ(interpretToError(source, {spread({3, 2}, 0, 1)}),
            "'func.func' op expects argument 0 of type 'tensor<?x3xf32>', but "
            "got shape [3, 2] with 6 elements");
  EXPECT_EQ(interpretToError(source, {}),
            "'func.func' op expects 1 arguments, but got 0");
}

TEST(Interpreter, NamesIdsOutsideTheTable) {
  const char *source = R"mlir(
func.func @f(%E: tensor<3x2xf32>, %ids: tensor<?xi32>) -> tensor<?x2xf32> {
  %e = geo.gather %E[%ids] : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  return %e : tensor<?x2xf32>
}
)mlir";
  EXPECT_EQ(
      interpretToError(source, {spread({3, 2}, 0, 1), Datum({2}, {2, 3})}),
      "'geo.gather' op expects ids in [0, 3), but got 3 at 1");
  EXPECT_EQ(
      interpretToError(source, {spread({3, 2}, 0, 1), Datum({2}, {-1, 0})}),
      "'geo.gather' op expects ids in [0, 3), but got -1 at 0");
}

TEST(Interpreter, NamesRecursionAndDeclarations) {
  EXPECT_EQ(interpretToError(R"mlir(
func.func @f(%x: f64) -> f64 {
  %y = func.call @f(%x) : (f64) -> f64
  return %y : f64
}
)mlir",
                             {Datum(1.0L)}),
            "'func.func' op expects calls to nest at most 64 deep, but got "
            "recursion");
  EXPECT_EQ(interpretToError("func.func private @f(f64) -> f64", {Datum(1.0L)}),
            "'func.func' op expects a function with a body to interpret, but "
            "got a declaration");
}

TEST(Interpreter, ScanRunsForwardAndInReverse) {
  // h <- 2 h + u, with the state that comes in as output.
  for (bool isReverse : {false, true}) {
    std::string source = R"mlir(
func.func @f(%H: tensor<1xf64>, %U: tensor<4x1xf64>) -> (tensor<1xf64>, tensor<4x1xf64>) {
  %r:2 = geo.scan init(%h = %H : tensor<1xf64>) inputs(%u = %U : tensor<4x1xf64>) truncate 2 )mlir" +
                         std::string(isReverse ? "reverse " : "") + R"mlir({
    %n = geo.rowwise rows(%a = %h : tensor<1xf64>, %b = %u : tensor<1xf64>) {
      %two = arith.constant 2.0 : f64
      %m = arith.mulf %two, %a : f64
      %s = arith.addf %m, %b : f64
      geo.yield %s : f64
    } -> (tensor<1xf64>)
    geo.yield %n, %h : tensor<1xf64>, tensor<1xf64>
  } -> (tensor<1xf64>, tensor<4x1xf64>)
  return %r#0, %r#1 : tensor<1xf64>, tensor<4x1xf64>
}
)mlir";
    auto results = interpretSource(
        source, {Datum({1}, {1}), Datum({4, 1}, {1, 10, 100, 1000})});
    ASSERT_TRUE(succeeded(results));
    using Data = std::vector<long double>;
    // Truncation changes gradients, and in reverse sets the state to 0 after
    // step 2.
    EXPECT_EQ((*results)[0].data, isReverse ? Data{21} : Data{1264});
    EXPECT_EQ((*results)[1].data,
              isReverse ? (Data{10, 0, 1002, 1}) : (Data{1, 3, 16, 132}));
  }
}

TEST(Interpreter, LikelihoodsOfFarLogitsStayFinite) {
  auto results = interpretSource(
      R"mlir(
func.func @f(%X: tensor<1x1xf64>, %Y: tensor<2x1xf64>, %ids: tensor<1xi32>) -> tensor<1xf64> {
  %nll, %lse = geo.pairwise nll grams(%g = dot %X, %Y : tensor<1x1xf64>, tensor<2x1xf64>)
      targets(%ids : tensor<1xi32>) math f64 {
    geo.yield %g : f64
  } -> (tensor<1xf64>, tensor<1xf64>)
  return %nll : tensor<1xf64>
}
)mlir",
      {Datum({1, 1}, {1}), Datum({2, 1}, {20000, 0}), Datum({1}, {1})});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ((*results)[0].data[0], 20000);
}

} // namespace
