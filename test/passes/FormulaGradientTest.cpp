// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas and manifolds that exist only in the module, and products: values
// and derived gradients, on both targets.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

TEST(FormulaGradient, RecurrenceOnAUsersManifold) {
  // Flat space bent by x -> x + k x |x|^2: a page that no pass knows.
  EXPECT_TRUE(checkAll(R"mlir(
geo.manifold @bent(k > 0) {
  formula @out(x: row) = (1 + k * sqnorm(x)) * x
  formula @add(x: row, y: row) = x + y - k * dot(x, y) * x
  formula @expmap0(v: row) = 1 / (1 + k * sqnorm(v)) * v
  formula @logmap0(x: row) = out(x)
  formula @sqdist(x: row, y: row) = sqnorm(out(x) - out(y)) + k * sqnorm(x - y)
}
!h = tensor<2x4xf32, #geo.manifold<@bent, "k">>
!all = tensor<5x2x4xf32, #geo.manifold<@bent, "k">>
!e = tensor<10x4xf32, #geo.manifold<@bent, "k">>
func.func @f(%W: tensor<4x4xf32>, %E: tensor<10x4xf32>, %H: tensor<2x4xf32>,
             %T: f64, %K: f64, %I: tensor<5x2xi32>, %targets: tensor<10xi32>) -> f64 {
  %e = geo.point %E : tensor<10x4xf32> -> !e
  %h0 = geo.point %H : tensor<2x4xf32> -> !h
  %end, %all = geo.scan init(%h = %h0 : !h) inputs(%i = %I : tensor<5x2xi32>)
      shared(%w = %W : tensor<4x4xf32>, %t = %e : !e, %k = %K : f64) truncate 2 {
    %x = geo.gather %t[%i] : !e, tensor<2xi32> -> !h
    %l = geo.logmap0 %h curvature(%k) : !h -> tensor<2x4xf32>
    %m = geo.matmul %l, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
    %p = geo.expmap0 %m curvature(%k) : tensor<2x4xf32> -> !h
    %n = geo.mobius_add %p, %x curvature(%k) : !h
    geo.yield %n, %n : !h, !h
  } -> (!h, !all)
  %flat = tensor.collapse_shape %all [[0, 1], [2]] : !all into !e
  %nll = geo.distance_nll %flat, %e targets(%targets : tensor<10xi32>) tau(%T)
    curvature(%K) math f32 : !e, !e -> tensor<10xf64>
  %sum = geo.rowwise rows(%r = %nll : tensor<10xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir",
                       {spread({4, 4}, -1, 1, 1), spread({10, 4}, -1, 1, 2),
                        spread({2, 4}, -1, 1, 3), Datum(0.6L), Datum(0.3L),
                        makeIds({5, 2}, 10), makeIds({10}, 7)}));
}

TEST(FormulaGradient, RecurrenceOnAProduct) {
  EXPECT_TRUE(
      checkAll(R"mlir(
!h = tensor<2x7xf32, #geo.product<#geo.poincare<"c"> x 3, #geo.euclidean x 3, #geo.poincare<0.5> x 1>>
!all = tensor<5x2x7xf32, #geo.product<#geo.poincare<"c"> x 3, #geo.euclidean x 3, #geo.poincare<0.5> x 1>>
!e = tensor<10x7xf32, #geo.product<#geo.poincare<"c"> x 3, #geo.euclidean x 3, #geo.poincare<0.5> x 1>>
func.func @f(%W: tensor<7x7xf32>, %E: tensor<10x7xf32>, %H: tensor<2x7xf32>,
             %T: f64, %C: f64, %I: tensor<5x2xi32>, %targets: tensor<10xi32>) -> f64 {
  %e = geo.point %E : tensor<10x7xf32> -> !e
  %h0 = geo.point %H : tensor<2x7xf32> -> !h
  %end, %all = geo.scan init(%h = %h0 : !h) inputs(%i = %I : tensor<5x2xi32>)
      shared(%w = %W : tensor<7x7xf32>, %t = %e : !e, %c = %C : f64) truncate 2 {
    %x = geo.gather %t[%i] : !e, tensor<2xi32> -> !h
    %l = geo.logmap0 %h curvature(%c) : !h -> tensor<2x7xf32>
    %m = geo.matmul %l, %w : tensor<2x7xf32>, tensor<7x7xf32> -> tensor<2x7xf32>
    %p = geo.expmap0 %m curvature(%c) : tensor<2x7xf32> -> !h
    %n = geo.mobius_add %p, %x curvature(%c) : !h
    geo.yield %n, %n : !h, !h
  } -> (!h, !all)
  %flat = tensor.collapse_shape %all [[0, 1], [2]] : !all into !e
  %nll = geo.distance_nll %flat, %e targets(%targets : tensor<10xi32>) tau(%T)
    curvature(%C) math f32 : !e, !e -> tensor<10xf64>
  %d = geo.geodesic_dist %flat, %e curvature(%C) : !e, !e -> tensor<10xf64>
  %sum = geo.rowwise rows(%r = %nll : tensor<10xf64>, %q = %d : tensor<10xf64>) {
    %s = arith.addf %r, %q : f64
    geo.yield %s : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir",
               {spread({7, 7}, -0.4, 0.4, 1), spread({10, 7}, -0.3, 0.3, 2),
                spread({2, 7}, -0.3, 0.3, 3), Datum(0.6L), Datum(0.7L),
                makeIds({5, 2}, 10), makeIds({10}, 7)}));
}

TEST(FormulaGradient, PairsByName) {
  EXPECT_TRUE(
      checkAll(R"mlir(
geo.formula @logit(h: row, e: column, b: column, t: number) {
  let r = dot(h, e)
  yield r * r / t - sqrt(sqnorm(h + b)) * sqnorm(h) + sqrt(1 + sqnorm(e))
}
func.func @f(%H: tensor<6x4xf32>, %E: tensor<9x4xf32>, %B: tensor<9x4xf32>,
             %T: f64, %targets: tensor<6xi32>) -> f64 {
  %n = geo.apply_pairs @logit(%H, %E, %B, %T) nll targets(%targets : tensor<6xi32>)
    : (tensor<6x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, f64) -> tensor<6xf64>
  %sum = geo.rowwise rows(%r = %n : tensor<6xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir",
               {spread({6, 4}, -1, 1, 1), spread({9, 4}, -1, 1, 2),
                spread({9, 4}, -1, 1, 3), Datum(0.6L), makeIds({6}, 9)}));
}

/// Ops made of several formulas; MANIFOLD has 4 coordinates and curvature "c".
const char *several = R"mlir(
geo.formula @bend(x: row) = tanh(x) + 0.5 * x
!x = tensor<5x4xf32, MANIFOLD>
!y = tensor<3x4xf32, MANIFOLD>
func.func @f(%X: tensor<5x4xf32>, %M: tensor<4x4xf32>, %W: tensor<3x5xf32>, %c: f64,
             %K: tensor<3x4xf32>) -> f64 {
  %x = geo.expmap0 %X curvature(%c) : tensor<5x4xf32> -> !x
  %m = geo.matvec %M, %x curvature(%c) : tensor<4x4xf32>, !x -> !x
  %b = geo.fn_apply @bend(%m) curvature(%c) : !x -> !x
  %y = geo.midpoint %W, %b curvature(%c) : tensor<3x5xf32>, !x -> !y
  %v = geo.logmap0 %y curvature(%c) : !y -> tensor<3x4xf32>
  %sum = geo.rowwise rows(%r = %v : tensor<3x4xf32>, %k = %K : tensor<3x4xf32>) {
    %q = geo.dot %r, %k : vector<4xf32>
    geo.yield %q : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir";

TEST(FormulaGradient, OpsOfSeveralFormulas) {
  for (const char *manifold :
       {"#geo.poincare<\"c\">", "#geo.lorentz<\"c\">", "#geo.sphere<\"c\">",
        "#geo.product<#geo.euclidean x 1, #geo.lorentz<\"c\"> x 3>"}) {
    std::string text = several;
    for (size_t i; (i = text.find("MANIFOLD")) != std::string::npos;)
      text.replace(i, 8, manifold);
    EXPECT_TRUE(
        checkAll(text, {spread({5, 4}, -0.4, 0.4, 1),
                        spread({4, 4}, -0.5, 0.5, 2), spread({3, 5}, 0.1, 1, 3),
                        Datum(0.7L), spread({3, 4}, -1, 1, 4)}))
        << manifold;
  }
}

/// A formula with an own derivative, in a row program and (as a number) in a
/// pair program of f32.
const char *ownVjp = R"mlir(
geo.formula @soft(z: number) = log(1 + exp(z)) vjp(ct: number) = SCALE * ct / (1 + exp(-z))
geo.manifold @m {
  formula @soft(z: number) = log(1 + exp(z)) vjp(ct: number) = SCALE * ct / (1 + exp(-z))
  formula @sqdist(x: row, y: row) = soft(sqnorm(x - y))
  formula @scaled(x: row) = soft(sqnorm(x)) * x
}
!x = tensor<6x4xf32, #geo.manifold<@m>>
!e = tensor<9x4xf32, #geo.manifold<@m>>
func.func @f(%H: tensor<6x4xf32>, %E: tensor<9x4xf32>, %T: f64,
             %targets: tensor<6xi32>) -> f64 {
  %s = geo.apply @m::@scaled(%H) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %h = geo.point %s : tensor<6x4xf32> -> !x
  %e = geo.point %E : tensor<9x4xf32> -> !e
  %n = geo.distance_nll %h, %e targets(%targets : tensor<6xi32>) tau(%T) math f32
    : !x, !e -> tensor<6xf64>
  %sum = geo.rowwise rows(%r = %n : tensor<6xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir";

std::string withScale(const char *scale) {
  std::string text = ownVjp;
  for (size_t i; (i = text.find("SCALE")) != std::string::npos;)
    text.replace(i, 5, scale);
  return text;
}

std::vector<Datum> ownVjpArguments() {
  return {spread({6, 4}, -1, 1, 1), spread({9, 4}, -1, 1, 2), Datum(0.6L),
          makeIds({6}, 9)};
}

TEST(FormulaGradient, OwnDerivative) {
  EXPECT_TRUE(checkAll(withScale("1"), ownVjpArguments()));
}

TEST(FormulaGradient, AnOwnDerivativeIsWhatIsUsed) {
  // Wrong by a factor, so the check must fail.
  EXPECT_FALSE(checkAll(withScale("2"), ownVjpArguments()));
}

} // namespace
