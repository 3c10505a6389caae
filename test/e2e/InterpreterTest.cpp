// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The models' IR, read in long double, gives PyTorch's losses and gradients:
// this checks formulas and differentiation without any code generation.
#include "dialect/interpreter/Interpreter.h"
#include "frontend/tools/Registration.h"
#include "frontend/train/StepBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "test/e2e/TorchDump.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace geo;
using geo::test::TorchDump;

namespace {

template <class T> Datum datum(ArrayRef<int64_t> shape, const T *data) {
  Datum d = Datum::zeros(shape);
  std::copy_n(data, d.data.size(), d.data.begin());
  return d;
}

class Interpreted : public testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() { registerAllGeoPasses(); }
  Interpreted() {
    DialectRegistry registry;
    registerGeoDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// @gradient of the model, expanded and differentiated.
  OwningOpRef<ModuleOp> build(const RilmConfig &config) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    GraphBuilder graph(*module);
    std::unique_ptr<Model> model = Model::create(graph, config);
    if (!model)
      return nullptr;
    buildGradient(graph, *model);
    PassManager passes(&context);
    if (failed(parsePassPipeline("geo-check-points,geo-expand,cse,"
                                 "geo-differentiate",
                                 passes)) ||
        failed(passes.run(*module)))
      return nullptr;
    return module;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

std::vector<Datum>
arguments(const RilmConfig &config,
          const std::map<std::string, std::vector<double>> &p,
          const StepInput &in) {
  std::vector<Datum> result;
  for (const Parameter &parameter : getParameters(config))
    result.push_back(datum(parameter.shape, p.at(parameter.name).data()));
  result.push_back(datum({in.steps, in.rows}, in.ids));
  result.push_back(datum({in.steps, in.rows}, in.valid));
  result.push_back(datum({in.steps, in.rows}, in.targets));
  result.push_back(datum({in.steps, in.rows}, in.mask));
  result.push_back(datum({in.rows}, in.startTargets));
  result.push_back(datum({in.rows}, in.startMask));
  return result;
}

TEST_P(Interpreted, AgreesWithPyTorch) {
  TorchDump dump(std::string(GEOC_E2E_INPUTS) + "/" + GetParam() + ".json");
  OwningOpRef<ModuleOp> module = build(dump.config);
  ASSERT_TRUE(module);
  auto results =
      interpret(module->lookupSymbol<func::FuncOp>("gradient"),
                arguments(dump.config, dump.parameters, dump.input()));
  ASSERT_TRUE(succeeded(results));
  EXPECT_NEAR(double((*results)[0].number()) / dump.loss, 1, 1e-12);
  size_t i = 3;
  for (const Parameter &parameter : getParameters(dump.config)) {
    const Datum &d = (*results)[i++];
    EXPECT_LT(TorchDump::error(dump.gradients.at(parameter.name),
                               {d.data.begin(), d.data.end()}),
              1e-10)
        << parameter.name;
  }
}

/// The dumps are truncated at 3 of 8 steps: without, the gradient is another.
TEST_P(Interpreted, TruncationShows) {
  TorchDump dump(std::string(GEOC_E2E_INPUTS) + "/" + GetParam() + ".json");
  dump.config.truncate = 0;
  OwningOpRef<ModuleOp> module = build(dump.config);
  ASSERT_TRUE(module);
  auto results =
      interpret(module->lookupSymbol<func::FuncOp>("gradient"),
                arguments(dump.config, dump.parameters, dump.input()));
  ASSERT_TRUE(succeeded(results));
  EXPECT_NEAR(double((*results)[0].number()) / dump.loss, 1, 1e-12);
  const Datum &root = (*results)[4];
  EXPECT_GT(TorchDump::error(dump.gradients.at("root"),
                             {root.data.begin(), root.data.end()}),
            1e-2);
}

INSTANTIATE_TEST_SUITE_P(Dumps, Interpreted,
                         testing::Values("flat-windows", "flat-lines",
                                         "hyp-windows", "hyp-lines",
                                         "naive-windows", "naive-lines"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
