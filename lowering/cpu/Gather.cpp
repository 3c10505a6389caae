// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.gather splits rows over threads; geo.scatter_add splits columns, so that
// every element adds its rows in the order of i whatever the threads.
#include "lowering/cpu/Gather.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

static Value loadId(Gen &g, Value ids, Value i) {
  return arith::IndexCastOp::create(g.b, g.index(), g.load(ids, i));
}

LogicalResult geo::cpu::emitGather(Work &work, Gen &g, GatherOp op,
                                   ValueRange operands, Value out) {
  Value table = operands[0], ids = operands[1];
  VectorType type = Gen::vectorOf(work.target.lanes, Gen::elementOf(out));
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, work.getRows(g, ids), 1, tid, count);
    Value length = g.dim(table, 1);
    g.forLoop(lower, upper, g.idx(1), [&](Value i) {
      Value id = loadId(g, ids, i);
      g.forMasked(g.idx(0), length, work.target.lanes,
                  [&](Value j, Value mask) {
                    Value x = g.loadPart(table, {id, j}, type, mask);
                    g.storePart(x, out, {i, j}, mask);
                  });
    });
  });
  return success();
}

LogicalResult geo::cpu::emitScatterAdd(Work &work, Gen &g, ScatterAddOp op,
                                       ValueRange operands, Value out) {
  Value rows = operands[0], ids = operands[1];
  int64_t lanes = work.target.lanes;
  VectorType type = Gen::vectorOf(lanes, Gen::elementOf(out));
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, g.dim(out, 1), lanes, tid, count);
    auto forColumns = [&, lower = lower,
                       upper = upper](function_ref<void(Value, Value)> body) {
      g.forMasked(lower, upper, lanes, body);
    };
    g.forLoop(g.dim(out, 0), [&](Value v) {
      forColumns([&](Value j, Value mask) {
        g.storePart(g.zero(type), out, {v, j}, mask);
      });
    });
    g.forLoop(g.dim(ids, 0), [&](Value i) {
      Value id = loadId(g, ids, i);
      forColumns([&](Value j, Value mask) {
        Value sum = g.fadd(g.loadPart(out, {id, j}, type, mask),
                           g.loadPart(rows, {i, j}, type, mask));
        g.storePart(sum, out, {id, j}, mask);
      });
    });
  });
  return success();
}
