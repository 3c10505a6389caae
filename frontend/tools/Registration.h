// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every tool registers: dialects, and passes.
#ifndef GEOC_FRONTEND_TOOLS_REGISTRATION_H
#define GEOC_FRONTEND_TOOLS_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace geo {

/// The geo dialect, and the upstream dialects that its pipelines go through.
void registerGeoDialects(mlir::DialectRegistry &registry);

/// All geo passes, and upstream's canonicalize, cse, inline and symbol-dce.
void registerAllGeoPasses();

} // namespace geo

#endif // GEOC_FRONTEND_TOOLS_REGISTRATION_H
