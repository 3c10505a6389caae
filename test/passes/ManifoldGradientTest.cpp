// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on points: derived gradients by points, curvature and temperature,
// at generic and at hard points.
#include "test/lib/CompiledChecker.h"

using namespace geo;
using namespace geo::test;

namespace {

/// `text` with PT replaced by a batch of points of `manifold`, and CURV by
/// operands for its curvature, which is %C where `isCurved`.
std::string onManifold(std::string text, llvm::StringRef manifold,
                       bool isCurved) {
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    for (size_t i; (i = text.find(from.str())) != std::string::npos;)
      text.replace(i, from.size(), to.str());
  };
  replace("PT", ("tensor<3x4xf32, " + manifold + ">").str());
  replace("CURV", isCurved ? "curvature(%C)" : "");
  return text;
}

/// The loss weighs every element of %out, rows or a number per row.
const char *head = R"mlir(
func.func @f(%X: tensor<3x4xf32>, %Y: tensor<3x4xf32>, %C: f64, %T: f64,
             %K: tensor<3x4xf32>, %N: tensor<3xf64>, %ids: tensor<3xi32>,
             %V: tensor<3xf32>) -> f64 {
  %x = geo.point %X : tensor<3x4xf32> -> PT
  %y = geo.point %Y : tensor<3x4xf32> -> PT
)mlir";
const char *rowTail = R"mlir(
  %loss = geo.rowwise rows(%a = %out : tensor<3x4xf32>, %k = %K : tensor<3x4xf32>,
                           %n = %N : tensor<3xf64>) {
    %q = geo.dot %a, %k : vector<4xf32>
    %w = arith.mulf %q, %n : f64
    geo.yield %w : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir";
const char *numberTail = R"mlir(
  %loss = geo.rowwise rows(%a = %out : tensor<3xf64>, %n = %N : tensor<3xf64>) {
    %w = arith.mulf %a, %n : f64
    geo.yield %w : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir";
const char *tableTail = R"mlir(
  %loss = geo.rowwise rows(%a = %out : tensor<3x3xf32>, %n = %N : tensor<3xf64>)
                      shared(%k = %V : tensor<3xf32>) {
    %q = geo.dot %a, %k : vector<3xf32>
    %w = arith.mulf %q, %n : f64
    geo.yield %w : f64
  } -> () sums (f64)
  return %loss : f64
}
)mlir";

struct Formula {
  const char *name;
  const char *body;
  const char *tail;
  bool onSphere = true;
};

const Formula formulas[] = {
    {"MobiusAdd",
     "%p = geo.mobius_add %x, %y CURV : PT\n"
     "%out = geo.coords %p : PT -> tensor<3x4xf32>",
     rowTail},
    {"ExpMap0",
     "%p = geo.expmap0 %Y CURV : tensor<3x4xf32> -> PT\n"
     "%out = geo.coords %p : PT -> tensor<3x4xf32>",
     rowTail},
    {"LogMap0", "%out = geo.logmap0 %x CURV : PT -> tensor<3x4xf32>", rowTail},
    {"ExpMap",
     "%p = geo.expmap %x, %Y CURV : PT, tensor<3x4xf32>\n"
     "%out = geo.coords %p : PT -> tensor<3x4xf32>",
     rowTail},
    {"Project",
     "%p = geo.project %X CURV : tensor<3x4xf32> -> PT\n"
     "%out = geo.coords %p : PT -> tensor<3x4xf32>",
     rowTail},
    {"ConformalFactor",
     "%out = geo.conformal_factor %x CURV : PT -> tensor<3xf64>", numberTail,
     false},
    {"SqDist", "%out = geo.sqdist %x, %y CURV : PT, PT -> tensor<3xf64>",
     numberTail},
    {"SqDistAllPairs",
     "%out = geo.sqdist %x, %y CURV all_pairs math f64 : PT, PT -> "
     "tensor<3x3xf32>",
     tableTail},
    {"DistanceLogSoftmax",
     "%out = geo.distance_log_softmax %x, %y tau(%T) CURV math f32 : PT, PT -> "
     "tensor<3x3xf32>",
     tableTail},
    {"DistanceNll",
     "%out = geo.distance_nll %x, %y targets(%ids : tensor<3xi32>) tau(%T) "
     "CURV : PT, PT -> tensor<3xf64>",
     numberTail},
};

