// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise_grad: the products of a block's coefficients.
#include "lowering/cpu/PairBackward.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Values Backward::ifVisited(Value panel, Value row, ValueRange carried,
                           function_ref<Values()> body) {
  return isFused ? skips.ifVisited(panel, row, carried, body) : body();
}

/// Rows of x up to a whole tile, which coefficients of zero meet.
void Backward::zeroPadding() {
  g.forLoop(program.count, program.tiledCount, g.idx(1), [&](Value i) {
    for (unsigned k = 0; k < program.pair.numGrams(); ++k)
      g.forLoop(depthPanels(k), [&](Value p) {
        for (int64_t v = 0; v < tile.vectors; ++v)
          g.storeVector(g.zero(tile.vector()), packedRows[k],
                        {p, i, g.idx(v * tile.lanes)});
      });
  });
}

/// The share of one pair with coefficient `a`, in the form of the products:
/// dX = 2 (.. - product), dY = 2 (.. - part) for differences.
void Backward::addByDifference(unsigned k, Value row, Value i, Value j,
                               Value a) {
  const PairOperands &pair = program.pair;
  VectorType vector = tile.vector();
  Value scale = g.broadcast(a, vector);
  g.forMasked(
      g.idx(0), g.dim(pair.xs[k], 1), tile.lanes, [&](Value p, Value mask) {
        Value x = g.loadPart(pair.xs[k], {i, p}, vector, mask);
        Value y = g.loadPart(pair.ys[k], {j, p}, vector, mask);
        Value forX = y, forY = x;
        if (pair.isDifference(k)) {
          forX = g.fsub(y, x);
          forY = g.fsub(x, y);
        }
        auto addTo = [&](Value memref, Value at, Value v) {
          Value sum = g.fma(scale, v, g.loadVector(memref, {at, p}, vector));
          g.storeVector(sum, memref, {at, p});
        };
        addTo(products[k], row, forX);
        addTo(yParts[k], j, forY);
      });
}

/// product[R, d] += A[R, block] Y[block, d].
void Backward::emitProductForX(unsigned k, Value p0, Value p1) {
  VectorType vector = tile.vector();
  Value width = g.idx(tile.panel());
  g.forLoop(depthPanels(k), [&](Value dp) {
    g.forLoop(g.idx(0), program.tiledCount, g.idx(tile.rows), [&](Value row) {
      auto forTile = [&](function_ref<void(int64_t, ValueRange)> body) {
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t v = 0; v < tile.vectors; ++v)
            body(r * tile.vectors + v,
                 {g.add(row, r), g.add(g.mul(dp, width), v * tile.lanes)});
      };
      Values acc;
      forTile([&](int64_t, ValueRange at) {
        acc.push_back(g.loadVector(products[k], at, vector));
      });
      acc = g.forLoop(p0, p1, g.idx(1), acc, [&](Value p, ValueRange carried) {
        Value local = g.sub(p, blockStart);
        return ifVisited(p, row, carried, [&] {
          return emitTile(
              g, tile, g.idx(0), width,
              [&](int64_t r, Value j) {
                return g.load(coefficients[k], {local, g.add(row, r), j});
              },
              [&](int64_t v, Value j) {
                return g.loadVector(
                    packedY[k],
                    {dp, g.add(g.mul(p, width), j), g.idx(v * tile.lanes)},
                    vector);
              },
              carried);
        });
      });
      forTile([&](int64_t n, ValueRange at) {
        g.storeVector(acc[n], products[k], at);
      });
    });
  });
}

/// part[block, d] += A[R, block]^T X[R, d].
void Backward::emitProductForY(unsigned k, Value p0, Value p1) {
  VectorType vector = tile.vector();
  Value width = g.idx(tile.panel());
  g.forLoop(p0, p1, g.idx(1), [&](Value p) {
    Value local = g.sub(p, blockStart);
    g.forLoop(depthPanels(k), [&](Value dp) {
      g.forLoop(g.idx(0), width, g.idx(tile.rows), [&](Value m) {
        Values start(tile.rows * tile.vectors, g.zero(vector));
        // By tiles of rows, as they are visited.
        Values acc = g.forLoop(
            g.idx(0), program.tiledCount, g.idx(tile.rows), start,
            [&](Value row, ValueRange carried) {
              return ifVisited(p, row, carried, [&] {
                return emitTile(
                    g, tile, g.idx(0), g.idx(tile.rows),
                    [&](int64_t r, Value i) {
                      return g.load(coefficients[k],
                                    {local, g.add(row, i), g.add(m, r)});
                    },
                    [&](int64_t v, Value i) {
                      return g.loadVector(
                          packedRows[k],
                          {dp, g.add(row, i), g.idx(v * tile.lanes)}, vector);
                    },
                    carried);
              });
            });
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t v = 0; v < tile.vectors; ++v) {
            Values at = {g.add(g.add(g.mul(p, width), m), r),
                         g.add(g.mul(dp, width), v * tile.lanes)};
            Value x = acc[r * tile.vectors + v];
            g.storeVector(g.fadd(g.loadVector(yParts[k], at, vector), x),
                          yParts[k], at);
          }
      });
    });
  });
}
