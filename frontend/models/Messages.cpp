// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Messages.h"

using namespace mlir;
using namespace geo;

FirstMessage::FirstMessage(MLIRContext &context)
    : handler(&context, [this](Diagnostic &d) {
        if (d.getSeverity() != DiagnosticSeverity::Error || seen)
          return success();
        seen = true;
        text.clear();
        llvm::raw_string_ostream stream(text);
        if (auto place = d.getLocation()->findInstanceOf<FileLineColLoc>())
          stream << place.getFilename().getValue() << ':' << place.getLine()
                 << ':' << place.getColumn() << ": ";
        // Some messages quote whole operations.
        stream << StringRef(d.str()).split('\n').first;
        return success();
      }) {}
