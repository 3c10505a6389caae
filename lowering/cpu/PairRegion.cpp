// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/PairRegion.h"
#include "lowering/cpu/VectorMath.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

PairRegion::PairRegion(Gen &g, Block &block, ValueRange arguments,
                       int64_t lanes)
    : g(g), block(block), lanes(lanes) {
  for (auto [argument, emitted] :
       llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = emitted;
}

/// Of a derivative, the op in its block that has the function's value.
static Operation *findPrimal(Operation *op) {
  auto even = dyn_cast<EvenOp>(op);
  if (!even || even.getOrder() != 1)
    return nullptr;
  for (Operation *user : even.getZ().getUsers())
    if (auto other = dyn_cast<EvenOp>(user);
        other && other.getFn() == even.getFn() && other.getOrder() == 0 &&
        other->getBlock() == op->getBlock())
      return other;
  return nullptr;
}

Value PairRegion::get(Value v) {
  if (Value emitted = known.lookup(v))
    return emitted;
  Operation *op = v.getDefiningOp();
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  return known[v] = emitElementwise(g, op, operands, /*isVector=*/true, lanes);
}

SmallVector<Value> geo::cpu::findKept(Block &block, unsigned numGrams,
                                      ArrayRef<unsigned> wanted) {
  Operation *yield = block.getTerminator();
  llvm::SetVector<Value> first, second;
  first.insert(yield->getOperand(0));
  for (size_t i = 0; i < first.size(); ++i)
    if (Operation *op = first[i].getDefiningOp())
      first.insert_range(op->getOperands());
  for (unsigned i : wanted)
    second.insert(yield->getOperand(i));
  SmallVector<Value> kept;
  for (size_t i = 0; i < second.size(); ++i) {
    Value v = second[i];
    Operation *op = v.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(v);
    if (argument ? argument.getArgNumber() < numGrams
                 : isExpensive(op) && first.contains(v))
      kept.push_back(v);
    else if (op) {
      second.insert_range(op->getOperands());
      if (Operation *primal = findPrimal(op))
        second.insert(primal->getResult(0));
    }
  }
  return kept;
}
