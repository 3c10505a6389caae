// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TOOLS_SHORTMEMORY_H
#define GEOC_FRONTEND_TOOLS_SHORTMEMORY_H

namespace geo::tools {

/// From here on an allocation that fails, in Geoc's or in LLVM's code, ends the
/// process with exit code 2 and one line; most of that code knows no
/// exceptions, and would abort. `program` is kept.
void exitOnShortMemory(const char *program);

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_SHORTMEMORY_H
