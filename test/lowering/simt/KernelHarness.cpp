// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gtest/gtest.h"
#include <fstream>
#include <iterator>

#include "frontend/tools/Registration.h"
#include "mlir/Conversion/VectorToGPU/VectorToGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "test/lowering/simt/KernelHarness.h"

using namespace mlir;

geo::test::Kernels::Kernels(const std::string &text, bool check,
                            bool distribute) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + '\n';
  });
  bool isModule = text.find("module attributes") != std::string::npos;
  std::string whole =
      isModule ? text
               : "module attributes {gpu.container_module} {" + text + "}";
  auto module = parseSourceString<ModuleOp>(whole, &context, "test.mlir");
  if (!module)
    return;
  if (distribute) {
    PassManager pm(&context);
    pm.addNestedPass<gpu::GPUModuleOp>(createConvertVectorToGPUPass(true));
    pm.addPass(createCanonicalizerPass());
    if (failed(pm.run(*module)))
      return;
    // What people who want tf32 have to add.
    module->walk([](nvgpu::MmaSyncOp op) {
      if (cast<VectorType>(op.getMatrixA().getType()).getElementType().isF32())
        op.setTf32Enabled(true);
    });
  }
  executable = compileKernels(*module, check);
}

std::string geo::test::readInput(const std::string &name) {
  std::ifstream file(std::string(GEOC_SIMT_INPUTS) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string geo::test::takeMessages() {
  std::string all;
  for (const rt::simt::Report &report : rt::simt::takeReports())
    all += report.message() + '\n';
  return all;
}

std::string geo::test::replaceAll(std::string text, const std::string &from,
                                  const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
