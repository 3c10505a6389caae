// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pair program and its adjoint as one op, where the cotangent of the loss
// does not wait for the loss.
#include "dialect/Geo.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOFUSEDECODER
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// What a value is made of, result by result: a row program is several
/// programs that share their operands, and one of its sums may count rows
/// while another adds up losses.
class Slice {
public:
  /// Of ops of `origin`'s block that stand after it.
  explicit Slice(PairwiseOp origin) : origin(origin) {}

  /// False where `v` depends on a result of the origin.
  bool add(Value v);
  /// Brings what was added before the origin.
  void hoist();

private:
  /// Operands that result `r` of `op` depends on.
  llvm::SetVector<Value> getOperands(RowwiseOp op, unsigned r);
  /// An operand that tells how many rows `op` has; not a result of the origin.
  Value getCountingRows(RowwiseOp op);
  /// `op` with only the results that were added.
  void hoistResults(RowwiseOp op, const llvm::SetVector<Value> &results);

  PairwiseOp origin;
  llvm::SetVector<Value> results;
};

} // namespace

llvm::SetVector<Value> Slice::getOperands(RowwiseOp op, unsigned r) {
  llvm::SetVector<Value> inside, operands;
  inside.insert(op.getYield().getOperand(r));
  for (size_t i = 0; i < inside.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(inside[i]))
      operands.insert(op->getOperand(argument.getArgNumber()));
    else
      inside.insert_range(inside[i].getDefiningOp()->getOperands());
  }
  // The number of rows comes from an operand.
  if (r < op.getNumRowResults() &&
      llvm::none_of(
          operands,
          [&](Value v) { return llvm::is_contained(op.getRows(), v); }))
    operands.insert(getCountingRows(op));
  return operands;
}

Value Slice::getCountingRows(RowwiseOp op) {
  Value rows = op.getRows().front();
  return rows.getDefiningOp() == origin ? origin.getXs().front() : rows;
}

bool Slice::add(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op || op->getBlock() != origin->getBlock() ||
      op->isBeforeInBlock(origin))
    return true;
  if (op == origin)
    return false;
  if (!results.insert(v))
    return true;
  if (auto rowwise = dyn_cast<RowwiseOp>(op))
    return llvm::all_of(
        getOperands(rowwise, cast<OpResult>(v).getResultNumber()),
        [&](Value operand) { return add(operand); });
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::all_of(used, [&](Value operand) { return add(operand); });
}

void Slice::hoistResults(RowwiseOp op, const llvm::SetVector<Value> &wanted) {
  llvm::SetVector<Value> used;
  SmallVector<unsigned> kept;
  for (OpResult r : op->getResults())
    if (wanted.contains(r)) {
      kept.push_back(r.getResultNumber());
      used.insert_range(getOperands(op, r.getResultNumber()));
    }
  SmallVector<Value> rows, shared;
  for (Value v :
       llvm::SetVector<Value>(op.getRows().begin(), op.getRows().end()))
    if (used.contains(v))
      rows.push_back(v);
  // A program of shared operands alone still runs once per row.
  if (rows.empty())
    rows.push_back(getCountingRows(op));
  for (Value v :
       llvm::SetVector<Value>(op.getShared().begin(), op.getShared().end()))
    if (used.contains(v))
      shared.push_back(v);
  ImplicitLocOpBuilder b(op.getLoc(), origin);
  int64_t numSums = llvm::count_if(
      kept, [&](unsigned r) { return r >= op.getNumRowResults(); });
  auto part = RowwiseOp::create(
      b,
      llvm::map_to_vector(
          kept, [&](unsigned r) { return op->getResult(r).getType(); }),
      rows, shared, numSums);
  IRMapping map;
  Block &block = part.getBlock();
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    bool isRow = i < op.getRows().size();
    ArrayRef<Value> group = isRow ? rows : shared;
    const auto *at = llvm::find(group, v);
    if (at != group.end())
      map.map(
          op.getBlock().getArgument(i),
          block.getArgument((isRow ? 0 : rows.size()) + (at - group.begin())));
  }
  b.setInsertionPointToEnd(&block);
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> worklist;
  for (unsigned r : kept)
    worklist.push_back(op.getYield().getOperand(r));
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (def && needed.insert(def))
      llvm::append_range(worklist, def->getOperands());
  }
  for (Operation &inner : op.getBlock().without_terminator())
    if (needed.contains(&inner))
      b.clone(inner, map);
  YieldOp::create(b, llvm::map_to_vector(kept, [&](unsigned r) {
                    return map.lookupOrDefault(op.getYield().getOperand(r));
                  }));
  for (auto [r, result] : llvm::zip_equal(kept, part.getResults()))
    op->getResult(r).replaceAllUsesWith(result);
}

