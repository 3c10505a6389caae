// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass geo-simt.
#include "lowering/Passes.h"
#include "lowering/simt/Kernel.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace geo::simt;

void geo::simt::stripGpuTypes(Operation *root) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!type.getMemorySpace())
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.addReplacement(
      [](nvgpu::DeviceAsyncTokenType type) -> std::optional<Type> {
        return IntegerType::get(type.getContext(), 32);
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

namespace geo {

#define GEN_PASS_DEF_GEOSIMT
#include "lowering/Passes.h.inc"

namespace {

using Kernels = llvm::DenseMap<Attribute, Kernel>;

/// What the check has to know of a kernel's arguments and buffers, as
/// geo_simt_launch takes it.
SmallVector<int64_t> describeTypes(const Kernel &kernel) {
  SmallVector<int64_t> words = {kernel.type.getNumInputs()};
  for (Type type : kernel.type.getInputs()) {
    auto memref = dyn_cast<MemRefType>(type);
    words.push_back(memref ? memref.getRank() : -1);
    words.push_back(byteSize(memref ? memref.getElementType() : type));
  }
  words.push_back(kernel.buffers.size());
  for (auto [place, bytes] : kernel.buffers)
    words.append({place, bytes});
  return words;
}

/// The address of a value in memory: of its descriptor, if it is a memref.
Value emitArgument(ImplicitLocOpBuilder &b, Gen &gen, Value value) {
  LLVMTypeConverter types(b.getContext());
  Type lowered = types.convertType(value.getType());
  if (lowered != value.getType())
    value = UnrealizedConversionCastOp::create(b, lowered, value).getResult(0);
  Value slot = gen.slot(b, lowered);
  LLVM::StoreOp::create(b, value, slot);
  return slot;
}

LogicalResult lowerLaunch(gpu::LaunchFuncOp launch, Gen &gen,
                          const Kernels &kernels, bool check) {
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty() ||
      launch.getAsyncObject() || launch.hasClusterSize())
    return launch.emitOpError("expects a launch that waits, without clusters, "
                              "on the simt target, but got another");
  auto found = kernels.find(launch.getKernel());
  if (found == kernels.end())
    return launch.emitOpError("expects a kernel of this module on the simt "
                              "target, but got ")
           << launch.getKernel();
  const Kernel &kernel = found->second;
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  auto store = [&](Value array, Type type, int32_t i, Value value) {
    Value place = LLVM::GEPOp::create(b, gen.pointer(), type, array,
                                      ArrayRef<LLVM::GEPArg>(i));
    LLVM::StoreOp::create(b, value, place);
  };
  auto toWord = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, b.getI64Type(), value);
    if (value.getType().isInteger(64))
      return value;
    return arith::ExtSIOp::create(b, b.getI64Type(), value);
  };
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  Value dynamic = launch.getDynamicSharedMemorySize();
  Value sizes = gen.slot(b, b.getI64Type(), 8);
  Value words[] = {grid.x,
                   grid.y,
                   grid.z,
                   block.x,
                   block.y,
                   block.z,
                   gen.i64(b, kernel.staticBytes),
                   dynamic ? dynamic : gen.i64(b, 0)};
  for (auto [i, value] : llvm::enumerate(words))
    store(sizes, b.getI64Type(), static_cast<int32_t>(i), toWord(value));
  Value arguments = gen.slot(
      b, gen.pointer(), std::max<int64_t>(1, launch.getNumKernelOperands()));
  for (auto [i, operand] : llvm::enumerate(launch.getKernelOperands()))
    store(arguments, gen.pointer(), static_cast<int32_t>(i),
          emitArgument(b, gen, operand));
  Value types = check ? gen.words(b, describeTypes(kernel))
                      : LLVM::ZeroOp::create(b, gen.pointer());
  Value entry = LLVM::AddressOfOp::create(b, gen.pointer(), kernel.entry);
  gen.call(b, "geo_simt_launch", Type(),
           {entry, gen.text(b, kernel.name), sizes, arguments, types,
            gen.site(b, launch)});
  launch.erase();
  return success();
}

/// The check watches loads and stores: transfers within bounds become them.
void lowerTransfers(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    RewritePatternSet patterns(module.getContext());
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
    walkAndApplyPatterns(kernels, std::move(patterns)); // deletes no dead loads
  }
}

/// Tells the check what memory of the device there is, and what of it nobody
/// has written.
void watchBuffers(ModuleOp module, Gen &gen) {
  auto pointerTo = [&](ImplicitLocOpBuilder &b, Value memref) -> Value {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, memref);
    return arith::IndexCastOp::create(b, b.getI64Type(), address);
  };
  module.walk([&](memref::AllocOp alloc) {
    ImplicitLocOpBuilder b(alloc.getLoc(), alloc.getContext());
    b.setInsertionPointAfter(alloc);
    MemRefType type = alloc.getType();
    Value bytes =
        arith::ConstantIndexOp::create(b, byteSize(type.getElementType()));
    for (int64_t i = 0; i < type.getRank(); ++i)
      bytes = arith::MulIOp::create(
          b, bytes, memref::DimOp::create(b, alloc.getResult(), i));
    gen.call(b, "geo_simt_allocated", Type(),
             {pointerTo(b, alloc),
              arith::IndexCastOp::create(b, b.getI64Type(), bytes)});
  });
  module.walk([&](memref::DeallocOp dealloc) {
    ImplicitLocOpBuilder b(dealloc.getLoc(), dealloc);
    gen.call(b, "geo_simt_freed", Type(), pointerTo(b, dealloc.getMemref()));
  });
}

struct Simt : impl::GeoSimtBase<Simt> {
  using Base::Base;

  LogicalResult lowerKernels(Gen &gen, Kernels &kernels) {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      for (Operation &op : *module.getBody()) {
        auto kernel = dyn_cast<gpu::GPUFuncOp>(op);
        if (!kernel)
          return op.emitOpError("expects only gpu.func in a gpu.module on the "
                                "simt target, but got another op");
        auto name =
            SymbolRefAttr::get(module.getNameAttr(),
                               {FlatSymbolRefAttr::get(kernel.getNameAttr())});
        auto lowered = KernelLowering(gen, check).lower(kernel);
        if (failed(lowered))
          return failure();
        kernels[name] = std::move(*lowered);
      }
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (check)
      lowerTransfers(module);
    Gen gen(module);
    Kernels kernels;
    if (failed(lowerKernels(gen, kernels)))
      return signalPassFailure();
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    for (gpu::LaunchFuncOp launch : launches)
      if (failed(lowerLaunch(launch, gen, kernels, check)))
        return signalPassFailure();
    if (check)
      watchBuffers(module, gen);
    for (auto gpuModule :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      gpuModule.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    stripGpuTypes(module);
  }
};

} // namespace
} // namespace geo
