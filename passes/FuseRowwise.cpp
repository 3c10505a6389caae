// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOFUSEROWWISE
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// True if `producer` may move down to `consumer`: every other use of its
/// results comes later.
bool canMoveTo(RowwiseOp producer, RowwiseOp consumer) {
  for (Operation *user : producer->getUsers()) {
    Operation *inBlock = consumer->getBlock()->findAncestorOpInBlock(*user);
    if (!inBlock || (inBlock != consumer && inBlock->isBeforeInBlock(consumer)))
      return false;
  }
  return true;
}

/// A formula has at most 1,024 ops, its gradient about three times as many.
constexpr size_t maxOps = 1 << 12;

/// Why a row result of `producer` cannot be made where `consumer` reads it; or
/// null.
const char *findObstacle(RowwiseOp producer, RowwiseOp consumer) {
  if (producer->getBlock() != consumer->getBlock())
    return "it is in another block than the program that reads its rows";
  // A sum is complete only after the last row, also where it is read as rows.
  for (OpResult r :
       producer->getResults().drop_front(producer.getNumRowResults()))
    if (llvm::is_contained(consumer->getOperands(), Value(r)))
      return "what reads its rows reads its sums too, complete only after the "
             "last row";
  for (Value v : consumer.getShared())
    if (v.getDefiningOp() == producer)
      return "what reads its rows also reads all of them at once";
  int64_t p = producer.getRowLength(), c = consumer.getRowLength();
  if (p != c && p != 0 && c != 0)
    return "its rows have another length than those of the program that reads "
           "them";
  if (producer.getBlock().getOperations().size() +
          consumer.getBlock().getOperations().size() >
      maxOps)
    return "the two together would be longer than what compiles in reasonable "
           "time";
  if (!canMoveTo(producer, consumer))
    return "another op uses its results before the program that reads its rows";
  return nullptr;
}

RowwiseOp fuse(RowwiseOp producer, RowwiseOp consumer) {
  ImplicitLocOpBuilder b(FusedLoc::get(consumer.getContext(),
                                       {producer.getLoc(), consumer.getLoc()}),
                         consumer);
  llvm::SetVector<Value> rows(producer.getRows().begin(),
                              producer.getRows().end());
  for (Value v : consumer.getRows())
    if (v.getDefiningOp() != producer)
      rows.insert(v);
  llvm::SetVector<Value> shared(producer.getShared().begin(),
                                producer.getShared().end());
  shared.insert(consumer.getShared().begin(), consumer.getShared().end());

  // Results: rows of both, then sums of both; the producer's only where
  // something else uses them.
  SmallVector<OpResult> kept;
  auto keep = [&](RowwiseOp op, bool sums) {
    for (OpResult r : op->getResults()) {
      bool isSum = r.getResultNumber() >= op.getNumRowResults();
      bool used =
          op == consumer || llvm::any_of(r.getUsers(), [&](Operation *user) {
            return user != consumer;
          });
      if (isSum == sums && used)
        kept.push_back(r);
    }
  };
  keep(consumer, false), keep(producer, false);
  size_t numRowResults = kept.size();
  keep(consumer, true), keep(producer, true);

  auto fused = RowwiseOp::create(
      b, llvm::map_to_vector(kept, [](OpResult r) { return r.getType(); }),
      rows.getArrayRef(), shared.getArrayRef(), kept.size() - numRowResults);
  Block &block = fused.getBlock();
  IRMapping map;
  auto mapArguments = [&](RowwiseOp op) {
    for (auto [i, v] : llvm::enumerate(op->getOperands())) {
      if (v.getDefiningOp() == producer)
        continue;
      bool isRow = i < op.getRows().size();
      auto &set = isRow ? rows : shared;
      size_t position = llvm::find(set, v) - set.begin();
      map.map(op.getBlock().getArgument(i),
              block.getArgument(isRow ? position : rows.size() + position));
    }
  };
  auto cloneBody = [&](RowwiseOp op) {
    for (Operation &inner : op.getBlock().without_terminator())
      b.clone(inner, map);
  };
  auto yieldedOf = [&](OpResult r) {
    return cast<RowwiseOp>(r.getOwner())
        .getYield()
        .getOperand(r.getResultNumber());
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&block);
    mapArguments(producer);
    cloneBody(producer);
    mapArguments(consumer);
    for (auto [i, v] : llvm::enumerate(consumer->getOperands()))
      if (v.getDefiningOp() == producer)
        map.map(consumer.getBlock().getArgument(i),
                map.lookupOrDefault(yieldedOf(cast<OpResult>(v))));
    cloneBody(consumer);
    YieldOp::create(b, llvm::map_to_vector(kept, [&](OpResult r) {
                      return map.lookupOrDefault(yieldedOf(r));
                    }));
  }
  for (auto [old, result] : llvm::zip(kept, fused.getResults()))
    old.replaceUsesWithIf(
        result, [&](OpOperand &use) { return use.getOwner() != consumer; });
  consumer.erase();
  producer.erase();
  return fused;
}

struct FuseRowwisePass : geo::impl::GeoFuseRowwiseBase<FuseRowwisePass> {
  void runOnOperation() override {
    SmallVector<RowwiseOp> worklist;
    getOperation()->walk([&](RowwiseOp op) { worklist.push_back(op); });
    // Consumers last to first, so that chains collapse into their ends.
    while (!worklist.empty()) {
      RowwiseOp consumer = worklist.pop_back_val();
      llvm::SmallSetVector<Operation *, 4> kept;
      for (Value v : consumer.getRows()) {
        auto producer = v.getDefiningOp<RowwiseOp>();
        if (!producer)
          continue;
        if (const char *obstacle = findObstacle(producer, consumer)) {
          if (kept.insert(producer))
            remarkNotFused(producer, remarkName) << obstacle;
          continue;
        }
        remarkFused(producer, remarkName)
            << "merged into the program that reads its rows";
        llvm::erase(worklist, producer);
        worklist.push_back(fuse(producer, consumer));
        break;
      }
    }
  }

private:
  static constexpr StringLiteral remarkName = "fuse-rowwise";
};

} // namespace
