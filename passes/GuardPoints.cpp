// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Passes.h"
#include "passes/expand/Expand.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOGUARDPOINTS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

std::string describe(Operation *op) {
  std::string site = op->getName().getStringRef().str();
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    site += " at " + place.getFilename().str() + ':' +
            std::to_string(place.getLine());
  return site;
}

/// Reports the rows of `x` that are outside, before `op`, which uses them.
void guard(Operation *op, Value x, ValueRange curvature) {
  ManifoldInterface manifold = getManifold(x.getType());
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto type = cast<RankedTensorType>(x.getType());
  Value plain = toPlain(b, x);
  auto numbers = RankedTensorType::get({type.getDimSize(0)}, b.getF64Type());
  (void)forEachFactor(
      manifold, type.getDimSize(1), getCurvatureValues(b, manifold, curvature),
      [&](const Factor &factor, int64_t offset, ArrayRef<Value> own) {
        ManifoldInterface inner = factor.getManifold();
        if (!inner.hasFormula("domain_norm", op) ||
            !inner.hasFormula("domain_limit", op))
          return success();
        Value part = takeColumns(b, plain, offset, factor.width);
        auto rowwise = RowwiseOp::create(b, {numbers, numbers}, part, own);
        OpBuilder::InsertionGuard restore(b);
        b.setInsertionPointToEnd(&rowwise.getBlock());
        SmallVector<Ex> all;
        for (Value v : rowwise.getBlock().getArguments())
          all.emplace_back(b, v);
        ArrayRef<Ex> c = ArrayRef(all).drop_front();
        Ex norm = inner.emit("domain_norm", all.front(), c, op);
        Ex limit = inner.emit("domain_limit", all.front(), c, op);
        YieldOp::create(b, {norm.get(), limit.get()});
        b.setInsertionPointAfter(rowwise);
        ReportOutsideOp::create(b, rowwise.getResult(0), rowwise.getResult(1),
                                describe(op));
        return success();
      });
}

struct GuardPointsPass : geo::impl::GeoGuardPointsBase<GuardPointsPass> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp f) {
      DenseSet<Value> guarded;
      // Ops in the body of a scan are not looked at: the states that come out
      // are, where they are used.
      for (Block &block : f.getBody())
        for (Operation &op : llvm::make_early_inc_range(block)) {
          auto user = dyn_cast<PointsOpInterface>(op);
          if (!user)
            continue;
          for (Value v : op.getOperands()) {
            auto type = dyn_cast<RankedTensorType>(v.getType());
            if (type && getManifold(type) && type.getRank() == 2 &&
                guarded.insert(v).second)
              guard(&op, v, user.getCurvatureOperands());
          }
        }
    });
  }
};

} // namespace
