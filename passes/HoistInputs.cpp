// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a recurrence that wait for no state, before its loop.
#include "dialect/Geo.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"
#include "passes/differentiate/Adjoint.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOHOISTINPUTS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

class Hoisting {
public:
  explicit Hoisting(ScanOp scan)
      : scan(scan), b(scan.getLoc(), scan), body(scan.getBlock()) {}

  void run();

private:
  bool isOfInputs(Value v) const { return ofInputs.contains(v); }
  bool isFixed(Value v) const { return fixed.contains(v); }
  void classify(Operation &op);
  /// The value for the rows of all steps, at the builder.
  Value lift(Value v);

  ScanOp scan;
  ImplicitLocOpBuilder b;
  Block &body;
  /// What is the same at every step.
  llvm::DenseSet<Value> fixed;
  /// Rows that depend on the inputs of their step, each with an input
  /// [T, B, ...] that has as many.
  llvm::DenseMap<Value, Value> ofInputs;
  IRMapping lifted;
};

} // namespace

void Hoisting::classify(Operation &op) {
  auto ofRows = [&](Value v) { return isOfInputs(v); };
  auto isSame = [&](Value v) { return isFixed(v); };
  if (llvm::all_of(op.getOperands(), isSame)) {
    fixed.insert(op.getResults().begin(), op.getResults().end());
    return;
  }
  bool keepsRows = false;
  if (auto program = dyn_cast<RowwiseOp>(op))
    keepsRows = program.getNumSums() == 0 &&
                llvm::all_of(program.getRows(), ofRows) &&
                llvm::all_of(program.getShared(), isSame);
  else if (auto product = dyn_cast<MatmulOp>(op))
    keepsRows = !product.getTransposeA() && isOfInputs(product.getA()) &&
                isFixed(product.getB());
  else if (auto gather = dyn_cast<GatherOp>(op))
    keepsRows = isFixed(gather.getTable()) && isOfInputs(gather.getIds());
  if (!keepsRows)
    return;
  Value rows = *llvm::find_if(op.getOperands(), ofRows);
  for (Value result : op.getResults())
    ofInputs[result] = ofInputs.lookup(rows);
}

Value Hoisting::lift(Value v) {
  if (Value known = lifted.lookupOrNull(v))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    unsigned i = argument.getArgNumber();
    Value operand = scan->getOperand(i);
    Value all = isOfInputs(v) ? flattenSteps(b, operand) : operand;
    lifted.map(v, all);
    return all;
  }
  Operation *op = v.getDefiningOp();
  for (Value operand : op->getOperands())
    lift(operand);
  Operation *clone = b.clone(*op, lifted);
  if (!isOfInputs(v))
    return lifted.lookup(v);
  Value rows = lifted.lookup(*llvm::find_if(
      op->getOperands(), [&](Value x) { return isOfInputs(x); }));
  for (Value result : clone->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = cast<RankedTensorType>(rows.getType()).getDimSize(0);
    result.setType(RankedTensorType::get(shape, type.getElementType()));
  }
  return lifted.lookup(v);
}

void Hoisting::run() {
  for (auto [argument, input] :
       llvm::zip(scan.getInputArgs(), scan.getInputs()))
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && type.getRank() > 0)
      ofInputs[argument] = input;
  for (BlockArgument argument : scan.getSharedArgs())
    fixed.insert(argument);
  SmallVector<MatmulOp> products;
  for (Operation &op : body.without_terminator()) {
    classify(op);
    if (auto product = dyn_cast<MatmulOp>(op);
        product && isOfInputs(product.getResult()))
      products.push_back(product);
  }
  if (products.empty())
    return;
  SmallVector<Value> inputs(scan.getInputs());
  for (MatmulOp product : products) {
    b.setLoc(product.getLoc());
    inputs.push_back(unflattenSteps(b, lift(product.getResult()),
                                    ofInputs.lookup(product.getResult())));
    remarkFused(product, "hoist-inputs")
        << "moved before the loop: one product for all steps";
  }
  b.setLoc(scan.getLoc());
  unsigned position = scan.getNumStates() + scan.getInputs().size();
  auto hoisted = ScanOp::create(b, TypeRange(scan.getResultTypes()),
                                scan.getInit(), inputs, scan.getShared(),
                                scan.getTruncate(), scan.getReverse());
  hoisted.getBody().takeBody(scan.getBody());
  for (MatmulOp product : products) {
    Value argument = hoisted.getBlock().insertArgument(
        position++, product.getType(), product.getLoc());
    product.replaceAllUsesWith(argument);
  }
  for (MatmulOp product : llvm::reverse(products))
    product.erase();
  scan->replaceAllUsesWith(hoisted.getResults());
  scan.erase();
}

namespace {
struct HoistInputsPass : geo::impl::GeoHoistInputsBase<HoistInputsPass> {
  void runOnOperation() override {
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp scan) { scans.push_back(scan); });
    for (ScanOp scan : scans)
      Hoisting(scan).run();
  }
};
} // namespace
