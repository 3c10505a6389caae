// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/Session.h"
#include "frontend/tools/Registration.h"
#include "lowering/Pipelines.h"
#include "mlir/Parser/Parser.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace geo;
using namespace geo::test;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerGeoDialects(registry);
  registerPipelineDialects(registry);
  return registry;
}

Session::Session(StringRef source)
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.getDiagEngine().registerHandler([this](Diagnostic &d) {
    diagnostics += d.str() + '\n';
    return success();
  });
  module = parseSourceString<ModuleOp>(source, &context);
  run([](PassManager &pm) {
    pm.addPass(createGeoCheckPoints());
    pm.addPass(createGeoExpand());
  });
}

void Session::run(function_ref<void(PassManager &)> addPasses) {
  if (!module)
    return;
  PassManager pm(&context);
  addPasses(pm);
  if (failed(pm.run(*module)))
    module = nullptr;
}

void Session::differentiate(ArrayRef<int64_t> wrt) {
  GeoDifferentiateOptions options;
  options.function = "f";
  options.wrt.assign(wrt.begin(), wrt.end());
  run([&](PassManager &pm) { pm.addPass(createGeoDifferentiate(options)); });
}

func::FuncOp Session::lookup(StringRef name) {
  return module ? module->lookupSymbol<func::FuncOp>(name) : nullptr;
}

SmallVector<int64_t> geo::test::getFloatArguments(func::FuncOp function) {
  SmallVector<int64_t> indices;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      indices.push_back(i);
  return indices;
}
