// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/simt/Kernel.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo::simt;

/// Between workgroup buffers under the check: what is outside of one is not
/// inside of the next.
constexpr int64_t redZone = 64;

void KernelLowering::layOut(gpu::GPUFuncOp kernel) {
  int64_t end = check ? redZone : 0;
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t alignment = 16;
    if (auto attribute = kernel.getWorkgroupAttributionAttr(
            buffer.getArgNumber() - kernel.getNumArguments(), "llvm.align"))
      alignment = cast<IntegerAttr>(attribute).getInt();
    int64_t place = llvm::alignTo(end, alignment);
    int64_t bytes = type.getNumElements() * byteSize(type.getElementType());
    info.buffers.push_back({place, bytes});
    end = place + bytes + (check ? redZone : 0);
  }
  info.staticBytes = llvm::alignTo(end, 16);
}

Value KernelLowering::contextWord(ImplicitLocOpBuilder &b, int32_t word,
                                  Type type) {
  Value place = LLVM::GEPOp::create(b, gen.pointer(), b.getI64Type(), context,
                                    ArrayRef<LLVM::GEPArg>(word));
  return LLVM::LoadOp::create(b, type, place);
}

/// Loaded at the start of the function, where the machine has not been called.
Value KernelLowering::contextIndex(int32_t word) {
  Value &index = indices[word];
  if (!index) {
    ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
    b.setInsertionPointToStart(&function.getBody().front());
    index = arith::IndexCastOp::create(b, b.getIndexType(),
                                       contextWord(b, word, b.getI64Type()));
  }
  return index;
}

static MemRefType withoutSpace(MemRefType type) {
  return MemRefType::get(type.getShape(), type.getElementType(),
                         type.getLayout());
}

Value KernelLowering::sharedView(ImplicitLocOpBuilder &b, Value place,
                                 MemRefType type, ValueRange sizes) {
  return memref::ViewOp::create(b, withoutSpace(type), shared, place, sizes);
}

void KernelLowering::createFunction(gpu::GPUFuncOp kernel) {
  Location loc = kernel.getLoc();
  auto b = ImplicitLocOpBuilder::atBlockEnd(loc, gen.module.getBody());
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  info.type = b.getFunctionType(inputs, {});
  inputs.push_back(gen.pointer());
  std::string module =
      kernel->getParentOfType<gpu::GPUModuleOp>().getName().str();
  info.name = kernel.getName().str();
  function = func::FuncOp::create(b, "geo_simt_" + module + "_" + info.name,
                                  b.getFunctionType(inputs, {}));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  info.function = gen.symbols.insert(function).str();
  function.getBody().takeBody(kernel.getBody());

  // Arguments, then workgroup and private buffers, are arguments of the block.
  Block &body = function.getBody().front();
  unsigned numInputs = info.type.getNumInputs();
  context = body.insertArgument(numInputs, gen.pointer(), loc);
  b.setInsertionPointToStart(&body);
  Type bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value base = contextWord(b, context::shared, gen.pointer());
  Value all = LLVM::PoisonOp::create(
      b, LLVMTypeConverter(b.getContext()).convertType(bytes));
  auto insert = [&](Value value, ArrayRef<int64_t> place) {
    all = LLVM::InsertValueOp::create(b, all, value, place);
  };
  Value dynamic = contextWord(b, context::dynamicBytes, b.getI64Type());
  insert(base, 0);
  insert(base, 1);
  insert(gen.i64(b, 0), 2);
  insert(LLVM::AddOp::create(b, dynamic, gen.i64(b, info.staticBytes)), {3, 0});
  insert(gen.i64(b, 1), {4, 0});
  shared = UnrealizedConversionCastOp::create(b, bytes, all).getResult(0);
  for (auto [i, argument] :
       llvm::enumerate(body.getArguments().drop_front(numInputs + 1))) {
    auto type = cast<MemRefType>(argument.getType());
    Value buffer =
        i < info.buffers.size()
            ? sharedView(
                  b, arith::ConstantIndexOp::create(b, info.buffers[i].first),
                  type)
            : memref::AllocaOp::create(b, withoutSpace(type));
    argument.replaceAllUsesWith(buffer);
  }
  body.eraseArguments(numInputs + 1, body.getNumArguments() - numInputs - 1);
}

void KernelLowering::createEntry(Location loc) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(loc, gen.module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {gen.pointer(), gen.pointer()});
  auto entry = LLVM::LLVMFuncOp::create(b, info.function + "_entry", type,
                                        LLVM::Linkage::Internal);
  info.entry = gen.symbols.insert(entry).str();
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  LLVMTypeConverter types(b.getContext());
  SmallVector<Value> arguments;
  for (auto [i, argument] :
       llvm::enumerate(function.getArgumentTypes().drop_back())) {
    Value place = LLVM::GEPOp::create(b, gen.pointer(), gen.pointer(),
                                      block->getArgument(0),
                                      ArrayRef<LLVM::GEPArg>(int32_t(i)));
    Value from = LLVM::LoadOp::create(b, gen.pointer(), place);
    Type lowered = types.convertType(argument);
    Value value = LLVM::LoadOp::create(b, lowered, from);
    if (lowered != argument)
      value =
          UnrealizedConversionCastOp::create(b, argument, value).getResult(0);
    arguments.push_back(value);
  }
  arguments.push_back(block->getArgument(1));
  func::CallOp::create(b, function, arguments);
  LLVM::ReturnOp::create(b, ValueRange());
}

