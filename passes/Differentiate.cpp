// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Passes.h"
#include "passes/differentiate/Adjoint.h"
#include <map>
#include <tuple>

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEODIFFERENTIATE
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// A function that returns the results of `callee`, then the gradients by the
/// arguments `wrt`: of its first result, or with `takesCotangents` of the
/// products of all results with the cotangents that follow the arguments.
FailureOr<func::FuncOp> deriveGradient(func::FuncOp callee,
                                       ArrayRef<int64_t> wrt,
                                       bool takesCotangents) {
  if (callee.isExternal() || !llvm::hasSingleElement(callee.getBody()))
    return callee.emitOpError("expects a body of one block to differentiate");
  if (!takesCotangents &&
      (callee.getNumResults() == 0 || !callee.getResultTypes()[0].isF64()))
    return callee.emitOpError("expects a first result of type f64 to "
                              "differentiate, but got ")
           << callee.getFunctionType();
  Block &source = callee.getBody().front();
  SmallVector<Type> results(callee.getResultTypes());
  for (int64_t i : wrt) {
    if (i < 0 || i >= callee.getNumArguments())
      return callee.emitOpError("expects wrt to hold indices of its ")
             << callee.getNumArguments() << " arguments, but got " << i;
    results.push_back(callee.getArgumentTypes()[i]);
  }
  SmallVector<Type> arguments(callee.getArgumentTypes());
  SmallVector<unsigned> seeded;
  for (auto [i, type] : llvm::enumerate(callee.getResultTypes()))
    if (takesCotangents && isa<FloatType>(getElementTypeOrSelf(type))) {
      arguments.push_back(type);
      seeded.push_back(i);
    }
  exposeFunctions(callee);
  ImplicitLocOpBuilder b(callee.getLoc(), callee);
  b.setInsertionPointAfter(callee);
  auto gradient =
      func::FuncOp::create(b, (callee.getName() + "_gradient").str(),
                           b.getFunctionType(arguments, results));
  gradient.setPrivate();
  b.setInsertionPointToEnd(gradient.addEntryBlock());
  IRMapping primal;
  primal.map(source.getArguments(),
             gradient.getArguments().take_front(source.getNumArguments()));
  for (Operation &op : source.without_terminator())
    b.clone(op, primal);

  Activity activity;
  for (int64_t i : wrt)
    activity.seed(source.getArgument(i));
  activity.propagate(source);
  Adjoint adjoint(b, primal, [&](Value v) { return activity.contains(v); });
  Operation *terminator = source.getTerminator();
  for (auto [result, cotangent] :
       llvm::zip(seeded,
                 gradient.getArguments().drop_front(source.getNumArguments())))
    adjoint.add(terminator->getOperand(result), cotangent);
  if (!takesCotangents)
    adjoint.add(terminator->getOperand(0),
                arith::ConstantOp::create(b, b.getF64FloatAttr(1.0)));
  if (failed(adjoint.propagate(source))) {
    gradient.erase();
    return failure();
  }
  b.setLoc(callee.getLoc());
  SmallVector<Value> returned;
  for (Value v : terminator->getOperands())
    returned.push_back(adjoint.getPrimal(v));
  for (int64_t i : wrt) {
    Value cotangent = adjoint.get(source.getArgument(i));
    returned.push_back(cotangent ? cotangent
                                 : makeZeros(b, gradient.getArgument(i)));
  }
  func::ReturnOp::create(b, returned);
  return gradient;
}

/// Own derivatives have served: what they belong to stands in their place.
void inlinePrograms(ModuleOp module) {
  module.walk<WalkOrder::PostOrder>([](WithVjpOp op) {
    IRRewriter rewriter(op);
    Block &body = op.getBody().front();
    Operation *yield = body.getTerminator();
    Value result = yield->getOperand(0);
    if (auto argument = dyn_cast<BlockArgument>(result))
      result = op.getArgs()[argument.getArgNumber()];
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&body, op, op.getArgs());
    rewriter.replaceOp(op, result);
  });
}

struct DifferentiatePass : geo::impl::GeoDifferentiateBase<DifferentiatePass> {
  using Base::Base;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    std::map<std::tuple<Operation *, std::vector<int64_t>, bool>, func::FuncOp>
        derived;
    auto derive = [&](func::FuncOp callee, ArrayRef<int64_t> wrt,
                      bool takesCotangents) -> func::FuncOp {
      func::FuncOp &gradient =
          derived[{callee.getOperation(), wrt.vec(), takesCotangents}];
      if (gradient)
        return gradient;
      FailureOr<func::FuncOp> made =
          deriveGradient(callee, wrt, takesCotangents);
      if (failed(made))
        return nullptr;
      made->getOperation()->remove();
      symbols.insert(*made, std::next(Block::iterator(callee)));
      return gradient = *made;
    };
    if (!function.empty()) {
      auto callee = symbols.lookup<func::FuncOp>(function);
      if (!callee) {
        module.emitError() << "geo-differentiate expects `function` to name a "
                              "function of the module, but got @"
                           << function;
        return signalPassFailure();
      }
      func::FuncOp gradient = derive(callee, wrt, cotangents);
      if (!gradient)
        return signalPassFailure();
      gradient.setPublic();
    }
    SmallVector<GradientOp> requests;
    module.walk([&](GradientOp op) { requests.push_back(op); });
    for (GradientOp op : requests) {
      auto callee = symbols.lookup<func::FuncOp>(op.getCallee());
      func::FuncOp gradient =
          callee ? derive(callee, op.getWrt(), false) : nullptr;
      if (!gradient)
        return signalPassFailure();
      OpBuilder b(op);
      auto call = func::CallOp::create(b, op.getLoc(), gradient, op.getArgs());
      op->replaceAllUsesWith(call.getResults());
      op.erase();
    }
    inlinePrograms(module);
  }
};

} // namespace
