// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The marks of the arguments of a model file's functions.
#ifndef GEOC_FRONTEND_MODELS_FILEARGUMENTS_H
#define GEOC_FRONTEND_MODELS_FILEARGUMENTS_H

#include "frontend/models/FileLayout.h"

namespace geo {

/// Reads the marks of the arguments of `function`, one of `layout`'s, and adds
/// what they name. `allowed` lists what they may be. Errors are reported at the
/// argument.
mlir::LogicalResult readArguments(FileLayout &layout, FileFunction &function,
                                  llvm::StringRef allowed);

/// An error at argument i, which it names.
mlir::InFlightDiagnostic argumentError(const FileFunction &function,
                                       unsigned i);

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_FILEARGUMENTS_H
