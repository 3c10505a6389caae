// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_MODELS_MESSAGES_H
#define GEOC_FRONTEND_MODELS_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace geo {

/// Keeps the first error of a context, with the place in a file that it is
/// about, where there is one: "cell.mlir:3:5: expects ...".
class FirstMessage {
public:
  explicit FirstMessage(mlir::MLIRContext &context);
  /// The message; "no message" if there was none.
  const std::string &get() const { return text; }

private:
  std::string text = "no message";
  bool seen = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_MESSAGES_H