LogicalResult KernelLowering::lowerShuffle(gpu::ShuffleOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type type = op.getValue().getType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return op.emitOpError("expects an integer or a float of at most 64 bits "
                          "on the simt target, but got ")
           << type;
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value value = op.getValue();
  if (type != bits)
    value = arith::BitcastOp::create(b, bits, value);
  if (!bits.isInteger(64))
    value = arith::ExtUIOp::create(b, b.getI64Type(), value);
  Value result =
      gen.call(b, "geo_simt_shuffle", b.getI64Type(),
               {gen.site(b, op), gen.i32(b, static_cast<int64_t>(op.getMode())),
                value, op.getOffset(), op.getWidth()});
  if (!bits.isInteger(64))
    result = arith::TruncIOp::create(b, bits, result);
  if (type != bits)
    result = arith::BitcastOp::create(b, type, result);
  op.getShuffleResult().replaceAllUsesWith(result);
  if (!op.getValid().use_empty()) {
    Value valid =
        gen.call(b, "geo_simt_shuffle_valid", b.getI32Type(), ValueRange());
    op.getValid().replaceAllUsesWith(
        arith::TruncIOp::create(b, b.getI1Type(), valid));
  }
  op.erase();
  return success();
}

FailureOr<bool> KernelLowering::lowerThreadOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto replaceWithWord = [&](int32_t word) {
    op->getResult(0).replaceAllUsesWith(contextIndex(word));
    op->erase();
  };
  auto ofDimension = [&](int32_t word, gpu::Dimension dimension) {
    replaceWithWord(word + static_cast<int32_t>(dimension));
  };
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    ofDimension(context::threadId, id.getDimension());
  else if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    ofDimension(context::blockId, id.getDimension());
  else if (auto dim = dyn_cast<gpu::BlockDimOp>(op))
    ofDimension(context::blockDim, dim.getDimension());
  else if (auto dim = dyn_cast<gpu::GridDimOp>(op))
    ofDimension(context::gridDim, dim.getDimension());
  else if (isa<gpu::LaneIdOp>(op))
    replaceWithWord(context::lane);
  else if (isa<gpu::SubgroupIdOp>(op))
    replaceWithWord(context::warp);
  else if (isa<gpu::SubgroupSizeOp>(op)) {
    op->getResult(0).replaceAllUsesWith(
        arith::ConstantIndexOp::create(b, warpSize));
    op->erase();
  } else if (isa<gpu::BarrierOp>(op)) {
    gen.call(b, "geo_simt_barrier", Type(), gen.site(b, op));
    op->erase();
  } else if (isa<gpu::ReturnOp>(op)) {
    func::ReturnOp::create(b);
    op->erase();
  } else if (auto memory = dyn_cast<gpu::DynamicSharedMemoryOp>(op)) {
    Value size = contextIndex(context::dynamicBytes);
    Value place = arith::ConstantIndexOp::create(b, info.staticBytes);
    memory.getResult().replaceAllUsesWith(
        sharedView(b, place, memory.getType(), size));
    op->erase();
  } else if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    if (failed(lowerShuffle(shuffle)))
      return failure();
  } else {
    return false;
  }
  return true;
}

/// Ops that mean on the host what they mean on a GPU.
static bool isHostOp(Operation *op) {
  if (isa<memref::AllocOp, memref::DeallocOp, memref::CopyOp, scf::ParallelOp,
          scf::ForallOp>(op))
    return false;
  if (isa<LLVM::LLVMDialect>(op->getDialect()))
    return isMemoryEffectFree(op) || isa<LLVM::AssumeOp>(op);
  return isa<arith::ArithDialect, affine::AffineDialect, cf::ControlFlowDialect,
             index::IndexDialect, math::MathDialect, memref::MemRefDialect,
             scf::SCFDialect, ub::UBDialect, vector::VectorDialect>(
      op->getDialect());
}

LogicalResult KernelLowering::lowerOp(Operation *op) {
  for (auto lowerKind :
       {&KernelLowering::lowerThreadOp, &KernelLowering::lowerMatrixOp,
        &KernelLowering::lowerCopyOp, &KernelLowering::lowerIntrinsic}) {
    FailureOr<bool> done = (this->*lowerKind)(op);
    if (failed(done))
      return failure();
    if (*done)
      return success();
  }
  if (!isHostOp(op))
    return op->emitOpError("expects an op that the simt target knows, but got "
                           "one that it does not");
  return check ? checkAccess(op) : success();
}

FailureOr<Kernel> KernelLowering::lower(gpu::GPUFuncOp kernel) {
  info = Kernel();
  indices.clear();
  slots.clear();
  if (!kernel.isKernel())
    return kernel.emitOpError("expects kernels only on the simt target, but "
                              "got a function that kernels call");
  SmallVector<Operation *> ops;
  kernel.getBody().walk([&](Operation *op) { ops.push_back(op); });
  layOut(kernel);
  createFunction(kernel);
  for (Operation *op : ops)
    if (failed(lowerOp(op)))
      return failure();
  stripGpuTypes(function);
  createEntry(kernel.getLoc());
  return info;
}
