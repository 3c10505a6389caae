// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TOOLS_TOOLFAILURES_H
#define GEOC_FRONTEND_TOOLS_TOOLFAILURES_H

#include "llvm/ADT/StringRef.h"

namespace geo::tools {

/// From here on an allocation that fails, in Geoc's or in LLVM's code, ends the
/// process with exit code 2 and one line; most of that code knows no
/// exceptions, and would abort. A file that grows past its limit is an error of
/// the write, not a signal that ends the process. `program` is kept.
void handleFailures(const char *program);

/// Writes what still waits for llvm::outs(); 1 and one line where that fails,
/// else `exitCode`.
int finishOutput(int exitCode);

/// What LLVM's command line found wrong: the first line of its message, without
/// the program's name.
llvm::StringRef getUsageMessage(llvm::StringRef message);

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_TOOLFAILURES_H