/// Distances have a cone at 0, so they get points that are apart.
const Formula distances[] = {
    {"Dist", "%out = geo.geodesic_dist %x, %y CURV : PT, PT -> tensor<3xf64>",
     numberTail},
    {"DistAllPairs",
     "%out = geo.geodesic_dist %x, %y CURV all_pairs : PT, PT -> "
     "tensor<3x3xf32>",
     tableTail},
};

/// Points on the ball of curvature -c with c = 0.7, and tangent vectors.
struct Points {
  const char *name;
  Datum x, y;
  long double step = 1e-4L;
};

constexpr long double curvature = 0.7L;
const long double rim = 1 / std::sqrt(curvature);

Datum offset(Datum x, long double by) {
  for (int64_t i = 0; i < x.size(); ++i)
    x.data[i] += i % 2 ? by : -by / 2;
  return x;
}

std::vector<Points> makeGenericPoints() {
  Datum x = spread({3, 4}, -0.4, 0.4, 1), y = spread({3, 4}, -0.4, 0.4, 2);
  return {{"generic", x, y}};
}

std::vector<Points> makeBallPoints() {
  std::vector<Points> points = makeGenericPoints();
  Datum x = points[0].x, y = points[0].y;
  Datum zero = Datum::zeros({3, 4});
  Datum far = withNorm(x, 0.9985L * rim), opposite = far;
  for (long double &e : opposite.data)
    e = -e;
  points.push_back({"x = 0", zero, y});
  points.push_back({"y = 0", x, zero});
  points.push_back({"both 0", zero, zero});
  points.push_back({"nearly equal", x, offset(x, 1e-9L)});
  points.push_back({"equal", x, x});
  points.push_back({"at the rim", far, withNorm(y, 0.9985L * rim), 1e-6L});
  points.push_back({"nearly equal at the rim", far, offset(far, 1e-9L), 2e-7L});
  points.push_back(
      {"nearly opposite at the rim", far, offset(opposite, 1e-6L), 1e-6L});
  return points;
}

void check(const Formula &formula, llvm::StringRef manifold, bool isCurved,
           const Points &points, long double tolerance) {
  SCOPED_TRACE(std::string(formula.name) + " on " + manifold.str() + ", " +
               points.name);
  GradientOptions options;
  options.step = points.step;
  options.tolerance = tolerance;
  EXPECT_TRUE(
      checkGradient(onManifold(std::string(head) + formula.body + formula.tail,
                               manifold, isCurved),
                    {points.x, points.y, Datum(curvature), Datum(0.6L),
                     spread({3, 4}, .5, 2, 3), Datum({3}, {1.0L, -0.7L, 2.3L}),
                     makeIds({3}, 3), Datum({3}, {1.0L, -2.0L, 0.5L})},
                    options));
}

TEST(PoincareGradient, FormulasAtGenericAndHardPoints) {
  for (const Formula &formula : formulas)
    for (const Points &points : makeBallPoints())
      check(formula, "#geo.poincare<\"c\">", true, points, 1e-8L);
}

TEST(PoincareGradient, Distances) {
  for (const Formula &formula : distances)
    check(formula, "#geo.poincare<\"c\">", true, makeGenericPoints()[0], 1e-9L);
}

TEST(PoincareGradient, ConstantCurvature) {
  for (const Formula &formula : formulas)
    check(formula, "#geo.poincare<0.7>", false, makeGenericPoints()[0], 1e-9L);
}

TEST(PoincareGradient, ProjectionOfRowsOutside) {
  Points points = makeGenericPoints()[0];
  points.x = withNorm(points.x, 2 * rim);
  for (const Formula &formula : formulas)
    if (formula.name == std::string("Project"))
      check(formula, "#geo.poincare<\"c\">", true, points, 1e-9L);
}

TEST(EuclideanGradient, Formulas) {
  for (const Formula &formula : formulas)
    check(formula, "#geo.euclidean", false, makeGenericPoints()[0], 1e-9L);
  for (const Formula &formula : distances)
    check(formula, "#geo.euclidean", false, makeGenericPoints()[0], 1e-9L);
}

