// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways to run a module: compiled, or interpreted in long double.
#include "dialect/interpreter/Interpreter.h"
#include "frontend/tools/geo-numerics.h"
#include "lowering/Compiler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "runtime/simt/Report.h"

using namespace geo;
using namespace geo::numerics;
using namespace mlir;

namespace {
class CompiledProgram : public Program {
public:
  explicit CompiledProgram(std::unique_ptr<Executable> executable)
      : executable(std::move(executable)) {}

  LogicalResult call(StringRef function, std::vector<rt::Tensor> &arguments,
                     std::vector<rt::Tensor> &results) override {
    Executable::Entry entry = executable->lookup(function);
    if (!entry)
      return failure();
    std::vector<rt::MemRef> descriptors;
    descriptors.reserve(arguments.size() + results.size());
    std::vector<void *> packed;
    for (std::vector<rt::Tensor> *group : {&arguments, &results})
      for (rt::Tensor &tensor : *group)
        packed.push_back(tensor.rank() == 0
                             ? tensor.raw()
                             : descriptors.emplace_back(tensor).descriptor());
    entry(packed.data());
    auto reports = rt::simt::takeReports();
    for (const rt::simt::Report &report : reports)
      llvm::errs() << "geo-numerics: " << report.message() << '\n';
    return success(reports.empty());
  }

private:
  std::unique_ptr<Executable> executable;
};

class InterpretedProgram : public Program {
public:
  explicit InterpretedProgram(OwningOpRef<ModuleOp> module)
      : module(std::move(module)) {}

  LogicalResult call(StringRef function, std::vector<rt::Tensor> &arguments,
                     std::vector<rt::Tensor> &results) override {
    auto symbol = module->lookupSymbol<func::FuncOp>(function);
    if (!symbol)
      return failure();
    SmallVector<Datum> data;
    for (rt::Tensor &tensor : arguments)
      data.push_back(toDatum(tensor));
    FailureOr<SmallVector<Datum>> got = interpret(symbol, data);
    if (failed(got) || got->size() != results.size())
      return failure();
    for (auto [datum, tensor] : llvm::zip(*got, results))
      if (failed(fromDatum(datum, tensor)))
        return failure();
    return success();
  }

private:
  static Datum toDatum(const rt::Tensor &tensor) {
    Datum datum = Datum::zeros(tensor.shape());
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      switch (tensor.dtype()) {
      case rt::DType::F32:
        datum.data[i] = tensor.data<float>()[i];
        break;
      case rt::DType::F64:
        datum.data[i] = tensor.data<double>()[i];
        break;
      case rt::DType::I32:
        datum.data[i] = tensor.data<int32_t>()[i];
        break;
      case rt::DType::I64:
        datum.data[i] = tensor.data<int64_t>()[i];
        break;
      }
    return datum;
  }

  static LogicalResult fromDatum(const Datum &datum, rt::Tensor &tensor) {
    if (datum.size() != tensor.numElements())
      return failure();
    for (int64_t i = 0; i < datum.size(); ++i)
      if (tensor.dtype() == rt::DType::F32)
        tensor.data<float>()[i] = static_cast<float>(datum.data[i]);
      else
        tensor.data<double>()[i] = static_cast<double>(datum.data[i]);
    return success();
  }

  OwningOpRef<ModuleOp> module;
};
} // namespace

std::unique_ptr<Program>
geo::numerics::makeProgram(StringRef target, OwningOpRef<ModuleOp> module,
                           bool simtCheck) {
  if (target == "interpret") {
    PassManager passes(module->getContext());
    passes.addPass(createGeoCheckPoints());
    passes.addPass(createGeoExpand());
    passes.addPass(createCSEPass());
    passes.addPass(createGeoDifferentiate());
    if (failed(passes.run(*module)))
      return nullptr;
    return std::make_unique<InterpretedProgram>(std::move(module));
  }
  CompileOptions options;
  options.target = *parseTarget(target); // checked
  options.device.simtCheck = simtCheck;
  auto executable = compile(*module, options);
  if (!executable)
    return nullptr;
  return std::make_unique<CompiledProgram>(std::move(executable));
}
