// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/support/Program.h"
#include "frontend/tools/Registration.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace geo;
using namespace geo::examples;

/// `text` with the line "name = ..." replaced; false if there is none.
static bool replaceAlias(std::string &text, const std::string &name,
                         const std::string &value) {
  std::string start = name + " =";
  size_t begin = text.rfind(start, 0) == 0 ? 0 : text.find("\n" + start);
  if (begin == std::string::npos)
    return false;
  begin = text.find(start, begin);
  size_t end = text.find('\n', begin);
  text.replace(begin, end == std::string::npos ? end : end - begin,
               start + " " + value);
  return true;
}

static std::string describe(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto at = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    os << at.getFilename().getValue() << ":" << at.getLine() << ":"
       << at.getColumn() << ": ";
  os << diagnostic.str();
  return text;
}

rt::Expected<std::string> examples::readModel(const std::string &path,
                                              const Aliases &aliases) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return rt::expects(path, "to be readable", file.getError().message());
  std::string text = (*file)->getBuffer().str();
  for (const auto &[name, value] : aliases)
    if (!replaceAlias(text, name, value))
      return rt::expects(path, "a line that defines the alias " + name, "none");
  return text;
}

rt::Expected<std::string> examples::getSpace(const std::string &name) {
  if (name == "ball")
    return std::string("#geo.poincare<1.0>");
  if (name == "hyperboloid")
    return std::string("#geo.lorentz<1.0>");
  if (name == "flat")
    return std::string("#geo.euclidean");
  return rt::expects("--space", "ball, hyperboloid or flat", rt::quote(name));
}

rt::Expected<Program> Program::load(const std::string &path,
                                    const Aliases &aliases,
                                    const std::string &targetName) {
  std::optional<Target> target = parseTarget(targetName);
  if (!target)
    return rt::expects("--target", "cpu, loops or simt", rt::quote(targetName));
  auto text = readModel(path, aliases);
  if (!text)
    return text.status();
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string first;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && first.empty())
      first = describe(diagnostic);
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(*text, path),
                             llvm::SMLoc());
  Program program;
  if (OwningOpRef<ModuleOp> module =
          parseSourceFile<ModuleOp>(sources, &context)) {
    CompileOptions options;
    options.target = *target;
    program.executable = compile(*module, options);
  }
  if (!program.executable)
    return rt::Status::error(first.empty() ? path + ": does not compile"
                                           : first);
  return program;
}

void Program::invoke(const char *function, void **arguments) const {
  Executable::Entry entry = executable->lookup(function);
  if (!entry)
    llvm::report_fatal_error(llvm::Twine("the model expects a function @") +
                                 function + ", but got none",
                             /*gen_crash_diag=*/false);
  entry(arguments);
}
