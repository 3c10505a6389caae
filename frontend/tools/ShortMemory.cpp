// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/ShortMemory.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace geo;

static const char *programName = "geoc";

/// Must not allocate.
[[noreturn]] static void giveUp() {
  for (const char *text :
       {programName, ": memory: expects more of it, but got none\n"})
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
      break;
  std::_Exit(2);
}

void tools::exitOnShortMemory(const char *program) {
  programName = program;
  std::set_new_handler([] { giveUp(); });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { giveUp(); });
}
