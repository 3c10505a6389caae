// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What many calls have in common, computed before the first of them.
#include "dialect/Geo.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOSPLITPREPARED
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// What a function computes from its first arguments alone.
class Prepared {
public:
  Prepared(func::FuncOp func, unsigned numFixed);

  /// Moves it to a function of its own.
  void split();

private:
  bool isFixed(Value v) const { return fixed.contains(v); }
  /// True if it took a construct to compute `v`: neither an argument nor a
  /// constant, nor a view of one.
  bool isComputed(Value v) const { return computed.contains(v); }
  /// True if a caller knows the size of `v`.
  static bool isStatic(Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.hasStaticShape();
  }
  void classify(Operation &op);

  func::FuncOp func;
  const unsigned numFixed;
  llvm::DenseSet<Value> fixed, computed;
  llvm::SetVector<Operation *> fixedOps;
};

} // namespace

Prepared::Prepared(func::FuncOp func, unsigned numFixed)
    : func(func), numFixed(numFixed) {
  for (BlockArgument argument : func.getArguments().take_front(numFixed))
    fixed.insert(argument);
  for (Operation &op : func.front().without_terminator())
    classify(op);
}

void Prepared::classify(Operation &op) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op.getRegions(), above);
  above.insert_range(op.getOperands());
  auto isThisFixed = [&](Value v) { return isFixed(v); };
  if (!isMemoryEffectFree(&op) || !llvm::all_of(above, isThisFixed))
    return;
  fixedOps.insert(&op);
  fixed.insert_range(op.getResults());
  bool isConstruct = isa<GeoDialect>(op.getDialect()) && !isa<DetachOp>(op);
  if (isConstruct ||
      llvm::any_of(above, [&](Value v) { return isComputed(v); }))
    computed.insert_range(op.getResults());
}

void Prepared::split() {
  SmallVector<Value> prepared;
  auto isNeeded = [&](Value v) {
    return llvm::any_of(v.getUsers(), [&](Operation *user) {
      Operation *outer = func.front().findAncestorOpInBlock(*user);
      return !fixedOps.contains(outer);
    });
  };
  for (Operation *op : fixedOps)
    for (Value v : op->getResults())
      if (isComputed(v) && isStatic(v) && isNeeded(v))
        prepared.push_back(v);

  // 1. The function that prepares.
  OpBuilder b(func);
  TypeRange types = func.getArgumentTypes().take_front(numFixed);
  auto prepare = func::FuncOp::create(
      b, func.getLoc(), (func.getName() + ".prepare").str(),
      b.getFunctionType(types, ValueRange(prepared).getTypes()));
  Block *entry = prepare.addEntryBlock();
  b.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(func.getArguments().take_front(numFixed), entry->getArguments());
  for (Operation *op : fixedOps)
    b.clone(*op, mapping);
  SmallVector<Value> results =
      llvm::map_to_vector(prepared, [&](Value v) { return mapping.lookup(v); });
  func::ReturnOp::create(b, func.getLoc(), results);

  // 2. The other one takes what that returns.
  for (Value v : prepared) {
    unsigned last = func.getNumArguments();
    if (failed(func.insertArgument(last, v.getType(), {}, v.getLoc())))
      llvm_unreachable("an argument of a function with a body");
    v.replaceUsesWithIf(func.getArgument(last), [&](OpOperand &use) {
      return !fixedOps.contains(
          func.front().findAncestorOpInBlock(*use.getOwner()));
    });
  }
  for (Operation *op : llvm::reverse(fixedOps))
    if (op->use_empty())
      op->erase();
}

namespace {
struct SplitPreparedPass : geo::impl::GeoSplitPreparedBase<SplitPreparedPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto func = module.lookupSymbol<func::FuncOp>(function);
    if (!func || func.isExternal()) {
      module.emitError("geo-split-prepared expects a function @")
          << function << " with a body, but got none";
      return signalPassFailure();
    }
    if (fixed > func.getNumArguments()) {
      func.emitError("geo-split-prepared expects at most ")
          << func.getNumArguments() << " fixed arguments, but got "
          << uint64_t(fixed);
      return signalPassFailure();
    }
    std::string name = func.getName().str() + ".prepare";
    if (module.lookupSymbol(name)) {
      func.emitError("geo-split-prepared expects no function @")
          << name << ", but got one";
      return signalPassFailure();
    }
    Prepared(func, fixed).split();
  }
};
} // namespace
