// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-numerics: reference vectors on the manifolds of the dialect.
#include "frontend/tools/geo-numerics.h"
#include "frontend/tools/Registration.h"
#include "frontend/tools/ToolFailures.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  geo::tools::handleFailures("geo-numerics");
  mlir::DialectRegistry registry;
  geo::registerGeoDialects(registry);
  return geo::tools::finishOutput(geo::numerics::run(
      argc, argv, registry, geo::numerics::getDefaultManifolds()));
}
