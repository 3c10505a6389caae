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

static bool analyze(ScanOp op, llvm::SmallSet<unsigned, 4> &wholeInputs) {
  for (BlockArgument state : op.getStateArgs())
    if (isTensor(state) && getUses(state).whole)
      return false;
  ArrayRef<BlockArgument> inputArgs = op.getInputArgs();
  for (auto [i, input] : llvm::enumerate(inputArgs)) {
    Uses uses = getUses(input);
    if (uses.byRow && uses.whole)
      return false;
    if (!uses.byRow)
      wholeInputs.insert(i);
  }
  // Rows of a shared operand are the batch's only by coincidence.
  for (BlockArgument argument : op.getSharedArgs())
    if (getUses(argument).byRow)
      return false;
  for (Operation &inner : op.getBlock().without_terminator())
    if (!isView(&inner)) // its operand tells
      for (Value result : inner.getResults())
        if (isTensor(result) && getUses(result).whole)
          return false;
  return llvm::none_of(op.getYield().getValues(), [&](Value v) {
    return isTensor(v) && (llvm::is_contained(op.getSharedArgs(), v) ||
                           llvm::is_contained(inputArgs, v));
  });
}

ScanRows::ScanRows(ScanOp op) : canSplit(analyze(op, wholeInputs)) {}
