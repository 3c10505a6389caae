// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-opt: every geo pass and the upstream ones that the pipelines use.
#include "frontend/tools/Registration.h"
#include "frontend/tools/ToolFailures.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  geo::tools::handleFailures("geo-opt");
  mlir::DialectRegistry registry;
  geo::registerGeoDialects(registry);
  geo::registerAllGeoPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Geoc pass driver\n", registry));
}
