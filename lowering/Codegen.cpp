// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Codegen.h"
#include "lowering/LlvmPasses.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace geo;

void geo::initializeHostTarget() {
  static bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)done;
}

static std::string getHostFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  return llvm::join(features, ",");
}

std::unique_ptr<llvm::TargetMachine> geo::createHostMachine(ModuleOp module,
                                                            Target target) {
  initializeHostTarget();
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget) {
    module.emitError("expects code generation for ")
        << triple.str() << " in LLVM, but got: " << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = target == Target::cpu ? llvm::FPOpFusion::Fast
                                                  : llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, llvm::sys::getHostCPUName(), getHostFeatures(), options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive,
      /*JIT=*/false));
  if (!machine)
    module.emitError("expects a target machine for ")
        << triple.str() << ", but LLVM has none";
  return machine;
}

std::string geo::describeHost() {
  // The compiler itself, by the program that holds it.
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::sys::fs::file_status self;
  if (!llvm::sys::fs::status("/proc/self/exe", self))
    stream << self.getSize() << ' '
           << self.getLastModificationTime().time_since_epoch().count();
  stream << "\nLLVM " << LLVM_VERSION_STRING << '\n'
         << llvm::sys::getProcessTriple() << '\n'
         << llvm::sys::getHostCPUName() << '\n'
         << getHostFeatures() << '\n';
  return text;
}

/// The module in LLVM IR, or null after a diagnostic.
static std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine) {
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, "geoc");
  if (!llvmModule) {
    module.emitError("expects only ops with a translation to LLVM IR");
    return nullptr;
  }
  // Without triple and layout LLVM would assume neither vectors nor libm.
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  return llvmModule;
}

LogicalResult geo::emitLLVMIR(ModuleOp module, Target target,
                              llvm::raw_ostream &os) {
  auto machine = createHostMachine(module, target);
  llvm::LLVMContext context;
  auto llvmModule = machine ? translate(module, context, *machine) : nullptr;
  if (!llvmModule)
    return failure();
  llvmModule->print(os, nullptr);
  return success();
}

FailureOr<SmallVector<char, 0>> geo::emitObject(ModuleOp module,
                                                Target target) {
  auto machine = createHostMachine(module, target);
  llvm::LLVMContext context;
  auto llvmModule = machine ? translate(module, context, *machine) : nullptr;
  if (!llvmModule)
    return failure();
  optimize(*llvmModule, *machine, llvm::OptimizationLevel::O2);
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager pm;
  if (machine->addPassesToEmitFile(pm, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    module.emitError("expects a target that can emit object files");
    return failure();
  }
  pm.run(*llvmModule);
  return object;
}
