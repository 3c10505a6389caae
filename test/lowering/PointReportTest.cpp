// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points outside of their manifold: counted where one asks for it, NaN where
// not.
#include "runtime/PointReport.h"
#include "test/lowering/Harness.h"
#include <cmath>

using namespace geo;
using namespace geo::test;

namespace {

class PointReport : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, PointReport,
                         testing::Values(Target::loops, Target::cpu),
                         [](const auto &info) {
                           return info.param == Target::cpu ? "cpu" : "loops";
                         });

const char *distances = R"mlir(
!p = tensor<?x2xf32, #geo.poincare<"c">>
func.func @f(%X: tensor<?x2xf32>, %Y: tensor<?x2xf32>, %c: f64) -> (tensor<?xf64>, tensor<?x2xf32>) {
  %x = geo.point %X : tensor<?x2xf32> -> !p
  %y = geo.point %Y : tensor<?x2xf32> -> !p
  %d = geo.geodesic_dist %x, %y curvature(%c) : !p, !p -> tensor<?xf64>
  %l = geo.logmap0 %x curvature(%c) : !p -> tensor<?x2xf32>
  return %d, %l : tensor<?xf64>, tensor<?x2xf32>
})mlir";

TEST_P(PointReport, NamesTheFirstRowOutside) {
  Program program(distances, GetParam(), "", "", /*checkPoints=*/true);
  ASSERT_TRUE(program) << program.errors;
  Array<float> x({3, 2}, 0.25f), y({3, 2}, -0.5f), l({3, 2});
  Array<double> d({3});
  double c = 0.25; // the ball of radius 2
  program("f", x, y, c, d, l);
  EXPECT_FALSE(rt::takePointReport());

  x(1, 0) = 2.5f; // outside
  x(1, 1) = 0;
  x(2, 0) = NAN;
  program("f", x, y, c, d, l);
  std::optional<rt::PointReport> report = rt::takePointReport();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->row, 1);
  EXPECT_EQ(report->norm, 2.5);
  EXPECT_EQ(report->limit, 2);
  EXPECT_EQ(report->count, 2);
  EXPECT_NE(report->message().find("geo.geodesic_dist"), std::string::npos)
      << report->message();
  EXPECT_FALSE(rt::takePointReport()) << "expects the report to be taken";
}

TEST_P(PointReport, WithoutItTheResultIsNaN) {
  Program program(distances, GetParam());
  ASSERT_TRUE(program) << program.errors;
  // The point just past the rim that f32 arithmetic takes for one on it.
  Array<float> x({2, 2}), y({2, 2}, 0.1f), l({2, 2});
  Array<double> d({2});
  x(0, 0) = 0.8f;
  x(0, 1) = 0.6f;
  x(1, 0) = 0.5f;
  double c = 1;
  program("f", x, y, c, d, l);
  EXPECT_TRUE(std::isnan(d(0)));
  EXPECT_TRUE(std::isnan(l(0, 0)));
  EXPECT_TRUE(std::isfinite(d(1)));
  EXPECT_FALSE(rt::takePointReport());
}

} // namespace
