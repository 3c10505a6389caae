// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/Registration.h"
#include "frontend/train/Session.h"
#include "frontend/train/StepBuilder.h"

using namespace mlir;
using namespace geo;

std::string geo::exportTrainStep(const RilmConfig &config,
                                 const OptimizerConfig &optimizer) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  GraphBuilder graph(*module, storageType(*module, config));
  buildTrainStep(graph, config, optimizer);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Arguments keep the parameters' names.
  module->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text;
}
