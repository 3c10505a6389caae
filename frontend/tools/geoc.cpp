// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geoc: compiles a module ahead of time, and prints every stage on the way.
#include "dialect/Geo.h"
#include "frontend/check/GradientCheck.h"
#include "frontend/tools/Registration.h"
#include "frontend/tools/ToolFailures.h"
#include "frontend/tools/geoc-device.h"
#include "lowering/Codegen.h"
#include "lowering/MemoryPlan.h"
#include "lowering/Pipelines.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "passes/Remarks.h"
#include "runtime/AtomicFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace geo;
namespace cl = llvm::cl;

namespace {

struct Options {
  cl::OptionCategory category{"geoc options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("MODULE.mlir"),
                             cl::init(""), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::value_desc("file"), cl::init("-"),
                              cl::desc("Output file; - is standard output"),
                              cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::init("cpu"),
      cl::desc("cpu: vectors and threads for this machine (default). loops: "
               "scalar loops, the oracle. sm_80, sm_90a, sm_100a: kernels"),
      cl::cat(category)};
  cl::opt<std::string> emit{
      "emit", cl::init("obj"), cl::value_desc("stage"),
      cl::desc("geo: checked and simplified. expanded: the constructs. "
               "gradient: differentiated and inlined. fused: before buffers. "
               "linalg: loops over buffers. memory-plan: their sizes and "
               "lifetimes, as JSON. llvm: LLVM IR. obj: object code (default). "
               "Kernels: gpu, nvvm, ptx, cubin (default), and resources: "
               "registers, memory and occupancy, as JSON"),
      cl::cat(category)};
  cl::opt<std::string> math{
      "math", cl::init("3xtf32"), cl::cat(category),
      cl::desc("Factors of f32 products on a GPU's tensor cores: 3xtf32 "
               "(default), tf32 or bf16")};
  cl::opt<std::string> cudaHome{
      "cuda-home", cl::value_desc("folder"), cl::cat(category),
      cl::desc("Where bin/ptxas is (default: CUDA_HOME, then PATH)")};
  cl::opt<bool> checkPoints{
      "check-points",
      cl::desc("Count points that are not on their manifold at run time (see "
               "runtime/PointReport.h)"),
      cl::cat(category)};
  cl::opt<int64_t> keepBytes{
      "keep-bytes", cl::init(-1), cl::cat(category),
      cl::desc("Bytes that the steps of recurrences may keep for gradients; "
               "the rest is computed again (default: no limit)")};
  cl::opt<int64_t> batchRows{
      "batch-rows", cl::init(0), cl::cat(category),
      cl::desc("Rows of all steps of a training batch together, where shapes "
               "do not tell (default: unknown)")};
  cl::opt<int64_t> planThreads{
      "plan-threads", cl::init(1), cl::cat(category),
      cl::desc("Threads that --emit=memory-plan counts with (default: 1)")};
  cl::opt<std::string> stopAfter{
      "stop-after", cl::value_desc("stage"),
      cl::desc("Print the MLIR after this stage: geo, expanded, gradient, "
               "fused, linalg or llvm (the LLVM dialect)"),
      cl::cat(category)};
  cl::opt<std::string> remarks{
      "remarks", cl::value_desc("category"), cl::cat(category),
      cl::desc("Say what passes did with every candidate, and why not: "
               "fusion")};
  cl::opt<bool> checkGradients{
      "check-gradients", cl::cat(category),
      cl::desc("Instead of compiling, check the gradient of every formula at "
               "random and hard points: an own vjp against the derived one, "
               "that against differences, in long double")};
  cl::opt<bool> checkFunctions{
      "check-functions", cl::cat(category),
      cl::desc("The same for functions, at random points")};
  cl::opt<double> gradientBar{
      "gradient-bar", cl::init(1e-6), cl::cat(category),
      cl::desc("The largest relative error; above it the exit code is 1 "
               "(default: 1e-6)")};
};

/// What the options ask for.
struct Request {
  std::string input, output;
  Target target;
  Stage last;
  /// Print MLIR, the buffers on so many threads (if not 0), LLVM IR, or else
  /// object code.
  bool printModule;
  int64_t planThreads;
  bool printIR;
  bool checkPoints;
  /// The category of the remarks to print, or empty.
  std::string remarks;
  BatchOptions batch;
  std::optional<geo::tools::DeviceRequest> device;
  std::string math;
};

const char *overview =
    "geoc: compiles a module of geometric models to object code\n\n"
    "A public function @f becomes `void geo_entry_f(void **args)`, which "
    "takes\n"
    "pointers to the descriptors of tensors and to numbers, arguments first,\n"
    "then results.\n";
const char *examples =
    "\nEXAMPLES:\n"
    "  geoc model.mlir --emit=gradient          what is differentiated\n"
    "  geoc model.mlir --target=loops --emit=linalg   loops over buffers\n"
    "  geoc model.mlir --emit=fused --remarks=fusion  what was merged, or not\n"
    "  geoc model.mlir --emit=memory-plan --plan-threads=2  every buffer, as "
    "JSON\n"
    "  geoc model.mlir -o model.o               object code for this CPU\n"
    "  geoc model.mlir --target=sm_90a --emit=resources   its kernels\n"
    "  geoc page.mlir --check-gradients         formulas against differences\n"
    "  geoc model.mlir --emit=llvm --mlir-timing -o model.ll\n";

int usageError(const llvm::Twine &message) {
  llvm::errs() << "geoc: " << message << '\n'
               << "geoc: --help shows the options and examples\n";
  return 2;
}

/// Prints remarks and the first error only, without notes: what follows is its
/// echo.
class FirstError {
public:
  explicit FirstError(MLIRContext &context) : engine(context.getDiagEngine()) {
    id = engine.registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        return failure();
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return success();
      return success(std::exchange(seen, true));
    });
  }
  ~FirstError() { engine.eraseHandler(id); }

