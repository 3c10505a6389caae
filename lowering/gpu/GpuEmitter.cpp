// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/GpuEmitter.h"
#include "lowering/OpLowering.h"
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Pairwise.h"
#include "lowering/gpu/Scan.h"

using namespace mlir;
using namespace geo;

namespace {
class GpuEmitter : public ConstructEmitter {
public:
  GpuEmitter(ModuleOp module, const GpuTarget &target)
      : kernels(module, target) {}

  LogicalResult emitRowwise(ImplicitLocOpBuilder &b, RowwiseOp op,
                            ValueRange operands, ValueRange outs) override {
    return inside ? inside->emitRowwise(op, operands, outs)
                  : device::emitRowwise(kernels, b, op, operands, outs);
  }
  LogicalResult emitPairwise(ImplicitLocOpBuilder &b, PairwiseOp op,
                             ValueRange operands, ValueRange outs) override {
    return device::emitPairwise(kernels, b, op, operands, outs);
  }
  LogicalResult emitPairwiseGrad(ImplicitLocOpBuilder &b, PairwiseGradOp op,
                                 ValueRange operands,
                                 ValueRange outs) override {
    return device::emitPairwiseGrad(kernels, b, op, operands, outs);
  }
  LogicalResult emitMatmul(ImplicitLocOpBuilder &b, MatmulOp op,
                           ValueRange operands, Value out) override {
    return inside ? inside->emitMatmul(op, operands, out)
                  : device::emitMatmul(kernels, b, op, operands, out);
  }
  LogicalResult emitGather(ImplicitLocOpBuilder &b, GatherOp op,
                           ValueRange operands, Value out) override {
    if (!inside)
      return device::emitGather(kernels, b, operands, out);
    inside->emitGather(operands[0], operands[1], out);
    return success();
  }
  LogicalResult emitScatterAdd(ImplicitLocOpBuilder &b, ScatterAddOp op,
                               ValueRange operands, Value out) override {
    return device::emitScatterAdd(kernels, b, operands, out);
  }
  LogicalResult emitColumns(ImplicitLocOpBuilder &b, ColumnsOp op, Value x,
                            Value out) override {
    if (!inside)
      return device::emitColumns(kernels, b, op, x, out);
    inside->emitColumns(op, x, out);
    return success();
  }
  LogicalResult emitConcatColumns(ImplicitLocOpBuilder &b, ConcatColumnsOp op,
                                  ValueRange pieces, Value out) override {
    if (!inside)
      return device::emitConcatColumns(kernels, b, op, pieces, out);
    inside->emitConcatColumns(op, pieces, out);
    return success();
  }
  void emitCopy(ImplicitLocOpBuilder &b, Value from, Value to) override {
    if (inside)
      inside->emitCopy(from, to);
    else
      device::emitCopy(kernels, b, from, to);
  }
  void emitFill(ImplicitLocOpBuilder &b, Value memref, Value number) override {
    device::emitFill(kernels, b, memref, number);
  }
  void emitElements(ImplicitLocOpBuilder &b, ValueRange numbers,
                    Value memref) override {
    device::emitElements(kernels, b, numbers, memref);
  }
  FailureOr<Value> emitConstant(ImplicitLocOpBuilder &b, arith::ConstantOp op,
                                function_ref<Value()> allocate) override {
    auto value = cast<DenseElementsAttr>(op.getValue());
    if (!inside) {
      Value buffer = allocate();
      if (failed(device::emitConstant(kernels, b, op, buffer)))
        return failure();
      return buffer;
    }
    if (!value.isSplat())
      return op.emitOpError("expects equal elements inside of geo.scan on a "
                            "GPU, but got ")
             << value;
    Value buffer =
        inside->allocate(cast<MemRefType>(getBufferType(op.getType())));
    inside->emitFill(value.getSplatValue<TypedAttr>(), buffer);
    return buffer;
  }
  LogicalResult emitScan(ImplicitLocOpBuilder &b, ScanOp op,
                         ValueRange operands, ValueRange outs,
                         StepFn emitStep) override {
    return device::emitScan(kernels, b, op, operands, outs, inside, *this,
                            emitStep);
  }
  Value allocateBuffer(ImplicitLocOpBuilder &b, MemRefType type,
                       ArrayRef<OpFoldResult> sizes) override {
    return inside ? inside->allocate(type)
                  : ConstructEmitter::allocateBuffer(b, type, sizes);
  }
  void releaseBuffer(ImplicitLocOpBuilder &b, Value buffer) override {
    if (!inside)
      ConstructEmitter::releaseBuffer(b, buffer);
  }
  void storeNumber(ImplicitLocOpBuilder &b, Value number, Value out) override {
    if (inside)
      inside->storeNumber(number, out);
    else
      ConstructEmitter::storeNumber(b, number, out);
  }

private:
  device::KernelBuilder kernels;
  /// The kernel that is being built, while a scan's step is emitted.
  device::BlockConstructs *inside = nullptr;
};
} // namespace

std::unique_ptr<ConstructEmitter>
geo::createGpuEmitter(ModuleOp module, const GpuTarget &target) {
  return std::make_unique<GpuEmitter>(module, target);
}
