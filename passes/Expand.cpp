// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops -> constructs, and points -> plain tensors.
#include "passes/expand/Expand.h"
#include "dialect/Geo.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Passes.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOEXPAND
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// Formulas stand in the programs that use them now.
void erasePages(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<ManifoldOp, FormulaOp>(op))
      op.erase();
}

/// Drops encodings everywhere, and the doors with them.
void stripPoints(Operation *module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    if (getManifold(type))
      return getPlainType(type);
    return std::nullopt;
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  SmallVector<Operation *> doors;
  module->walk([&](Operation *op) {
    if (isa<CoordsOp, PointOp>(op))
      doors.push_back(op);
  });
  for (Operation *door : doors) {
    door->getResult(0).replaceAllUsesWith(door->getOperand(0));
    door->erase();
  }
}

struct ExpandPass : geo::impl::GeoExpandBase<ExpandPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(isOnPairs(op) ? expandPairOp(op) : expandRowOp(op)))
        return signalPassFailure();
    erasePages(getOperation());
    stripPoints(getOperation());
  }
};

} // namespace
