// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/GpuEmitter.h"
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Pairwise.h"

using namespace mlir;
using namespace geo;

static LogicalResult isMissing(Operation *op) {
  return op->emitOpError("expects another target than a GPU: it has no "
                         "lowering to kernels");
}

namespace {
class GpuEmitter : public ConstructEmitter {
public:
  GpuEmitter(ModuleOp module, const GpuTarget &target)
      : kernels(module, target) {}

  LogicalResult emitRowwise(ImplicitLocOpBuilder &b, RowwiseOp op,
                            ValueRange operands, ValueRange outs) override {
    return device::emitRowwise(kernels, b, op, operands, outs);
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
    return device::emitMatmul(kernels, b, op, operands, out);
  }
  LogicalResult emitGather(ImplicitLocOpBuilder &b, GatherOp op,
                           ValueRange operands, Value out) override {
    return device::emitGather(kernels, b, operands, out);
  }
  LogicalResult emitScatterAdd(ImplicitLocOpBuilder &b, ScatterAddOp op,
                               ValueRange operands, Value out) override {
    return device::emitScatterAdd(kernels, b, operands, out);
  }
  LogicalResult emitColumns(ImplicitLocOpBuilder &b, ColumnsOp op, Value x,
                            Value out) override {
    return device::emitColumns(kernels, b, op, x, out);
  }
  LogicalResult emitConcatColumns(ImplicitLocOpBuilder &b, ConcatColumnsOp op,
                                  ValueRange pieces, Value out) override {
    return device::emitConcatColumns(kernels, b, op, pieces, out);
  }
  void emitCopy(ImplicitLocOpBuilder &b, Value from, Value to) override {
    device::emitCopy(kernels, b, from, to);
  }
  LogicalResult emitScan(ImplicitLocOpBuilder &b, ScanOp op,
                         ValueRange operands, ValueRange outs,
                         StepFn emitStep) override {
    return isMissing(op);
  }

private:
  device::KernelBuilder kernels;
};
} // namespace

std::unique_ptr<ConstructEmitter>
geo::createGpuEmitter(ModuleOp module, const GpuTarget &target) {
  return std::make_unique<GpuEmitter>(module, target);
}
