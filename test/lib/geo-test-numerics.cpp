// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-numerics and the manifold of the tests.
#include "frontend/tools/Registration.h"
#include "frontend/tools/geo-numerics.h"
#include "test/lib/GeoTest.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  geo::registerGeoDialects(registry);
  registry.insert<geo::test::GeoTestDialect>();
  std::vector<geo::numerics::ManifoldSpec> manifolds =
      geo::numerics::getDefaultManifolds();
  manifolds.push_back({"sphere", "#geo_test.sphere", /*hasCurvature=*/false});
  return geo::numerics::run(argc, argv, registry, manifolds);
}
