// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/ScanRows.h"
#include "lowering/OpLowering.h"

using namespace mlir;
using namespace geo;

namespace {
/// How the ops of a body see a tensor: row by row, or all of it from each row.
struct Uses {
  bool byRow = false, whole = false;
};
} // namespace

static Uses getUses(Value v) {
  Uses uses;
  for (OpOperand &use : v.getUses()) {
    Operation *user = use.getOwner();
    unsigned i = use.getOperandNumber();
    // A view is read as its uses read it; a copy goes row by row.
    if (isView(user)) {
      Uses through = getUses(user->getResult(0));
      uses.byRow |= through.byRow;
      uses.whole |= through.whole;
    } else if (!isa<YieldOp>(user)) {
      bool isRow = true;
      if (auto rowwise = dyn_cast<RowwiseOp>(user))
        isRow = i < rowwise.getRows().size();
      else if (auto matmul = dyn_cast<MatmulOp>(user))
        isRow = i == 0 && !matmul.getTransposeA();
      else if (isa<GatherOp>(user))
        isRow = i == 1;
      (isRow ? uses.byRow : uses.whole) = true;
    }
  }
  return uses;
}

static bool isTensor(Value v) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && type.getRank() > 0;
}

ScanRows::ScanRows(ScanOp op) {
  ArrayRef<BlockArgument> inputArgs = op.getInputArgs();
  auto isYielded = [&](Value v) {
    return llvm::is_contained(op.getYield().getValues(), v);
  };
  for (BlockArgument state : op.getStateArgs())
    if (isTensor(state) && getUses(state).whole)
      canSplit = false;
  for (auto [i, input] : llvm::enumerate(inputArgs)) {
    Uses uses = getUses(input);
    if (uses.byRow && uses.whole)
      canSplit = false;
    if (!uses.byRow)
      wholeInputs.insert(i);
    if (!isTensor(input) || !isYielded(input))
      continue;
    bool isMatrix = cast<RankedTensorType>(input.getType()).getRank() == 2;
    if (isMatrix && !uses.whole)
      yieldedInputs.insert(i);
    else
      yieldsOthers = true;
  }
  for (BlockArgument argument : op.getSharedArgs()) {
    // Rows of a shared operand are the batch's only by coincidence.
    if (getUses(argument).byRow)
      canSplit = false;
    if (isTensor(argument) && isYielded(argument))
      yieldsOthers = true;
  }
  for (Operation &inner : op.getBlock().without_terminator())
    if (!isView(&inner)) // its operand tells
      for (Value result : inner.getResults())
        if (isTensor(result) && getUses(result).whole)
          canSplit = false;
}
