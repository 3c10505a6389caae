// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compile(): the pipeline, the object cache and the loader.
#include "lowering/Codegen.h"
#include "lowering/Compiler.h"
#include "lowering/ObjectCache.h"
#include "lowering/Passes.h"
#include "lowering/Pipelines.h"
#include "passes/Passes.h"
#include "runtime/Symbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

using namespace mlir;
using namespace geo;

namespace {

class JitExecutable : public Executable {
public:
  static llvm::Expected<std::unique_ptr<Executable>>
  create(std::unique_ptr<llvm::MemoryBuffer> object, bool isFromCache);

  Entry lookup(StringRef name) const override {
    auto address = jit->lookup((entryPrefix + name).str());
    if (!address) {
      llvm::consumeError(address.takeError());
      return nullptr;
    }
    return address->toPtr<Entry>();
  }
  bool isFromCache() const override { return fromCache; }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  bool fromCache = false;
};

llvm::Expected<std::unique_ptr<Executable>>
JitExecutable::create(std::unique_ptr<llvm::MemoryBuffer> object,
                      bool isFromCache) {
  using namespace llvm::orc;
  // An object from the cache comes without a code generation before it.
  initializeHostTarget();
  auto jit = LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  JITDylib &library = (*jit)->getMainJITDylib();
  SymbolMap symbols;
  for (const rt::RuntimeSymbol &symbol : rt::runtimeSymbols())
    symbols[(*jit)->mangleAndIntern(symbol.name)] = {
        ExecutorAddr::fromPtr(symbol.address), llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = library.define(absoluteSymbols(std::move(symbols))))
    return error;
  // libm and libomp, which the program is linked with.
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
    return error;
  auto executable = std::make_unique<JitExecutable>();
  executable->jit = std::move(*jit);
  executable->fromCache = isFromCache;
  return executable;
}

/// Everything that the object code depends on.
std::string getKey(ModuleOp module, const CompileOptions &options) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << describeHost() << static_cast<int>(options.target) << ' '
         << options.machine << ' ' << options.checkPoints << ' '
         << options.batch.keepBytes << ' ' << options.batch.rows << ' '
         << options.device.simtCheck << ' ' << options.device.productMath
         << '\n';
  module->print(stream, OpPrintingFlags().printGenericOpForm());
  return key;
}

} // namespace

static void setUp(MLIRContext *context) {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  context->appendDialectRegistry(registry);
}

LogicalResult geo::splitPrepared(ModuleOp module, StringRef function,
                                 unsigned fixed,
                                 const CompileOptions &options) {
  setUp(module.getContext());
  PassManager pm(module.getContext());
  buildPipeline(pm, options.target, Stage::gradient, options.machine,
                options.checkPoints, options.batch);
  pm.addPass(createGeoSplitPrepared({function.str(), fixed}));
  return pm.run(module);
}

/// Machine code of a module in the LLVM dialect, stored in `cache` if there is
/// one, and loaded.
static std::unique_ptr<Executable> emitAndLoad(ModuleOp module, Target target,
                                               const ObjectCache *cache) {
  auto code = emitObject(module, target);
  if (failed(code))
    return nullptr;
  if (cache)
    cache->store(*code);
  auto executable =
      JitExecutable::create(llvm::MemoryBuffer::getMemBufferCopy(
                                StringRef(code->data(), code->size()), "geoc"),
                            false);
  if (!executable) {
    module.emitError("expects to load its object code, but got: ")
        << llvm::toString(executable.takeError());
    return nullptr;
  }
  return std::move(*executable);
}

std::unique_ptr<Executable> geo::compile(ModuleOp module,
                                         const CompileOptions &options) {
  ObjectCache cache(options.cacheDirectory, options.cacheDirectory.empty()
                                                ? std::string()
                                                : getKey(module, options));
  std::unique_ptr<llvm::MemoryBuffer> object = cache.load();
  if (object) {
    auto executable = JitExecutable::create(std::move(object), true);
    if (executable)
      return std::move(*executable);
    llvm::consumeError(executable.takeError()); // stale: compile again
  }
  setUp(module.getContext());
  PassManager pm(module.getContext());
  buildPipeline(pm, options.target, Stage::llvm, options.machine,
                options.checkPoints, options.batch, options.device);
  if (failed(pm.run(module)))
    return nullptr;
  return emitAndLoad(module, options.target, &cache);
}

std::unique_ptr<Executable> geo::compileKernels(ModuleOp module,
                                                bool simtCheck) {
  setUp(module.getContext());
  PassManager pm(module.getContext());
  pm.addPass(createGeoSimt({simtCheck}));
  addLowerToLLVM(pm, Target::loops);
  if (failed(pm.run(module)))
    return nullptr;
  return emitAndLoad(module, Target::loops, nullptr);
}