private:
  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID id;
  bool seen = false;
};

/// Without an assembler the PTX still comes out, beside where the binary would.
LogicalResult emitKernels(ModuleOp module, const Request &request,
                          std::string &result) {
  std::string message;
  if (succeeded(
          geo::tools::emitDevice(module, *request.device, result, message)))
    return success();
  if (message.empty())
    return failure();
  std::string ptx = request.output + ".ptx";
  if (request.output != "-" && rt::writeFile(ptx, result).ok())
    message += "; the PTX is in " + ptx;
  llvm::errs() << "geoc: " << message << '\n';
  return failure();
}

/// Runs the pipeline; the text or object goes to `result`.
LogicalResult run(ModuleOp module, const Request &request, TimingScope &timing,
                  std::string &result) {
  PassManager pm(module.getContext());
  pm.enableVerifier();
  if (failed(applyPassManagerCLOptions(pm)))
    return failure();
  TimingScope lowering = timing.nest("Lowering");
  pm.enableTiming(lowering);
  buildPipeline(pm, request.target, request.last,
                request.device ? request.device->target.name : "",
                request.checkPoints, request.batch, {request.math});
  if (failed(pm.run(module)))
    return failure();
  lowering.stop();
  llvm::raw_string_ostream stream(result);
  if (request.planThreads) {
    printMemoryPlan(module, request.planThreads, stream);
    return success();
  }
  if (request.printModule) {
    module->print(stream);
    return success();
  }
  TimingScope codegen = timing.nest("Code generation");
  if (request.device)
    return emitKernels(module, request, result);
  if (request.printIR)
    return emitLLVMIR(module, request.target, stream);
  auto object = emitObject(module, request.target);
  if (failed(object))
    return failure();
  stream.write(object->data(), object->size());
  return success();
}

