// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/CpuEmitter.h"
#include "lowering/cpu/Columns.h"
#include "lowering/cpu/Copy.h"
#include "lowering/cpu/Gather.h"
#include "lowering/cpu/Matmul.h"
#include "lowering/cpu/Pairwise.h"
#include "lowering/cpu/Scan.h"
#include "lowering/cpu/Strips.h"

using namespace mlir;
using namespace geo;

namespace {
class CpuEmitter : public ConstructEmitter {
public:
  explicit CpuEmitter(const CpuTarget &target) : work(target) {}

  LogicalResult emitRowwise(ImplicitLocOpBuilder &b, RowwiseOp op,
                            ValueRange operands, ValueRange outs) override {
    cpu::Gen g(b);
    return cpu::emitRowwise(work, g, op, operands, outs);
  }
  LogicalResult emitPairwise(ImplicitLocOpBuilder &b, PairwiseOp op,
                             ValueRange operands, ValueRange outs) override {
    cpu::Gen g(b);
    return cpu::emitPairwise(work, g, op, operands, outs);
  }
  LogicalResult emitPairwiseGrad(ImplicitLocOpBuilder &b, PairwiseGradOp op,
                                 ValueRange operands,
                                 ValueRange outs) override {
    cpu::Gen g(b);
    return cpu::emitPairwiseGrad(work, g, op, operands, outs);
  }
  LogicalResult emitMatmul(ImplicitLocOpBuilder &b, MatmulOp op,
                           ValueRange operands, Value out) override {
    cpu::Gen g(b);
    return cpu::emitMatmul(work, g, op, operands, out);
  }
  LogicalResult emitGather(ImplicitLocOpBuilder &b, GatherOp op,
                           ValueRange operands, Value out) override {
    cpu::Gen g(b);
    return cpu::emitGather(work, g, op, operands, out);
  }
  LogicalResult emitScatterAdd(ImplicitLocOpBuilder &b, ScatterAddOp op,
                               ValueRange operands, Value out) override {
    cpu::Gen g(b);
    return cpu::emitScatterAdd(work, g, op, operands, out);
  }
  LogicalResult emitColumns(ImplicitLocOpBuilder &b, ColumnsOp op, Value x,
                            Value out) override {
    cpu::Gen g(b);
    return cpu::emitColumns(work, g, op, x, out);
  }
  LogicalResult emitConcatColumns(ImplicitLocOpBuilder &b, ConcatColumnsOp op,
                                  ValueRange pieces, Value out) override {
    cpu::Gen g(b);
    return cpu::emitConcatColumns(work, g, op, pieces, out);
  }
  void emitCopy(ImplicitLocOpBuilder &b, Value from, Value to) override {
    cpu::Gen g(b);
    cpu::emitCopy(work, g, from, to);
  }
  LogicalResult emitScan(ImplicitLocOpBuilder &b, ScanOp op,
                         ValueRange operands, ValueRange outs,
                         StepFn emitStep) override {
    cpu::Gen g(b);
    return cpu::emitScan(work, g, op, operands, outs, *this, emitStep);
  }

private:
  cpu::Work work;
};
} // namespace

std::unique_ptr<ConstructEmitter>
geo::createCpuEmitter(const CpuTarget &target) {
  return std::make_unique<CpuEmitter>(target);
}