TEST(SphereGradient, FormulasAtGenericAndHardPoints) {
  Datum x = spread({3, 4}, -1, 1, 1), y = spread({3, 4}, -1, 1, 2);
  Datum antipode = x;
  for (long double &e : antipode.data)
    e = -2 * e;
  const Points all[] = {
      {"generic", x, y},
      {"nearly equal", x, offset(x, 1e-9L)},
      {"nearly opposite", x, offset(antipode, 1e-2L), 1e-5L},
      {"short rows", withNorm(x, 1e-3L), withNorm(y, 1e-3L), 1e-7L}};
  for (const Formula &formula : formulas)
    for (const Points &points : all)
      if (formula.onSphere)
        check(formula, "#geo.sphere<1.0>", false, points, 1e-8L);
  for (const Formula &formula : distances)
    check(formula, "#geo.sphere<1.0>", false, all[0], 1e-9L);
}

TEST(SphereGradient, RecurrenceWithDecoder) {
  // A manifold that no pass and no lowering knows: gradients, and both targets.
  EXPECT_TRUE(checkAll(R"mlir(
func.func @f(%W: tensor<4x4xf32>, %E: tensor<10x4xf32>, %H: tensor<2x4xf32>,
             %T: f64, %I: tensor<5x2xi32>, %targets: tensor<10xi32>) -> f64 {
  %e = geo.point %E : tensor<10x4xf32> -> tensor<10x4xf32, #geo.sphere<1.0>>
  %h0 = geo.point %H : tensor<2x4xf32> -> tensor<2x4xf32, #geo.sphere<1.0>>
  %end, %all = geo.scan init(%h = %h0 : tensor<2x4xf32, #geo.sphere<1.0>>)
      inputs(%i = %I : tensor<5x2xi32>)
      shared(%w = %W : tensor<4x4xf32>, %t = %e : tensor<10x4xf32, #geo.sphere<1.0>>) truncate 2 {
    %x = geo.gather %t[%i] : tensor<10x4xf32, #geo.sphere<1.0>>, tensor<2xi32> -> tensor<2x4xf32, #geo.sphere<1.0>>
    %l = geo.logmap0 %h : tensor<2x4xf32, #geo.sphere<1.0>> -> tensor<2x4xf32>
    %m = geo.matmul %l, %w : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
    %p = geo.expmap0 %m : tensor<2x4xf32> -> tensor<2x4xf32, #geo.sphere<1.0>>
    %n = geo.mobius_add %p, %x : tensor<2x4xf32, #geo.sphere<1.0>>
    geo.yield %n, %n : tensor<2x4xf32, #geo.sphere<1.0>>, tensor<2x4xf32, #geo.sphere<1.0>>
  } -> (tensor<2x4xf32, #geo.sphere<1.0>>, tensor<5x2x4xf32, #geo.sphere<1.0>>)
  %flat = tensor.collapse_shape %all [[0, 1], [2]]
    : tensor<5x2x4xf32, #geo.sphere<1.0>> into tensor<10x4xf32, #geo.sphere<1.0>>
  %nll = geo.distance_nll %flat, %e targets(%targets : tensor<10xi32>) tau(%T) math f64
    : tensor<10x4xf32, #geo.sphere<1.0>>, tensor<10x4xf32, #geo.sphere<1.0>> -> tensor<10xf64>
  %sum = geo.rowwise rows(%r = %nll : tensor<10xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
)mlir",
                       {spread({4, 4}, -0.4, 0.4, 1), spread({10, 4}, -1, 1, 2),
                        spread({2, 4}, -1, 1, 3), Datum(0.6L),
                        makeIds({5, 2}, 10), makeIds({10}, 7)}));
}

TEST(SphereGradient, TangentVectorZero) {
  Points points = {"v = 0", spread({3, 4}, -1, 1, 1), Datum::zeros({3, 4})};
  for (const Formula &formula : formulas)
    if (llvm::StringRef(formula.name).starts_with("ExpMap"))
      check(formula, "#geo.sphere<1.0>", false, points, 1e-9L);
}

} // namespace
