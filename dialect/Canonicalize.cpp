// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Canonical forms of row programs and scans: no operand or result that nothing
// reads, and none that only passes through.
#include "dialect/Geo.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace geo;

namespace {

/// Merges equal operands, and drops those whose region argument has no use; one
/// row operand stays, since it gives the number of rows.
struct PruneRowwiseOperands : OpRewritePattern<RowwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    Block &block = op.getBlock();
    unsigned numRows = op.getRows().size();
    bool merged = false;
    for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i)
      for (unsigned j = 0; j < i; ++j)
        if (op->getOperand(i) == op->getOperand(j) &&
            (i < numRows) == (j < numRows) &&
            !block.getArgument(i).use_empty()) {
          rewriter.replaceAllUsesWith(block.getArgument(i),
                                      block.getArgument(j));
          merged = true;
        }
    llvm::BitVector unused(op->getNumOperands());
    for (BlockArgument arg : block.getArguments())
      if (arg.use_empty())
        unused.set(arg.getArgNumber());
    // Number operands are cheaper to carry along than rows.
    int kept = -1;
    for (unsigned i = 0; i < numRows && !unused.none(); ++i) {
      if (!unused.test(i)) {
        kept = -1;
        break;
      }
      auto rank = [&](unsigned k) {
        return cast<RankedTensorType>(op->getOperand(k).getType()).getRank();
      };
      if (kept < 0 || rank(i) < rank(kept))
        kept = i;
    }
    if (kept >= 0)
      unused.reset(kept);
    if (unused.none())
      return success(merged);
    SmallVector<Value> rows, shared;
    for (auto [i, v] : llvm::enumerate(op->getOperands()))
      if (!unused.test(i))
        (i < numRows ? rows : shared).push_back(v);
    auto pruned = RowwiseOp::create(rewriter, op.getLoc(), op.getResultTypes(),
                                    rows, shared, op.getNumSums());
    rewriter.eraseBlock(&pruned.getBlock());
    rewriter.modifyOpInPlace(op, [&] { block.eraseArguments(unused); });
    rewriter.inlineRegionBefore(op.getBody(), pruned.getBody(),
                                pruned.getBody().end());
    rewriter.replaceOp(op, pruned.getResults());
    return success();
  }
};

/// A row that comes out as it went in is the operand.
struct ForwardRows : OpRewritePattern<RowwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool forwarded = false;
    for (auto [i, v] : llvm::enumerate(op.getYield().getValues())) {
      auto argument = dyn_cast<BlockArgument>(v);
      if (i >= op.getNumRowResults() || !argument ||
          argument.getArgNumber() >= op.getRows().size() ||
          op.getResult(i).use_empty())
        continue;
      Value operand = op.getRows()[argument.getArgNumber()];
      if (operand.getType() != op.getResult(i).getType())
        continue;
      rewriter.replaceAllUsesWith(op.getResult(i), operand);
      forwarded = true;
    }
    return success(forwarded);
  }
};

/// Drops results without uses; one stays for a program that has no other.
struct PruneRowwiseResults : OpRewritePattern<RowwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RowwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (op.use_empty() ||
        llvm::none_of(op.getResults(), [](Value v) { return v.use_empty(); }))
      return rewriter.notifyMatchFailure(op, "every result is used, or none");
    SmallVector<Type> types;
    SmallVector<Value> yielded, used;
    int64_t numSums = 0;
    for (OpResult r : op->getResults()) {
      if (r.use_empty())
        continue;
      types.push_back(r.getType());
      used.push_back(r);
      yielded.push_back(op.getYield().getOperand(r.getResultNumber()));
      numSums += r.getResultNumber() >= op.getNumRowResults();
    }
    auto pruned = RowwiseOp::create(rewriter, op.getLoc(), types, op.getRows(),
                                    op.getShared(), numSums);
    rewriter.eraseBlock(&pruned.getBlock());
    rewriter.inlineRegionBefore(op.getBody(), pruned.getBody(),
                                pruned.getBody().end());
    rewriter.modifyOpInPlace(pruned.getYield(),
                             [&] { pruned.getYield()->setOperands(yielded); });
    for (auto [old, result] : llvm::zip(used, pruned.getResults()))
      rewriter.replaceAllUsesWith(old, result);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Drops unused inputs (one stays: it gives the number of steps), unused shared
/// operands, and stacked outputs that nothing reads.
struct PruneScan : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScanOp op,
                                PatternRewriter &rewriter) const override {
    unsigned numStates = op.getNumStates(), numInputs = op.getInputs().size();
    llvm::BitVector unused(op->getNumOperands()), dead(op->getNumResults());
    for (unsigned i = numStates, e = op->getNumOperands(); i < e; ++i)
      if (op.getBlock().getArgument(i).use_empty())
        unused.set(i);
    bool usesInput =
        llvm::any_of(op.getInputArgs(), [](Value v) { return !v.use_empty(); });
    if (!usesInput)
      unused.reset(numStates);
    for (unsigned i = numStates, e = op->getNumResults(); i < e; ++i)
      if (op->getResult(i).use_empty())
        dead.set(i);
    if (unused.none() && dead.none())
      return rewriter.notifyMatchFailure(op, "everything is used");
    SmallVector<Value> inputs, shared, kept;
    SmallVector<Type> types;
    for (unsigned i = numStates, e = op->getNumOperands(); i < e; ++i)
      if (!unused.test(i))
        (i < numStates + numInputs ? inputs : shared)
            .push_back(op->getOperand(i));
    for (OpResult r : op->getResults())
      if (!dead.test(r.getResultNumber())) {
        kept.push_back(r);
        types.push_back(r.getType());
      }
    auto pruned =
        ScanOp::create(rewriter, op.getLoc(), types, op.getInit(), inputs,
                       shared, op.getTruncate(), op.getReverse());
    rewriter.eraseBlock(&pruned.getBlock());
    rewriter.modifyOpInPlace(op, [&] { op.getBlock().eraseArguments(unused); });
    rewriter.inlineRegionBefore(op.getBody(), pruned.getBody(),
                                pruned.getBody().end());
    rewriter.modifyOpInPlace(pruned.getYield(),
                             [&] { pruned.getYield()->eraseOperands(dead); });
    for (auto [old, result] : llvm::zip(kept, pruned.getResults()))
      rewriter.replaceAllUsesWith(old, result);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void RowwiseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ForwardRows, PruneRowwiseOperands, PruneRowwiseResults>(context);
}

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<PruneScan>(context);
}
