// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the check before every access of a kernel.
#include "lowering/simt/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "runtime/simt/Checker.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo::simt;
using geo::rt::simt::Access;

namespace {

/// One op that touches memory.
struct Touch {
  Value memref;
  ValueRange indices;
  Type type; ///< of the elements, or a vector of them
  Access kind;
  Value mask;
  int64_t alignment = 1;
};

} // namespace

static std::optional<Touch> describe(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Touch>>(op)
      .Case([](memref::LoadOp load) {
        return Touch{
            load.getMemRef(), load.getIndices(),
            load.getType(),   Access::read,
            Value(),          int64_t(load.getAlignment().value_or(1))};
      })
      .Case([](memref::StoreOp store) {
        return Touch{store.getMemRef(),
                     store.getIndices(),
                     store.getValueToStore().getType(),
                     Access::write,
                     Value(),
                     int64_t(store.getAlignment().value_or(1))};
      })
      .Case([](vector::LoadOp load) {
        return Touch{load.getBase(), load.getIndices(),
                     load.getType(), Access::read,
                     Value(),        int64_t(load.getAlignment().value_or(1))};
      })
      .Case([](vector::StoreOp store) {
        return Touch{store.getBase(),
                     store.getIndices(),
                     store.getValueToStore().getType(),
                     Access::write,
                     Value(),
                     int64_t(store.getAlignment().value_or(1))};
      })
      .Case([](vector::MaskedLoadOp load) {
        return Touch{load.getBase(), load.getIndices(),
                     load.getType(), Access::read,
                     load.getMask(), int64_t(load.getAlignment().value_or(1))};
      })
      .Case([](vector::MaskedStoreOp store) {
        return Touch{store.getBase(),
                     store.getIndices(),
                     store.getValueToStore().getType(),
                     Access::write,
                     store.getMask(),
                     int64_t(store.getAlignment().value_or(1))};
      })
      .Case([](memref::AtomicRMWOp rmw) {
        return Touch{rmw.getMemref(), rmw.getIndices(), rmw.getType(),
                     Access::atomic, Value()};
      })
      .Case([](memref::GenericAtomicRMWOp rmw) {
        return Touch{rmw.getMemref(), rmw.getIndices(), rmw.getType(),
                     Access::atomic, Value()};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Memory that only this thread sees, or that nobody writes.
static bool isPrivate(Value memref) {
  Operation *op = memref.getDefiningOp();
  while (op && isa<ViewLikeOpInterface>(op))
    op = cast<ViewLikeOpInterface>(op).getViewSource().getDefiningOp();
  return isa_and_present<memref::AllocaOp, memref::GetGlobalOp>(op);
}

/// Whether the op reads or writes memory by itself.
static bool touchesMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && (effects.hasEffect<MemoryEffects::Read>() ||
                     effects.hasEffect<MemoryEffects::Write>());
}

LogicalResult KernelLowering::checkAccess(Operation *op) {
  std::optional<Touch> touch = describe(op);
  if (!touch) {
    if (touchesMemory(op) && !isa<LLVM::AssumeOp>(op))
      return op->emitOpError("expects loads and stores that the check of the "
                             "simt target knows, but got another access");
    return success();
  }
  auto vector = dyn_cast<VectorType>(touch->type);
  int64_t count = vector ? vector.getNumElements() : 1;
  if ((vector && vector.getRank() != 1) || (touch->mask && count > 64))
    return op->emitOpError("expects vectors of one dimension, of at most 64 "
                           "elements under a mask, for the check of the simt "
                           "target, but got ")
           << touch->type;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value isInside = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Value room = arith::ConstantIndexOp::create(b, count);
  for (auto [i, index] : llvm::enumerate(touch->indices)) {
    Value size = memref::DimOp::create(b, touch->memref, i);
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, size);
    // A vector under a mask may start at the end.
    if (i + 1 == touch->indices.size()) {
      room = arith::SubIOp::create(b, size, index);
      if (touch->mask)
        inside =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ule, index, size);
    }
    isInside = arith::AndIOp::create(b, isInside, inside);
  }
  Value mask = gen.i64(b, -1);
  if (touch->mask) {
    Type bits = b.getIntegerType(count);
    mask =
        vector::BitCastOp::create(b, VectorType::get({1}, bits), touch->mask);
    mask = vector::ExtractOp::create(b, mask, ArrayRef<int64_t>{0});
    if (count < 64)
      mask = arith::ExtUIOp::create(b, b.getI64Type(), mask);
  }
  int64_t kind =
      isPrivate(touch->memref) ? -1 : static_cast<int64_t>(touch->kind);
  gen.call(b, "geo_simt_check", Type(),
           {gen.site(b, op), gen.address(b, touch->memref, touch->indices),
            gen.i32(b, byteSize(touch->type) / count), gen.i32(b, count), mask,
            gen.i32(b, kind), gen.i64(b, touch->alignment),
            arith::ExtUIOp::create(b, b.getI32Type(), isInside),
            arith::IndexCastOp::create(b, b.getI64Type(), room)});
  return success();
}
