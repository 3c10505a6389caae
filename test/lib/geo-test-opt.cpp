// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-opt and the manifold of the tests.
#include "frontend/tools/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "test/lib/GeoTest.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  geo::registerGeoDialects(registry);
  registry.insert<geo::test::GeoTestDialect>();
  geo::registerAllGeoPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Geoc pass driver of the tests\n", registry));
}
