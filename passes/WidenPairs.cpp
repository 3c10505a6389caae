// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that pair programs of f64 arithmetic read, in f64.
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOWIDENPAIRS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

bool isNarrow(Value v) { return getElementTypeOrSelf(v.getType()).isF32(); }

/// Every element of a matrix cast to `type`.
Value castElements(ImplicitLocOpBuilder &b, Value x, FloatType type) {
  auto to = cast<RankedTensorType>(x.getType()).clone(type);
  auto rows = RowwiseOp::create(b, to, x, ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&rows.getBlock());
  Value row = rows.getBlock().getArgument(0);
  Type rowType = RowwiseOp::getRowType(to);
  Value made = type.isF64() ? arith::ExtFOp::create(b, rowType, row).getResult()
                            : arith::TruncFOp::create(b, rowType, row);
  YieldOp::create(b, made);
  return rows.getResult(0);
}

class PairWidening {
public:
  /// False where the result, which is as wide as the rows, could not be rounded
  /// again: a row program needs rows of static length.
  static bool isPossible(PairwiseOp op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    return op.getReducer() == Reducer::nll || !type.isDynamicDim(1);
  }

  void run(PairwiseOp op) {
    SmallVector<Value> xs =
        llvm::map_to_vector(op.getXs(), [&](Value x) { return getWide(x); });
    SmallVector<Value> ys =
        llvm::map_to_vector(op.getYs(), [&](Value y) { return getWide(y); });
    for (Value scalars : op.getRowScalars())
      readWide(scalars);
    for (Value scalars : op.getColumnScalars())
      readWide(scalars);
    SmallVector<GramKind> grams;
    for (unsigned k = 0; k < op.getNumGrams(); ++k)
      grams.push_back(op.getGramKind(k));
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto wide = PairwiseOp::create(
        b, op.getReducer(), grams, op.getMathType(), xs, ys, op.getRowScalars(),
        op.getColumnScalars(), op.getShared(), op.getTargets());
    wide.getBody().takeBody(op.getBody());
    for (auto [result, made] : llvm::zip(op.getResults(), wide.getResults())) {
      Value value = made;
      if (made.getType() != result.getType())
        value = castElements(b, made, b.getF32Type());
      result.replaceAllUsesWith(value);
    }
    op.erase();
  }

private:
  /// `x` as f64, right where it is made.
  Value getWide(Value x) {
    if (!isNarrow(x))
      return x;
    Value &twin = twins[x];
    if (twin)
      return twin;
    ImplicitLocOpBuilder b(x.getLoc(), x.getContext());
    b.setInsertionPointAfterValue(x);
    return twin = castElements(b, x, b.getF64Type());
  }

  /// The row program that makes `scalars` takes its rows from the twins: what
  /// it does to a row stays, but the gradient of the row is not rounded.
  void readWide(Value scalars) {
    auto sides = scalars.getDefiningOp<RowwiseOp>();
    if (!sides)
      return;
    for (auto [i, row] : llvm::enumerate(sides.getRows())) {
      Value twin = twins.lookup(row);
      if (!twin)
        continue;
      BlockArgument argument = sides.getBlock().getArgument(i);
      Type narrow = argument.getType();
      argument.setType(
          RowwiseOp::getRowType(cast<RankedTensorType>(twin.getType())));
      OpBuilder b = OpBuilder::atBlockBegin(&sides.getBlock());
      auto rounded =
          arith::TruncFOp::create(b, sides.getLoc(), narrow, argument);
      argument.replaceAllUsesExcept(rounded, rounded);
      sides->setOperand(i, twin);
    }
  }

  DenseMap<Value, Value> twins;
};

struct WidenPairsPass : geo::impl::GeoWidenPairsBase<WidenPairsPass> {
  void runOnOperation() override {
    SmallVector<PairwiseOp> ops;
    getOperation()->walk([&](PairwiseOp op) {
      if (!op.getMathType().isF64())
        return;
      if (!PairWidening::isPossible(op)) {
        remarkNotFused(op, remarkName)
            << "its result has rows of unknown length, which no row program "
               "could round";
        return;
      }
      remarkFused(op, remarkName) << "reads its rows in f64";
      ops.push_back(op);
    });
    PairWidening widening;
    for (PairwiseOp op : ops)
      widening.run(op);
  }

private:
  static constexpr StringLiteral remarkName = "widen-pairs";
};

} // namespace