void Slice::hoist() {
  llvm::SetVector<Operation *> ops;
  for (Value v : results)
    ops.insert(v.getDefiningOp());
  SmallVector<Operation *> ordered(ops.begin(), ops.end());
  llvm::sort(ordered,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  for (Operation *op : ordered) {
    auto rowwise = dyn_cast<RowwiseOp>(op);
    auto isWanted = [&](Value r) { return results.contains(r); };
    auto isLater = [&](Value v) { return v.getDefiningOp() == origin; };
    bool isWhole = !rowwise || (llvm::all_of(op->getResults(), isWanted) &&
                                llvm::none_of(op->getOperands(), isLater));
    if (isWhole)
      op->moveBefore(origin);
    else
      hoistResults(rowwise, results);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The primal whose lse `gradient` reads, if all other operands are its own.
static PairwiseOp getPrimal(PairwiseGradOp gradient) {
  auto primal = gradient.getLse().getDefiningOp<PairwiseOp>();
  if (!primal || primal->getBlock() != gradient->getBlock() ||
      gradient.getLse() != primal.getResult(1) ||
      primal.getGrams() != gradient.getGrams() ||
      primal.getMath() != gradient.getMath())
    return nullptr;
  OperandRange own = primal->getOperands();
  return own == gradient->getOperands().take_front(own.size()) ? primal
                                                               : nullptr;
}

/// The gradient's region starts with the logit, which the primal's must equal.
static void fuse(PairwiseOp primal, PairwiseGradOp gradient) {
  ImplicitLocOpBuilder b(FusedLoc::get(gradient.getContext(),
                                       {primal.getLoc(), gradient.getLoc()}),
                         primal);
  SmallVector<Value> operands(primal->getOperands());
  auto fused = PairwiseGradOp::create(b, primal, operands, /*lse=*/Value(),
                                      gradient.getCotangent());
  fused.getBody().takeBody(gradient.getBody());
  unsigned count = gradient->getNumResults();
  gradient->replaceAllUsesWith(fused.getResults().take_front(count));
  gradient.erase();
  primal->replaceAllUsesWith(fused.getResults().drop_front(count));
  primal.erase();
}

namespace {
struct FuseDecoderPass : geo::impl::GeoFuseDecoderBase<FuseDecoderPass> {
  static constexpr StringLiteral remarkName = "fuse-decoder";

  void runOnOperation() override {
    SmallVector<PairwiseGradOp> gradients;
    getOperation()->walk([&](PairwiseGradOp op) {
      if (op.getLse())
        gradients.push_back(op);
    });
    for (PairwiseGradOp gradient : gradients) {
      PairwiseOp primal = getPrimal(gradient);
      if (gradient.getReducer() != Reducer::nll) {
        remarkNotFused(gradient, remarkName)
            << "its primal ends in a softmax, whose cotangent comes from what "
               "reads the table";
        continue;
      }
      if (!primal) {
        remarkNotFused(gradient, remarkName)
            << "its lse is not that of a geo.pairwise on the same operands";
        continue;
      }
      Slice slice(primal);
      if (!slice.add(gradient.getCotangent())) {
        remarkNotFused(gradient, remarkName)
            << "the cotangent depends on the loss: the adjoint computes all "
               "pairs again";
        continue;
      }
      remarkFused(gradient, remarkName)
          << "merged with the loss: every Gram is computed once";
      slice.hoist();
      fuse(primal, gradient);
    }
  }
};
} // namespace
