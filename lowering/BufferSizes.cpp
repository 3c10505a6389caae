// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/BufferSizes.h"
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

Sizes geo::getMemRefSizes(ImplicitLocOpBuilder &b, Value memref) {
  Sizes sizes;
  for (int64_t i = 0; i < cast<MemRefType>(memref.getType()).getRank(); ++i)
    sizes.push_back(getAsOpFoldResult(dimOf(b, memref, i)));
  return sizes;
}

void BufferSizes::enter(ScanOp scan, ArrayRef<Sizes> operands) {
  unsigned states = scan.getNumStates();
  for (auto [i, argument] : llvm::enumerate(scan.getBlock().getArguments())) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    bool isInput = i >= states && i < states + scan.getInputs().size();
    Sizes sizes = operands[i];
    if (isInput)
      sizes.erase(sizes.begin());
    set(argument, std::move(sizes));
  }
}

Sizes BufferSizes::get(ImplicitLocOpBuilder &b, Value tensor) {
  auto it = known.find(tensor);
  if (it != known.end())
    return it->second;
  Sizes sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.hasStaticShape())
    sizes = compute(b, cast<OpResult>(tensor));
  else
    sizes.resize(type.getRank());
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size))
      sizes[i] = b.getIndexAttr(size);
  return known[tensor] = std::move(sizes);
}

/// Static dimensions may stay null: `get` fills them in.
Sizes BufferSizes::compute(ImplicitLocOpBuilder &b, OpResult result) {
  Sizes sizes(cast<RankedTensorType>(result.getType()).getRank());
  unsigned index = result.getResultNumber();
  llvm::TypeSwitch<Operation *>(result.getOwner())
      .Case([&](RowwiseOp op) { sizes[0] = get(b, op.getRows()[0])[0]; })
      .Case([&](PairwiseOp op) {
        sizes[0] = get(b, op.getXs()[0])[0];
        if (sizes.size() == 2)
          sizes[1] = get(b, op.getYs()[0])[0];
      })
      .Case([&](PairwiseGradOp op) {
        bool isPrimal = op.isFused() && index + 2 >= op.getNumResults();
        sizes = get(b, op->getOperand(isPrimal ? 0 : index));
        if (isPrimal)
          sizes.resize(1);
      })
      .Case([&](MatmulOp op) {
        sizes[0] = get(b, op.getA())[op.getTransposeA() ? 1 : 0];
        sizes[1] = get(b, op.getB())[op.getTransposeB() ? 0 : 1];
      })
      .Case([&](GatherOp op) { sizes[0] = get(b, op.getIds())[0]; })
      .Case([&](ScatterAddOp op) {
        if (op.getSize())
          sizes[0] = getAsOpFoldResult(lookup(op.getSize()));
      })
      .Case([&](ColumnsOp op) { sizes[0] = get(b, op.getX())[0]; })
      .Case(
          [&](ConcatColumnsOp op) { sizes[0] = get(b, op.getPieces()[0])[0]; })
      .Case([&](ScanOp op) {
        if (index < op.getNumStates()) {
          sizes = get(b, op.getInit()[index]);
          return;
        }
        SmallVector<Sizes> operands;
        for (Value v : op->getOperands())
          operands.push_back(isa<RankedTensorType>(v.getType()) ? get(b, v)
                                                                : Sizes());
        Sizes inputSizes = operands[op.getNumStates()];
        enter(op, operands);
        sizes = get(b, op.getYield().getValues()[index]);
        sizes.insert(sizes.begin(), inputSizes[0]);
      })
      .Case([&](tensor::ExpandShapeOp op) {
        sizes = op.getMixedOutputShape();
        for (OpFoldResult &size : sizes)
          if (auto v = dyn_cast<Value>(size))
            size = getAsOpFoldResult(lookup(v));
      })
      .Case([&](tensor::CollapseShapeOp op) {
        Sizes from = get(b, op.getSrc());
        for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
          Value size;
          for (int64_t dim : group) {
            Value factor =
                getValueOrCreateConstantIndexOp(b, b.getLoc(), from[dim]);
            size = size ? arith::MulIOp::create(b, size, factor) : factor;
          }
          if (size)
            sizes[i] = getAsOpFoldResult(size);
        }
      })
      .Case([&](tensor::CastOp op) { sizes = get(b, op.getSource()); })
      .Case([&](DetachOp op) { sizes = get(b, op.getX()); })
      .Case([&](tensor::SplatOp op) {
        unsigned next = 0;
        auto shape = cast<RankedTensorType>(op.getType()).getShape();
        for (auto [i, size] : llvm::enumerate(shape))
          if (ShapedType::isDynamic(size))
            sizes[i] = getAsOpFoldResult(lookup(op.getDynamicSizes()[next++]));
      })
      .Default([](Operation *op) {
        llvm_unreachable("the driver checks the ops before it asks for sizes");
      });
  return sizes;
}
