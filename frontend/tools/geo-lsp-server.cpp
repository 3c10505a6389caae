// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo-lsp-server: MLIR's language server, with the geo dialect.
#include "frontend/tools/Registration.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  geo::registerGeoDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
