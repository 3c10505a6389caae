// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/ToolFailures.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
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

void tools::handleFailures(const char *program) {
  programName = program;
  std::set_new_handler([] { giveUp(); });
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { giveUp(); });
  std::signal(SIGXFSZ, SIG_IGN);
}

int tools::finishOutput(int exitCode) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return exitCode;
  llvm::outs().clear_error(); // or its destructor aborts
  llvm::errs() << programName << ": standard output: expects to be written, "
               << "but got " << error.message() << '\n';
  return 1;
}

llvm::StringRef tools::getUsageMessage(llvm::StringRef message) {
  llvm::StringRef line = message.trim().split('\n').first;
  if (line.consume_front(programName))
    line.consume_front(": ");
  return line.split("  Try:").first;
}
