// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/MicroKernel.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo::cpu;

Values geo::cpu::emitTile(Gen &g, const Tile &tile, Value lower, Value upper,
                          function_ref<Value(int64_t, Value)> loadA,
                          function_ref<Value(int64_t, Value)> loadB,
                          ValueRange init, bool isDifference) {
  Values start(init);
  if (start.empty())
    start.assign(tile.rows * tile.vectors, g.zero(tile.vector()));
  auto step = [&](Value k, Values &acc) {
    Values b;
    for (int64_t v = 0; v < tile.vectors; ++v)
      b.push_back(loadB(v, k));
    for (int64_t r = 0; r < tile.rows; ++r) {
      Value a = g.broadcast(loadA(r, k), tile.vector());
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value &x = acc[r * tile.vectors + v];
        if (isDifference) {
          Value difference = g.fsub(a, b[v]);
          x = g.fma(difference, difference, x);
        } else {
          x = g.fma(a, b[v], x);
        }
      }
    }
  };
  Value count = g.sub(upper, lower);
  Value middle =
      g.add(lower, g.mul(g.div(count, g.idx(tile.unroll)), tile.unroll));
  Values acc = g.forLoop(lower, middle, g.idx(tile.unroll), start,
                         [&](Value k, ValueRange carried) {
                           Values next(carried);
                           for (int64_t u = 0; u < tile.unroll; ++u)
                             step(u ? g.add(k, u) : k, next);
                           return next;
                         });
  if (getConstantIntValue(middle) && getConstantIntValue(upper) &&
      getConstantIntValue(middle) == getConstantIntValue(upper))
    return acc;
  return g.forLoop(middle, upper, g.idx(1), acc,
                   [&](Value k, ValueRange carried) {
                     Values next(carried);
                     step(k, next);
                     return next;
                   });
}

void geo::cpu::emitPack(Gen &g, const Tile &tile, Value b, bool isTransposed,
                        Value k0, Value depth, Value panels, Value p0,
                        Value p1) {
  int64_t width = tile.panel();
  Value columns = g.dim(b, isTransposed ? 0 : 1);
  g.forLoop(p0, p1, g.idx(1), [&](Value p) {
    Value first = g.mul(p, width);
    Value rest = g.sub(columns, first);
    if (isTransposed) {
      Value valid = g.min(rest, g.idx(width));
      g.forLoop(depth, [&](Value k) {
        Value from = g.add(k0, k);
        g.forLoop(valid, [&](Value j) {
          Value x = g.load(b, {g.add(first, j), from});
          g.store(g.convert(x, tile.element), panels, {p, k, j});
        });
        g.forLoop(valid, g.idx(width), g.idx(1), [&](Value j) {
          g.store(g.zero(tile.element), panels, {p, k, j});
        });
      });
      return;
    }
    Values masks;
    for (int64_t v = 0; v < tile.vectors; ++v)
      masks.push_back(
          g.maskBelow(g.sub(rest, g.idx(v * tile.lanes)), tile.lanes));
    g.forLoop(depth, [&](Value k) {
      for (int64_t v = 0; v < tile.vectors; ++v) {
        Value x = g.loadPart(b, {g.add(k0, k), g.add(first, v * tile.lanes)},
                             tile.vector(), masks[v]);
        g.storeVector(x, panels, {p, k, g.idx(v * tile.lanes)});
      }
    });
  });
}
