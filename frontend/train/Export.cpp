// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Messages.h"
#include "frontend/tools/Registration.h"
#include "frontend/train/Session.h"
#include "frontend/train/StepBuilder.h"

using namespace mlir;
using namespace geo;

rt::Expected<std::string>
geo::exportTrainStep(const RilmConfig &config,
                     const OptimizerConfig &optimizer) {
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  GraphBuilder graph(*module, storageType(*module, config));
  FirstMessage message(context);
  std::unique_ptr<Model> model = Model::create(graph, config);
  if (!model)
    return rt::Status::error(message.get());
  buildTrainStep(graph, *model, optimizer);
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Arguments keep the parameters' names.
  module->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  return text;
}
