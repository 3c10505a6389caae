// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/HostNumbers.h"
#include "dialect/Geo.h"
#include "lowering/gpu/KernelBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

namespace {

class HostNumbers {
public:
  HostNumbers(func::FuncOp function, KernelBuilder &kernels)
      : block(function.front()), kernels(kernels) {}

  LogicalResult run() {
    moveToDevice();
    launchStores();
    findDeviceOps();
    SmallVector<gpu::LaunchFuncOp> launches(block.getOps<gpu::LaunchFuncOp>());
    for (gpu::LaunchFuncOp launch : launches)
      sink(launch);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return check();
  }

private:
  void moveToDevice();
  void launchStores();
  void findDeviceOps();
  bool isOnDevice(Value v) const {
    return deviceOps.contains(v.getDefiningOp());
  }
  /// Ops on the device that `v` needs, and what they need of the host.
  void collect(Value v, SetVector<Operation *> &ops, SetVector<Value> &leaves);
  void sink(gpu::LaunchFuncOp launch);
  LogicalResult check();

  Block &block;
  KernelBuilder &kernels;
  DenseSet<Operation *> deviceOps;
};

/// Buffers on the stack of the host become memory of the device.
void HostNumbers::moveToDevice() {
  for (auto onStack :
       llvm::make_early_inc_range(block.getOps<memref::AllocaOp>())) {
    ImplicitLocOpBuilder b(onStack.getLoc(), onStack);
    auto buffer = memref::AllocOp::create(b, onStack.getType(), ValueRange(),
                                          b.getI64IntegerAttr(64));
    onStack.replaceAllUsesWith(buffer.getResult());
    onStack.erase();
    b.setInsertionPoint(block.getTerminator());
    memref::DeallocOp::create(b, buffer);
  }
}

/// Neighbouring stores become a kernel of one thread.
void HostNumbers::launchStores() {
  SmallVector<memref::StoreOp> stores;
  auto launch = [&] {
    if (stores.empty())
      return;
    ImplicitLocOpBuilder b(stores.back().getLoc(), stores.back());
    Gen host(b);
    Values operands;
    for (memref::StoreOp store : stores)
      llvm::append_range(operands, store->getOperands());
    kernels.launchOnce(host, "number", operands, [&](Gen &g, ValueRange args) {
      for (memref::StoreOp store : stores) {
        ValueRange mine = args.take_front(store->getNumOperands());
        g.store(mine[0], mine[1], mine.drop_front(2));
        args = args.drop_front(mine.size());
      }
    });
    for (memref::StoreOp store : stores)
      store.erase();
    stores.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      stores.push_back(store);
    else if (!isMemoryEffectFree(&op))
      launch();
  }
  launch();
}

static bool isArithmetic(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<EvenOp>(op);
}

void HostNumbers::findDeviceOps() {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  for (Operation &op : block)
    if (isa<memref::LoadOp>(op) ||
        (isArithmetic(&op) && (llvm::any_of(op.getOperandTypes(), isFloat) ||
                               llvm::any_of(op.getResultTypes(), isFloat) ||
                               llvm::any_of(op.getOperands(), [&](Value v) {
                                 return isOnDevice(v);
                               }))))
      deviceOps.insert(&op);
}

void HostNumbers::collect(Value v, SetVector<Operation *> &ops,
                          SetVector<Value> &leaves) {
  Values pending = {v};
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    Operation *op = next.getDefiningOp();
    bool isConstant = op && op->hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && !isOnDevice(next))
      leaves.insert(next);
    else if (ops.insert(op))
      llvm::append_range(pending, op->getOperands());
  }
}

/// The allocation that `memref` is a view of, or null.
static Operation *findAllocation(Value memref) {
  Operation *op = memref.getDefiningOp();
  while (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    op = view.getViewSource().getDefiningOp();
  return isa_and_present<memref::AllocOp>(op) ? op : nullptr;
}

void HostNumbers::sink(gpu::LaunchFuncOp launch) {
  SetVector<Operation *> found;
  SetVector<Value> leaves;
  for (Value operand : launch.getKernelOperands())
    if (isOnDevice(operand))
      collect(operand, found, leaves);
  if (found.empty())
    return;
  SmallVector<Operation *> ops = found.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  // 1. The kernel computes them from what it gets in addition.
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernel());
  SmallVector<Value> operands(launch.getKernelOperands());
  unsigned count = operands.size();
  IRMapping mapping;
  auto inside = OpBuilder::atBlockBegin(&kernel.front());
  BitVector isSunk(kernel.getNumArguments() + leaves.size());
  for (Value leaf : leaves) {
    unsigned at = kernel.getNumArguments();
    (void)kernel.insertArgument(at, leaf.getType(), {}, launch.getLoc());
    mapping.map(leaf, kernel.getArgument(at));
  }
  for (Operation *op : ops)
    inside.clone(*op, mapping);

  // 2. Instead of what was computed from them here.
  SmallVector<Value> kept;
  for (unsigned i = 0; i < count; ++i) {
    if (!isOnDevice(operands[i])) {
      kept.push_back(operands[i]);
      continue;
    }
    kernel.getArgument(i).replaceAllUsesWith(mapping.lookup(operands[i]));
    isSunk.set(i);
  }
  llvm::append_range(kept, leaves);
  (void)kernel.eraseArguments(isSunk);
  launch.getKernelOperandsMutable().assign(kept);

  // 3. What they load must live until then.
  for (Operation *op : ops)
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (Operation *allocation = findAllocation(load.getMemref()))
        for (Operation *user : allocation->getUsers())
          if (isa<memref::DeallocOp>(user) && user->isBeforeInBlock(launch))
            user->moveAfter(launch);
}

LogicalResult HostNumbers::check() {
  for (Operation &op : block) {
    bool isAllowed =
        (isArithmetic(&op) && !deviceOps.contains(&op)) ||
        isa<memref::AllocOp, memref::DeallocOp, memref::DimOp,
            memref::ExtractAlignedPointerAsIndexOp, ViewLikeOpInterface,
            gpu::LaunchFuncOp, func::ReturnOp>(op) ||
        // Reports of the runtime.
        isa<func::CallOp>(op) || isa<LLVM::LLVMDialect>(op.getDialect());
    if (!isAllowed)
      return op.emitOpError("expects sizes, and what decides on launches, not "
                            "to depend on results of constructs on a GPU");
  }
  return success();
}

} // namespace

LogicalResult device::sinkNumbers(ModuleOp module, const GpuTarget &target) {
  KernelBuilder kernels(module, target);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() &&
        failed(HostNumbers(function, kernels).run()))
      return failure();
  return success();
}
