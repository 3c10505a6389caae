// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Work.h"
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace geo::cpu;

ModuleOp Work::getModule(Gen &g) {
  return g.b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
}

Value Work::getThreadCount(Gen &g) {
  static constexpr llvm::StringLiteral name = "geo_rt_num_threads";
  Type i64 = g.b.getI64Type();
  declareRuntime(g.b, getModule(g), name, {}, i64);
  auto call = func::CallOp::create(g.b, name, i64);
  return arith::IndexCastOp::create(g.b, g.index(), call.getResult(0));
}

void Work::onThreads(Gen &g, function_ref<void(Value, Value)> body) {
  if (scan)
    return body(g.idx(0), g.idx(1));
  Value count = getThreadCount(g);
  g.parallel(count,
             [&](Value tid) { withBuffers(g, [&] { body(tid, count); }); });
}

void Work::withBuffers(Gen &g, function_ref<void()> body) {
  Values buffers;
  threadBuffers = &buffers;
  body();
  threadBuffers = nullptr;
  for (Value buffer : buffers)
    g.dealloc(buffer);
}

Value Work::makeBuffer(Gen &g, function_ref<Value()> make) {
  if (!scan) {
    Value buffer = make();
    threadBuffers->push_back(buffer);
    return buffer;
  }
  OpBuilder::InsertionGuard guard(g.b);
  g.b.setInsertionPoint(scan->timeLoop);
  Value buffer = make();
  scan->threadBuffers.push_back(buffer);
  return buffer;
}

std::pair<Value, Value> Work::getPart(Gen &g, Value total, int64_t unit,
                                      Value tid, Value count) {
  Value units = g.ceilDiv(total, g.idx(unit));
  auto bound = [&](Value t) {
    return g.min(g.mul(g.div(g.mul(t, units), count), unit), total);
  };
  return {bound(tid), bound(g.add(tid, 1))};
}
