// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes geo-lower-to-loops and geo-lower-to-cpu.
#include "lowering/BufferLowering.h"
#include "lowering/EvenFunctions.h"
#include "lowering/Passes.h"
#include "lowering/cpu/CpuEmitter.h"
#include "lowering/cpu/WideMath.h"
#include "lowering/gpu/DeviceMath.h"
#include "lowering/gpu/GpuEmitter.h"
#include "lowering/gpu/HostNumbers.h"
#include "lowering/loops/LoopsEmitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;

namespace geo {

#define GEN_PASS_DEF_GEOLOWERTOCPU
#define GEN_PASS_DEF_GEOLOWERTOGPU
#define GEN_PASS_DEF_GEOLOWERTOLOOPS
#include "lowering/Passes.h.inc"

namespace {

LogicalResult lower(ModuleOp module, ConstructEmitter &emitter) {
  if (failed(lowerToBuffers(module, emitter)))
    return failure();
  expandEvenOps(module);
  return success();
}

struct LowerToLoops : impl::GeoLowerToLoopsBase<LowerToLoops> {
  void runOnOperation() override {
    LoopsEmitter emitter;
    if (failed(lower(getOperation(), emitter)))
      signalPassFailure();
  }
};

struct LowerToCpu : impl::GeoLowerToCpuBase<LowerToCpu> {
  using Base::Base;
  void runOnOperation() override {
    std::optional<CpuTarget> cpu =
        machine.empty() ? getHostCpuTarget() : getCpuTarget(machine);
    if (!cpu) {
      getOperation().emitError(
          "geo-lower-to-cpu expects machine avx2 or avx512,"
          " but got ")
          << machine;
      return signalPassFailure();
    }
    std::unique_ptr<ConstructEmitter> emitter = createCpuEmitter(*cpu);
    if (failed(lower(getOperation(), *emitter)))
      return signalPassFailure();
    cpu::expandWideMath(getOperation());
  }
};

struct LowerToGpu : impl::GeoLowerToGpuBase<LowerToGpu> {
  using Base::Base;
  void runOnOperation() override {
    std::optional<GpuTarget> gpu = getGpuTarget(device);
    std::optional<ProductMath> products = parseProductMath(math);
    if (!gpu || !products) {
      getOperation().emitError("geo-lower-to-gpu expects ")
          << (gpu ? "math 3xtf32, tf32 or bf16, but got "
                  : "device sm_80, sm_90a or sm_100a, but got ")
          << (gpu ? math : device);
      return signalPassFailure();
    }
    gpu->productMath = *products;
    std::unique_ptr<ConstructEmitter> emitter =
        createGpuEmitter(getOperation(), *gpu);
    if (failed(lowerToBuffers(getOperation(), *emitter)) ||
        failed(device::sinkNumbers(getOperation(), *gpu)))
      return signalPassFailure();
    expandEvenOps(getOperation());
    device::expandMath(getOperation());
  }
};

} // namespace
} // namespace geo
