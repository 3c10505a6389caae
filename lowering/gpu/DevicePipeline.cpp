// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/DevicePipeline.h"
#include "lowering/LlvmPasses.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace geo;

void geo::registerDeviceDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, gpu::GPUDialect, NVVM::NVVMDialect,
                  nvgpu::NVGPUDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  NVVM::registerConvertGpuToNVVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

namespace {
/// Dynamic workgroup memory becomes an external symbol. Upstream (22.1) leaves
/// it internal: a variable of one byte, behind which the memory lies.
struct ExternalMemory
    : PassWrapper<ExternalMemory, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExternalMemory)

  void runOnOperation() override {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto type = dyn_cast<LLVM::LLVMArrayType>(global.getType());
      if (type && type.getNumElements() == 0)
        global.setLinkage(LLVM::Linkage::External);
    }
  }
};

/// Calls of libdevice for what is an instruction become LLVM's intrinsics;
/// upstream's conversion takes no intrinsics.
struct IntrinsicMath
    : PassWrapper<IntrinsicMath, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(IntrinsicMath)

  template <class Intrinsic> static Value create(LLVM::CallOp call) {
    OpBuilder b(call);
    return Intrinsic::create(b, call.getLoc(), call.getResultTypes(),
                             call.getArgOperands());
  }

  void runOnOperation() override {
    getOperation().walk([](LLVM::CallOp call) {
      StringRef name = call.getCallee().value_or("");
      if (!name.consume_front("__nv_"))
        return;
      name.consume_back("f");
      Value result = llvm::StringSwitch<Value (*)(LLVM::CallOp)>(name)
                         .Case("fabs", create<LLVM::FAbsOp>)
                         .Case("ceil", create<LLVM::FCeilOp>)
                         .Case("copysign", create<LLVM::CopySignOp>)
                         .Case("floor", create<LLVM::FFloorOp>)
                         .Case("fma", create<LLVM::FMAOp>)
                         .Case("rint", create<LLVM::RintOp>)
                         .Case("sqrt", create<LLVM::SqrtOp>)
                         .Default([](LLVM::CallOp) { return Value(); })(call);
      if (!result)
        return;
      call->getResult(0).replaceAllUsesWith(result);
      call.erase();
    });
  }
};
} // namespace

void geo::buildDevicePipeline(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertVectorToSCFPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(std::make_unique<IntrinsicMath>());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(std::make_unique<ExternalMemory>());
}

static std::unique_ptr<llvm::TargetMachine>
createMachine(ModuleOp module, const GpuTarget &target) {
  static bool done = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)done;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) {
    module.emitError("expects LLVM to know nvptx64, but got: ") << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.name, target.features, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// The first function that is called and not defined, or empty. LLVM knows
/// __nvvm_reflect itself.
static std::string findUndefined(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() &&
        !function.use_empty() && function.getName() != "__nvvm_reflect")
      return function.getName().str();
  return "";
}

/// Brings in what is undefined, for LLVM to inline.
static LogicalResult linkLibdevice(ModuleOp module, llvm::Module &kernels,
                                   StringRef path) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(path, error, kernels.getContext());
  if (!library)
    return module.emitError("expects NVIDIA's libdevice, but got ")
           << path << ": " << error.getMessage();
  library->setTargetTriple(kernels.getTargetTriple());
  library->setDataLayout(kernels.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || names.count(value.getName()) == 0;
    });
  };
  if (llvm::Linker::linkModules(kernels, std::move(library),
                                llvm::Linker::LinkOnlyNeeded, internalize))
    return module.emitError("expects to link ") << path;
  // Gradual underflow, as everywhere else.
  kernels.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz",
                        uint32_t(0));
  return success();
}

FailureOr<std::string> geo::emitPtx(ModuleOp module, const GpuTarget &target,
                                    StringRef libdevice, std::string &missing) {
  auto kernels = module.getOps<gpu::GPUModuleOp>();
  if (kernels.empty())
    return module.emitError("expects kernels to emit PTX, but got none");
  auto machine = createMachine(module, target);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(*kernels.begin(), context, "geoc");
  if (!llvmModule)
    return module.emitError("expects kernels with a translation to LLVM IR");
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  missing = findUndefined(*llvmModule);
  if (!missing.empty() && !libdevice.empty()) {
    if (failed(linkLibdevice(module, *llvmModule, libdevice)))
      return failure();
    missing = findUndefined(*llvmModule);
  }
  optimize(*llvmModule, *machine, llvm::OptimizationLevel::O3);
  SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager pm;
  if (machine->addPassesToEmitFile(pm, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("expects a target that can emit PTX");
  pm.run(*llvmModule);
  return std::string(text.begin(), text.end());
}
