// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor-core ops: fragments go to the machine through memory.
#include "lowering/simt/Kernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "runtime/simt/Calls.h"

using namespace mlir;
using namespace geo::simt;
using geo::rt::simt::MmaKind;

Value KernelLowering::slotFor(ImplicitLocOpBuilder &b, StringRef role,
                              Type type, int64_t count) {
  // One for each role and type keeps the frames of fibers small.
  Value &slot = slots[{role, {type, count}}];
  if (!slot)
    slot = gen.slot(b, type, count);
  return slot;
}

static VectorType flat(Type type) {
  auto vector = cast<VectorType>(type);
  return VectorType::get({vector.getNumElements()}, vector.getElementType());
}

Value KernelLowering::spill(ImplicitLocOpBuilder &b, StringRef role,
                            Value fragment) {
  VectorType type = flat(fragment.getType());
  Value slot = slotFor(b, role, type);
  if (fragment.getType() != type)
    fragment = vector::ShapeCastOp::create(b, type, fragment);
  LLVM::StoreOp::create(b, fragment, slot);
  return slot;
}

static Value reload(ImplicitLocOpBuilder &b, Value slot, Type type) {
  Value fragment = LLVM::LoadOp::create(b, flat(type), slot);
  if (fragment.getType() == type)
    return fragment;
  return vector::ShapeCastOp::create(b, type, fragment);
}

void KernelLowering::callMma(ImplicitLocOpBuilder &b, Operation *op,
                             MmaKind kind, int64_t k,
                             ArrayRef<Value> fragments) {
  SmallVector<Value> arguments = {
      gen.site(b, op), gen.i32(b, static_cast<int64_t>(kind)), gen.i32(b, k)};
  llvm::append_range(arguments, fragments);
  gen.call(b, "geo_simt_mma", Type(), arguments);
}

/// What the machine multiplies: m, n and k belong to the types.
static std::optional<MmaKind> getKind(Type factor, Type sum,
                                      ArrayRef<int64_t> shape) {
  auto is = [&](ArrayRef<int64_t> wanted) { return shape == wanted; };
  if (factor.isF64() && sum.isF64() && is({8, 8, 4}))
    return MmaKind::f64;
  bool isLarge = is({16, 8, 8}) || is({16, 8, 16});
  if (factor.isF16() && sum.isF32() && isLarge)
    return MmaKind::f16;
  if (factor.isF16() && sum.isF16() && isLarge)
    return MmaKind::f16f16;
  if (factor.isBF16() && sum.isF32() && isLarge)
    return MmaKind::bf16;
  if (factor.isF32() && sum.isF32() && (is({16, 8, 4}) || is({16, 8, 8})))
    return MmaKind::tf32;
  return std::nullopt;
}

static LogicalResult emitUnknownMma(Operation *op, Type factor, Type sum,
                                    ArrayRef<int64_t> shape) {
  auto error = op->emitOpError(
      "expects f64 m8n8k4, f16 or bf16 m16n8k8 or m16n8k16, or tf32 m16n8k4 or "
      "m16n8k8 on the simt target, but got ");
  error << factor << " to " << sum << " m" << shape[0] << 'n' << shape[1] << 'k'
        << shape[2];
  return error;
}

LogicalResult KernelLowering::lowerMma(nvgpu::MmaSyncOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto shape = op.getMmaShapeAsArray();
  Type factor = getElementTypeOrSelf(op.getMatrixA());
  Type sum = getElementTypeOrSelf(op.getMatrixC());
  auto kind = getKind(factor, sum, shape);
  if (!kind)
    return emitUnknownMma(op, factor, sum, shape);
  if (*kind == MmaKind::tf32 && !op.getTf32Enabled())
    return op.emitOpError("expects tf32Enabled for factors of f32, but got "
                          "none");
  Value d = slotFor(b, "d", flat(op.getType()));
  callMma(b, op, *kind, shape[2],
          {spill(b, "a", op.getMatrixA()), spill(b, "b", op.getMatrixB()),
           spill(b, "c", op.getMatrixC()), d});
  op.replaceAllUsesWith(reload(b, d, op.getType()));
  op.erase();
  return success();
}

/// The registers one after the other.
Value KernelLowering::spillRegisters(ImplicitLocOpBuilder &b, StringRef role,
                                     ValueRange registers) {
  Type type = registers.front().getType();
  Value slot = slotFor(b, role, type, registers.size());
  for (auto [i, value] : llvm::enumerate(registers)) {
    Value place = LLVM::GEPOp::create(b, gen.pointer(), type, slot,
                                      ArrayRef<LLVM::GEPArg>(int32_t(i)));
    LLVM::StoreOp::create(b, value, place);
  }
  return slot;
}

LogicalResult KernelLowering::lowerMma(NVVM::MmaOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  NVVM::MMAShapeAttr shape = op.getShape();
  SmallVector<int64_t> sizes = {shape.getM(), shape.getN(), shape.getK()};
  auto toType = [&](std::optional<NVVM::MMATypes> type) -> Type {
    switch (type.value_or(NVVM::MMATypes::s32)) {
    case NVVM::MMATypes::f16:
      return b.getF16Type();
    case NVVM::MMATypes::bf16:
      return b.getBF16Type();
    case NVVM::MMATypes::tf32:
    case NVVM::MMATypes::f32:
      return b.getF32Type();
    case NVVM::MMATypes::f64:
      return b.getF64Type();
    default:
      return b.getI32Type();
    }
  };
  Type factor = toType(op.getMultiplicandAPtxType());
  Type sum = toType(op.resultPtxType());
  auto kind = getKind(factor, sum, sizes);
  if (!kind || op.accumPtxType() != op.resultPtxType() ||
      op.getMultiplicandAPtxType() != op.getMultiplicandBPtxType())
    return emitUnknownMma(op, factor, sum, sizes);
  if (op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col)
    return op.emitOpError("expects layouts row and col on the simt target, but "
                          "got others");
  Value d = slotFor(b, "d", op.getType());
  callMma(b, op, *kind, sizes[2],
          {spillRegisters(b, "a", op.getOperandA()),
           spillRegisters(b, "b", op.getOperandB()),
           spillRegisters(b, "c", op.getOperandC()), d});
  op.replaceAllUsesWith(LLVM::LoadOp::create(b, op.getType(), d).getResult());
  op.erase();
  return success();
}

LogicalResult KernelLowering::lowerLoad(nvgpu::LdMatrixOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = cast<VectorType>(op.getType());
  int64_t tiles = op.getNumTiles();
  if (byteSize(type) != 4 * tiles)
    return op.emitOpError("expects 4 bytes for each of ")
           << tiles << " tiles on the simt target, but got " << type;
  Value d = slotFor(b, "d", flat(type));
  gen.call(b, "geo_simt_ldmatrix", Type(),
           {gen.site(b, op), gen.address(b, op.getSrcMemref(), op.getIndices()),
            gen.i32(b, tiles), gen.i32(b, op.getTranspose()), d});
  op.replaceAllUsesWith(reload(b, d, type));
  op.erase();
  return success();
}

FailureOr<bool> KernelLowering::lowerMatrixOp(Operation *op) {
  LogicalResult done = success();
  if (auto mma = dyn_cast<nvgpu::MmaSyncOp>(op))
    done = lowerMma(mma);
  else if (auto mma = dyn_cast<NVVM::MmaOp>(op))
    done = lowerMma(mma);
  else if (auto load = dyn_cast<nvgpu::LdMatrixOp>(op))
    done = lowerLoad(load);
  else
    return false;
  if (failed(done))
    return failure();
  return true;
}
