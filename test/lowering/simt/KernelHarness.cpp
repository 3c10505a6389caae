// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gtest/gtest.h"

#include "frontend/tools/Registration.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/lowering/simt/KernelHarness.h"

using namespace mlir;

geo::test::Kernels::Kernels(const std::string &text, bool check) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + '\n';
  });
  std::string whole = "module attributes {gpu.container_module} {" + text + "}";
  if (auto module = parseSourceString<ModuleOp>(whole, &context, "test.mlir"))
    executable = compileKernels(*module, check);
}

std::string geo::test::takeMessages() {
  std::string all;
  for (const rt::simt::Report &report : rt::simt::takeReports())
    all += report.message() + '\n';
  return all;
}