/// The text of a file; null after an error.
std::shared_ptr<llvm::SourceMgr> openSources(const std::string &path) {
  std::string error;
  auto file = openInputFile(path, &error);
  if (!file) {
    usageError(error);
    return nullptr;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return sources;
}

int checkFile(const std::string &path, const GradientCheckOptions &options) {
  auto sources = openSources(path);
  if (!sources)
    return 2;
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler printer(*sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 2;
  auto failures = checkGradients(*module, options, llvm::outs());
  return geo::tools::finishOutput(failed(failures) ? 2 : *failures ? 1 : 0);
}

int compileFile(const Request &request) {
  auto sources = openSources(request.input);
  if (!sources)
    return 2;
  DialectRegistry registry;
  registerGeoDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler printer(*sources, &context);
  FirstError filter(context);
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  if (!request.remarks.empty()) {
    remark::RemarkCategories categories;
    categories.passed = categories.missed = request.remarks;
    if (failed(remark::enableOptimizationRemarks(
            context, /*streamer=*/nullptr,
            std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
            /*printAsEmitRemarks=*/true)))
      return 2;
  }

  TimingScope parsing = timing.nest("Parsing");
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  parsing.stop();
  std::string result;
  if (!module || failed(run(*module, request, timing, result)))
    return 2;
  if (request.output == "-") {
    llvm::outs() << result;
    return geo::tools::finishOutput(0);
  }
  if (rt::Status status = rt::writeFile(request.output, result); !status.ok()) {
    llvm::errs() << "geoc: " << status.message() << '\n';
    return 2;
  }
  return 0;
}

int compileForDevice(const Options &options, const GpuTarget &gpu) {
  std::string emit =
      options.emit.getNumOccurrences() ? options.emit.getValue() : "cubin";
  auto stage = parseStage(emit);
  auto output = geo::tools::parseDeviceOutput(emit);
  bool isBefore = stage && *stage < Stage::linalg;
  if (!output && !isBefore)
    return usageError("expects --emit=geo, expanded, gradient, fused, gpu, "
                      "nvvm, ptx, cubin or resources with a GPU, but got " +
                      emit);
  if (output == geo::tools::DeviceOutput::cubin && options.output == "-" &&
      llvm::outs().is_displayed())
    return usageError("expects -o file for a cubin, but got a terminal");
  Request request{options.input,   options.output,
                  Target::gpu,     Stage::llvm,
                  isBefore,        /*planThreads=*/0,
                  false,           options.checkPoints,
                  options.remarks, {options.batchRows, options.keepBytes},
                  std::nullopt,    options.math};
  if (isBefore)
    request.last = *stage;
  else if (output == geo::tools::DeviceOutput::gpu)
    request.last = Stage::linalg;
  request.device = {gpu, output.value_or(geo::tools::DeviceOutput::gpu),
                    options.cudaHome};
  return compileFile(request);
}

} // namespace

int main(int argc, char **argv) {
  geo::tools::handleFailures("geoc");
  // LLVM's code generator has an option of this name, which means its passes.
  auto &registered = cl::getRegisteredOptions();
  if (auto it = registered.find("stop-after"); it != registered.end())
    it->second->removeArgument();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  registerDefaultTimingManagerCLOptions();
  registerPassManagerCLOptions();
  cl::extrahelp help(examples);
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &errors))
    return usageError(geo::tools::getUsageMessage(message));
  if (options.input.empty())
    return usageError("expects a module, but got no file");
  if (!(options.gradientBar > 0))
    return usageError("expects --gradient-bar of more than 0, but got " +
                      std::to_string(options.gradientBar));
  if (options.checkGradients || options.checkFunctions)
    return checkFile(
        options.input,
        {options.checkGradients, options.checkFunctions, options.gradientBar});
  auto gpu = getGpuTarget(options.target);
  auto target = gpu ? Target::gpu : parseTarget(options.target);
  if (!target || *target == Target::simt)
    return usageError(
        "expects --target=cpu, loops, sm_80, sm_90a or sm_100a, but got " +
        options.target);
  if (!parseProductMath(options.math))
    return usageError("expects --math=3xtf32, tf32 or bf16, but got " +
                      options.math);
  if (gpu)
    return compileForDevice(options, *gpu);
  bool isObject = options.emit == "obj", isPlan = options.emit == "memory-plan";
  auto last = isObject ? std::optional(Stage::llvm)
              : isPlan ? std::optional(Stage::linalg)
                       : parseStage(options.emit);
  if (!last)
    return usageError("expects --emit=geo, expanded, gradient, fused, linalg, "
                      "memory-plan, llvm or obj, but got " +
                      options.emit);
  auto stop = options.stopAfter.empty() ? last : parseStage(options.stopAfter);
  if (!stop)
    return usageError(
        "expects --stop-after=geo, expanded, gradient, fused, linalg or "
        "llvm, but got " +
        options.stopAfter);
  if (options.planThreads < 1 || options.planThreads > 4096)
    return usageError("expects --plan-threads=1 to 4096, but got " +
                      std::to_string(options.planThreads));
  if (isPlan && !options.stopAfter.empty())
    return usageError("expects no --stop-after with --emit=memory-plan, but "
                      "got " +
                      options.stopAfter);
  if (!options.remarks.empty() && options.remarks != fusionRemarks)
    return usageError("expects --remarks=fusion, but got " + options.remarks);
  bool printModule = *last != Stage::llvm || !options.stopAfter.empty();
  if (isObject && !printModule && options.output == "-" &&
      llvm::outs().is_displayed())
    return usageError("expects -o file for object code, but got a terminal");
  return compileFile({options.input,
                      options.output,
                      *target,
                      std::min(*last, *stop),
                      printModule,
                      isPlan ? options.planThreads.getValue() : 0,
                      !isObject,
                      options.checkPoints,
                      options.remarks,
                      {options.batchRows, options.keepBytes},
                      std::nullopt,
                      options.math});
}
