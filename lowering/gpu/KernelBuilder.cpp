// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/KernelBuilder.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

KernelBuilder::KernelBuilder(ModuleOp module, const GpuTarget &target)
    : module(module), device(target) {}

Value KernelBuilder::allocate(Gen &host, ArrayRef<int64_t> shape, Type element,
                              ValueRange sizes) {
  return host.alloc(shape, element, sizes);
}

void KernelBuilder::release(Gen &host, Value memref) { host.dealloc(memref); }

void KernelBuilder::launch(Gen &host, StringRef name, ArrayRef<Value> grid,
                           int64_t threads, ValueRange operands, BodyFn body) {
  ImplicitLocOpBuilder &b = host.b;
  if (!kernels)
    kernels = module.lookupSymbol<gpu::GPUModuleOp>("kernels");
  if (!kernels) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    kernels = gpu::GPUModuleOp::create(b, "kernels");
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    b.getUnitAttr());
  }
  gpu::GPUFuncOp kernel;
  int64_t bytes;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(kernels.getBody());
    kernel = gpu::GPUFuncOp::create(b, name,
                                    b.getFunctionType(operands.getTypes(), {}));
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel.setKnownBlockSizeAttr(
        b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
    kernel->remove();
    SymbolTable(kernels).insert(kernel);
    b.setInsertionPointToStart(&kernel.front());
    Gen g(b);
    bytes = body(g, kernel.getArguments());
    gpu::ReturnOp::create(b);
    // Of kernels with tiles ptxas would rather spill than have fewer blocks,
    // which their memory would not let in anyway.
    if (bytes)
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(1));
  }
  // A launch of no blocks is an error; kernels know how many rows there are.
  Value one = host.idx(1);
  auto atLeastOne = [&](Value count) { return host.max(count, one); };
  gpu::KernelDim3 blocks{atLeastOne(grid[0]), atLeastOne(grid[1]),
                         atLeastOne(grid[2])};
  gpu::KernelDim3 block{host.idx(threads), one, one};
  Value memory = bytes
                     ? arith::ConstantOp::create(b, b.getI32IntegerAttr(bytes))
                     : Value();
  gpu::LaunchFuncOp::create(b, kernel, blocks, block, memory, operands);
}

void KernelBuilder::launchForEach(
    Gen &host, StringRef name, Value count, ValueRange operands,
    function_ref<void(Gen &, ValueRange, Value)> body) {
  constexpr int64_t threads = 256;
  Values all(operands);
  all.push_back(count);
  Value one = host.idx(1);
  launch(host, name, {host.ceilDiv(count, host.idx(threads)), one, one},
         threads, all, [&](Gen &g, ValueRange args) -> int64_t {
           Value block = gpu::BlockIdOp::create(g.b, gpu::Dimension::x);
           Value i = g.add(g.mul(block, threads),
                           gpu::ThreadIdOp::create(g.b, gpu::Dimension::x));
           g.ifThen(g.less(i, args.back()),
                    [&] { body(g, args.drop_back(), i); });
           return 0;
         });
}

void KernelBuilder::launchOnce(Gen &host, StringRef name, ValueRange operands,
                               function_ref<void(Gen &, ValueRange)> body) {
  Value one = host.idx(1);
  launch(host, name, {one, one, one}, /*threads=*/1, operands,
         [&](Gen &g, ValueRange args) -> int64_t {
           body(g, args);
           return 0;
         });
}
