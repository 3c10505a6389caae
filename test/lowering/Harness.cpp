// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gtest/gtest.h"

#include "lowering/Pipelines.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/lowering/Harness.h"

using namespace mlir;

geo::test::Program::Program(const std::string &text, Target target,
                            const std::string &cacheDirectory,
                            const std::string &machine, bool checkPoints) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + '\n';
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return;
  CompileOptions options;
  options.target = target;
  options.cacheDirectory = cacheDirectory;
  options.machine = machine;
  options.checkPoints = checkPoints;
  options.device.simtCheck = true;
  executable = compile(*module, options);
}
