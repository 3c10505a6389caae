// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Pipelines.h"
#include "dialect/Geo.h"
#include "lowering/Passes.h"
#include "lowering/gpu/DevicePipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace geo;

std::optional<Target> geo::parseTarget(StringRef name) {
  return llvm::StringSwitch<std::optional<Target>>(name)
      .Case("loops", Target::loops)
      .Case("cpu", Target::cpu)
      .Case("simt", Target::simt)
      .Default(std::nullopt);
}

std::optional<Stage> geo::parseStage(StringRef name) {
  return llvm::StringSwitch<std::optional<Stage>>(name)
      .Case("geo", Stage::geo)
      .Case("expanded", Stage::expanded)
      .Case("gradient", Stage::gradient)
      .Case("fused", Stage::fused)
      .Case("linalg", Stage::linalg)
      .Case("llvm", Stage::llvm)
      .Default(std::nullopt);
}

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void geo::addLowerToLLVM(OpPassManager &pm, Target target) {
  // 1. Entries while functions still have memrefs.
  pm.addPass(createGeoCreateEntries());
  // 2. libm before anything may turn log1p(x) into log(1 + x).
  pm.addPass(createGeoMathToLibm());
  // 3. Threads. The canonicalizer removes the alloca scopes of the outlined
  //    loops, which the conversion to branches cannot handle.
  if (target == Target::cpu) {
    pm.addPass(createConvertSCFToOpenMPPass());
    pm.addPass(createCanonicalizerPass());
  }
  // 4. Structured ops to branches and pointers.
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  addCleanup(pm);
  pm.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memrefs;
  memrefs.useAlignedAlloc = true;
  memrefs.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefs));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  // 5. After functions, which it would convert with its own convention.
  if (target == Target::cpu)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createGeoMarkNoAlias());
}

void geo::buildPipeline(OpPassManager &pm, Target target, Stage last,
                        StringRef machine, bool checkPoints, BatchOptions batch,
                        const DeviceOptions &device) {
  // 1. Points are checked before anything may mix them, and geometric folds
  //    need the named ops.
  pm.addPass(createGeoCheckPoints());
  pm.addPass(createCanonicalizerPass());
  if (last == Stage::geo)
    return;
  if (checkPoints)
    pm.addPass(createGeoGuardPoints());
  // 2. Rules and lowerings exist for the constructs only.
  pm.addPass(createGeoExpand());
  addCleanup(pm);
  if (last == Stage::expanded)
    return;
  // 3. A loss may call functions. Gradients become calls of derived functions:
  //    inline them, and forget what was private.
  pm.addPass(createInlinerPass());
  if (target != Target::loops) {
    pm.addPass(createGeoHoistInputs());
    pm.addPass(createGeoMoveGathers({batch.rows}));
    addCleanup(pm);
  }
  pm.addPass(createGeoWidenPairs());
  pm.addPass(createGeoDifferentiate());
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  addCleanup(pm);
  if (last == Stage::gradient)
    return;
  // 4. Fewer and wider programs. The oracle runs what people wrote.
  if (target != Target::loops) {
    pm.addPass(createGeoKeepSteps({batch.keepBytes, batch.rows}));
    addCleanup(pm);
    pm.addPass(createGeoFuseDecoder());
    addCleanup(pm);
    pm.addPass(createGeoFuseRowwise());
    addCleanup(pm);
  }
  pm.addPass(createGeoWidenRows());
  addCleanup(pm);
  if (last == Stage::fused)
    return;
  // 5. Buffers and loops.
  if (target == Target::cpu)
    pm.addPass(createGeoLowerToCpu({machine.str()}));
  else if (target == Target::simt || target == Target::gpu)
    pm.addPass(createGeoLowerToGpu(
        {machine.empty() ? "sm_90a" : machine.str(), device.productMath}));
  else
    pm.addPass(createGeoLowerToLoops());
  addCleanup(pm);
  if (last == Stage::linalg)
    return;
  if (target == Target::gpu)
    return buildDevicePipeline(pm);
  if (target == Target::simt)
    pm.addPass(createGeoSimt({device.simtCheck}));
  addLowerToLLVM(pm, target);
}

void geo::registerPipelineDialects(DialectRegistry &registry) {
  registerDeviceDialects(registry);
  registry.insert<GeoDialect, affine::AffineDialect, func::FuncDialect,
                  omp::OpenMPDialect, tensor::TensorDialect>();
  func::registerInlinerExtension(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}
