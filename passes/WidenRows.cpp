// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows between the reads and writes of a row program, in f64.
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOWIDENROWS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

bool isNarrowRow(Type type) {
  auto row = dyn_cast<VectorType>(type);
  return row && row.getElementType().isF32();
}

Type toWide(Type type) {
  auto row = cast<VectorType>(type);
  return row.clone(Float64Type::get(row.getContext()));
}

class Widening {
public:
  explicit Widening(RowwiseOp op) : op(op), b(op.getContext()) {}

  /// Only rows that take part in sums of products gain: the others are one
  /// rounding an element anyway.
  static bool isWorthwhile(RowwiseOp op) {
    return llvm::any_of(op.getBlock(), [](Operation &inner) {
      return isa<DotOp, ScaleOp>(inner) &&
             isNarrowRow(
                 inner.getOperand(inner.getNumOperands() - 1).getType());
    });
  }

  void run() {
    Block &block = op.getBlock();
    SmallVector<Operation *> ops = llvm::map_to_vector(
        block.without_terminator(), [](Operation &inner) { return &inner; });
    b.setInsertionPointToStart(&block);
    for (BlockArgument argument : block.getArguments())
      if (isNarrowRow(argument.getType()))
        widen(argument);
    for (Operation *inner : ops)
      rewrite(inner);
    Operation *yield = block.getTerminator();
    b.setInsertionPoint(yield);
    for (OpOperand &operand : yield->getOpOperands())
      if (Value narrow = getNarrow(operand.get()))
        operand.set(narrow);
    for (Operation *inner : llvm::reverse(dead))
      inner->erase();
  }

private:
  /// A row that stays as it is, followed by its wide twin.
  void widen(Value narrow) {
    wide[narrow] = arith::ExtFOp::create(b, narrow.getLoc(),
                                         toWide(narrow.getType()), narrow);
  }

  Value getWide(Value v) {
    Value twin = wide.lookup(v);
    return twin ? twin : v;
  }

  /// `v` rounded to f32, or null where it is not a row that was widened.
  Value getNarrow(Value v) {
    Value twin = wide.lookup(v);
    if (!twin)
      return nullptr;
    if (auto extension = twin.getDefiningOp<arith::ExtFOp>())
      return extension.getIn();
    auto row = cast<VectorType>(twin.getType());
    return arith::TruncFOp::create(b, twin.getLoc(), row.clone(b.getF32Type()),
                                   twin);
  }

  /// The op computes in f64: a twin takes its place.
  Operation *replaceByWide(Operation *inner) {
    b.setInsertionPoint(inner);
    Operation *twin = b.clone(*inner);
    for (OpOperand &operand : twin->getOpOperands())
      operand.set(getWide(operand.get()));
    for (auto [result, twinResult] :
         llvm::zip(inner->getResults(), twin->getResults())) {
      if (!isNarrowRow(result.getType())) {
        result.replaceAllUsesWith(twinResult);
        continue;
      }
      twinResult.setType(toWide(result.getType()));
      wide[result] = twinResult;
    }
    dead.push_back(inner);
    return twin;
  }

  /// The op computes in f32: what is dear in f64, and rounds once an element.
  void keep(Operation *inner) {
    b.setInsertionPoint(inner);
    for (OpOperand &operand : inner->getOpOperands())
      if (Value narrow = getNarrow(operand.get()))
        operand.set(narrow);
    b.setInsertionPointAfter(inner);
    for (Value result : inner->getResults())
      if (isNarrowRow(result.getType()))
        widen(result);
  }

  void rewrite(Operation *inner) {
    llvm::TypeSwitch<Operation *>(inner)
        .Case<DotOp, ScaleOp, DetachOp, arith::AddFOp, arith::SubFOp,
              arith::MulFOp, arith::DivFOp, arith::NegFOp, arith::SelectOp,
              arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp>(
            [&](auto) { replaceByWide(inner); })
        .Case([&](arith::ConstantOp constant) {
          auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
          if (!splat || !isNarrowRow(constant.getType()))
            return;
          double value = splat.getSplatValue<APFloat>().convertToDouble();
          Type type = toWide(constant.getType());
          b.setInsertionPoint(constant);
          wide[constant] = arith::ConstantOp::create(
              b, constant.getLoc(),
              DenseElementsAttr::get(cast<ShapedType>(type), value));
        })
        .Case([&](vector::BroadcastOp broadcast) {
          if (!isNarrowRow(broadcast.getType()))
            return;
          Value source = broadcast.getSource();
          if (!isa<FloatType>(source.getType()))
            return keep(broadcast);
          b.setInsertionPoint(broadcast);
          auto rounded = source.getDefiningOp<arith::TruncFOp>();
          source = rounded ? rounded.getIn()
                           : arith::ExtFOp::create(b, broadcast.getLoc(),
                                                   b.getF64Type(), source)
                                 .getResult();
          wide[broadcast] = vector::BroadcastOp::create(
              b, broadcast.getLoc(), toWide(broadcast.getType()), source);
        })
        // A row that was only rounded to go on is taken unrounded.
        .Case([&](arith::ExtFOp extension) {
          Value twin = wide.lookup(extension.getIn());
          if (!twin)
            return;
          extension.getResult().replaceAllUsesWith(twin);
          dead.push_back(extension);
        })
        .Case([&](arith::TruncFOp truncation) {
          if (isNarrowRow(truncation.getType()))
            wide[truncation] = truncation.getIn();
        })
        .Default([&](Operation *) { keep(inner); });
  }

  RowwiseOp op;
  OpBuilder b;
  /// The f64 twin of every f32 row.
  DenseMap<Value, Value> wide;
  /// What twins replace.
  SmallVector<Operation *> dead;
};

struct WidenRowsPass : geo::impl::GeoWidenRowsBase<WidenRowsPass> {
  void runOnOperation() override {
    getOperation()->walk([](RowwiseOp op) {
      if (!Widening::isWorthwhile(op))
        return;
      remarkFused(op, "widen-rows") << "its rows are computed in f64";
      Widening(op).run();
    });
  }
};

} // namespace
