// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.matmul: rows of the result over threads, columns where rows are few; the
// summed dimension where the result is small (a weight's gradient).
#include "lowering/cpu/Matmul.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

namespace {
class Product {
public:
  Product(Work &work, Gen &g, MatmulOp op, ValueRange operands, Value out)
      : work(work), g(g), tile(work.target, Gen::elementOf(out)),
        a(operands[0]), b(operands[1]), out(out),
        transposeA(op.getTransposeA()), transposeB(op.getTransposeB()) {
    rows = transposeA ? g.dim(a, 1) : work.getRows(g, a);
    depth = g.dim(b, transposeB ? 1 : 0);
    columns = g.dim(b, transposeB ? 0 : 1);
    panels = g.ceilDiv(columns, g.idx(tile.panel()));
  }

  void emit();

private:
  bool splitsDepth();
  void emitSplitDepth();
  void emitSplitResult(Value packed);
  /// C[m0:m1, panels p0:p1] (+)= over k in [k0, k1) of A's columns; packed
  /// panels start at k `packedFrom`.
  void emitBlock(Value c, Value m0, Value m1, Value p0, Value p1, Value k0,
                 Value k1, Value packed, Value packedFrom, bool isFirst);
  void emitTileAt(Value c, Value m, Value m1, Value p, Value k0, Value k1,
                  Value packed, Value packedFrom, bool isFirst);
  void zeroPart(Value m0, Value m1, Value p0, Value p1);

  Work &work;
  Gen &g;
  Tile tile;
  Value a, b, out, rows, depth, columns, panels;
  bool transposeA, transposeB;
};
} // namespace

void Product::emitTileAt(Value c, Value m, Value m1, Value p, Value k0,
                         Value k1, Value packed, Value packedFrom,
                         bool isFirst) {
  // Rows past the end read the last row; their sums are not stored.
  Value last = g.sub(m1, g.idx(1));
  Values at;
  for (int64_t r = 0; r < tile.rows; ++r)
    at.push_back(g.min(g.add(m, r), last));
  Values acc = emitTile(
      g, tile, k0, k1,
      [&](int64_t r, Value k) {
        return transposeA ? g.load(a, {k, at[r]}) : g.load(a, {at[r], k});
      },
      [&](int64_t v, Value k) {
        return g.loadVector(packed,
                            {p, g.sub(k, packedFrom), g.idx(v * tile.lanes)},
                            tile.vector());
      });
  Value first = g.mul(p, tile.panel());
  Value rest = g.sub(columns, first);
  Value isWhole = g.both(g.lessEqual(g.add(m, tile.rows), m1),
                         g.lessEqual(g.idx(tile.panel()), rest));
  auto forVectors =
      [&](function_ref<void(Value x, ValueRange at, int64_t r, int64_t v)>
              body) {
        for (int64_t r = 0; r < tile.rows; ++r)
          for (int64_t v = 0; v < tile.vectors; ++v)
            body(acc[r * tile.vectors + v],
                 {g.add(m, r), g.add(first, v * tile.lanes)}, r, v);
      };
  g.ifElseDo(
      isWhole,
      [&] {
        forVectors([&](Value x, ValueRange to, int64_t, int64_t) {
          if (!isFirst)
            x = g.fadd(g.loadVector(c, to, tile.vector()), x);
          g.storeVector(x, c, to);
        });
      },
      [&] {
        forVectors([&](Value x, ValueRange to, int64_t r, int64_t v) {
          Value valid = g.sub(rest, g.idx(v * tile.lanes));
          Value exists = g.less(g.add(m, r), m1);
          valid = g.select(exists, valid, g.idx(0));
          Value mask = g.maskBelow(valid, tile.lanes);
          if (!isFirst)
            x = g.fadd(g.loadMasked(c, to, tile.vector(), mask), x);
          g.storeMasked(x, c, to, mask);
        });
      });
}

void Product::emitBlock(Value c, Value m0, Value m1, Value p0, Value p1,
                        Value k0, Value k1, Value packed, Value packedFrom,
                        bool isFirst) {
  g.forLoop(p0, p1, g.idx(1), [&](Value p) {
    g.forLoop(m0, m1, g.idx(tile.rows), [&](Value m) {
      emitTileAt(c, m, m1, p, k0, k1, packed, packedFrom, isFirst);
    });
  });
}

void Product::zeroPart(Value m0, Value m1, Value p0, Value p1) {
  Value n0 = g.mul(p0, tile.panel());
  Value n1 = g.min(g.mul(p1, tile.panel()), columns);
  Value part = g.window(g.window(out, 0, m0, g.sub(m1, m0)), 1, n0,
                        g.max(g.sub(n1, n0), g.idx(0)));
  g.fillZero(part, tile.lanes);
}

void Product::emitSplitResult(Value packed) {
  int64_t blockDepth = work.target.depth;
  std::optional<int64_t> known = getConstantIntValue(depth);
  bool isShallow = known && *known <= 2 * blockDepth;
  work.onThreads(g, [&](Value tid, Value count) {
    // By rows, unless these are fewer than there are threads to serve.
    Value byRows = g.lessEqual(g.mul(count, tile.rows), rows);
    auto [r0, r1] = Work::getPart(g, rows, tile.rows, tid, count);
    auto [c0, c1] = Work::getPart(g, panels, 1, tid, count);
    Value m0 = g.select(byRows, r0, g.idx(0));
    Value m1 = g.select(byRows, r1, rows);
    Value p0 = g.select(byRows, g.idx(0), c0);
    Value p1 = g.select(byRows, panels, c1);
    if (work.scan) {
      m0 = p0 = g.idx(0);
      m1 = rows;
      p1 = panels;
    }
    if (!isShallow)
      zeroPart(m0, m1, p0, p1);
    Value blockRows = g.idx(work.target.blockRows / tile.rows * tile.rows);
    g.forLoop(m0, m1, blockRows, [&](Value m) {
      Value end = g.min(g.add(m, blockRows), m1);
      if (isShallow)
        return emitBlock(out, m, end, p0, p1, g.idx(0), depth, packed, g.idx(0),
                         /*isFirst=*/true);
      g.forLoop(g.idx(0), depth, g.idx(blockDepth), [&](Value k) {
        Value k1 = g.min(g.add(k, blockDepth), depth);
        emitBlock(out, m, end, p0, p1, k, k1, packed, g.idx(0),
                  /*isFirst=*/false);
      });
    });
  });
}

bool Product::splitsDepth() {
  if (work.scan)
    return false;
  std::optional<int64_t> m = getConstantIntValue(rows);
  std::optional<int64_t> n = getConstantIntValue(columns);
  std::optional<int64_t> k = getConstantIntValue(depth);
  // A partial result per thread has to be small beside the operands.
  return m && n && *m * *n <= (1 << 20) && (!k || *k >= 4 * std::min(*m, *n));
}

void Product::emitSplitDepth() {
  Value count = work.getThreadCount(g);
  int64_t m = *getConstantIntValue(rows), n = *getConstantIntValue(columns);
  Value partials = g.alloc({ShapedType::kDynamic, m, n}, tile.element, count);
  int64_t blockDepth = work.target.depth;
  g.parallel(count, [&](Value tid) {
    Value c = g.slice(partials, tid);
    g.fillZero(c, tile.lanes);
    int64_t numPanels = llvm::divideCeilSigned(n, tile.panel());
    Value packed = g.alloc({numPanels, blockDepth, tile.panel()}, tile.element);
    auto [k0, k1] = Work::getPart(g, depth, 1, tid, count);
    g.forLoop(k0, k1, g.idx(blockDepth), [&, k1 = k1](Value k) {
      Value end = g.min(g.add(k, blockDepth), k1);
      emitPack(g, tile, b, transposeB, k, g.sub(end, k), packed, g.idx(0),
               g.idx(numPanels));
      emitBlock(c, g.idx(0), rows, g.idx(0), panels, k, end, packed, k,
                /*isFirst=*/false);
    });
    g.dealloc(packed);
  });
  // In thread order.
  g.parallel(count, [&](Value tid) {
    auto [lower, upper] = Work::getPart(g, rows, 1, tid, count);
    g.forLoop(lower, upper, g.idx(1), [&](Value i) {
      g.forStrips(n, tile.lanes, [&](Value j, int64_t width) {
        VectorType type = Gen::vectorOf(width, tile.element);
        Value total =
            g.forLoop(g.idx(0), count, g.idx(1), g.zero(type),
                      [&](Value t, ValueRange sum) {
                        return Values{g.fadd(
                            sum[0], g.loadVector(partials, {t, i, j}, type))};
                      })[0];
        g.storeVector(total, out, {i, j});
      });
    });
  });
  g.dealloc(partials);
}

Value geo::cpu::emitPackedWhole(Work &work, Gen &g, const Tile &tile, Value b,
                                bool isTransposed) {
  Value depth = g.dim(b, isTransposed ? 1 : 0);
  Value columns = g.dim(b, isTransposed ? 0 : 1);
  Value panels = g.ceilDiv(columns, g.idx(tile.panel()));
  SmallVector<int64_t> shape;
  Values sizes;
  for (Value size : {panels, depth}) {
    std::optional<int64_t> known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    if (!known)
      sizes.push_back(size);
  }
  shape.push_back(tile.panel());
  Value packed = g.alloc(shape, tile.element, sizes);
  work.onThreads(g, [&](Value tid, Value count) {
    auto [p0, p1] = Work::getPart(g, panels, 1, tid, count);
    emitPack(g, tile, b, isTransposed, g.idx(0), depth, packed, p0, p1);
  });
  return packed;
}

void Product::emit() {
  if (splitsDepth())
    return emitSplitDepth();
  if (!work.scan) {
    Value packed = emitPackedWhole(work, g, tile, b, transposeB);
    emitSplitResult(packed);
    g.dealloc(packed);
    return;
  }
  // A weight is packed once, before the threads and their time loops.
  if (!work.scan->invariant.contains(b)) {
    Value packed = emitPackedWhole(work, g, tile, b, transposeB);
    emitSplitResult(packed);
    g.dealloc(packed);
    return;
  }
  Value &packed = work.scan->packed[{b, transposeB}];
  if (!packed) {
    OpBuilder::InsertionGuard guard(g.b);
    g.b.setInsertionPoint(work.scan->threads);
    ScanFrame *scan = std::exchange(work.scan, nullptr);
    packed = emitPackedWhole(work, g, tile, b, transposeB);
    work.scan = scan;
    scan->sharedBuffers.push_back(packed);
  }
  emitSplitResult(packed);
}

LogicalResult geo::cpu::emitMatmul(Work &work, Gen &g, MatmulOp op,
                                   ValueRange operands, Value out) {
  if (work.scan && op.getTransposeA())
    return op.emitOpError("expects an untransposed row operand inside "
                          "geo.scan, but got transpose_a");
  Product(work, g, op, operands, out).emit();
  return success();
}
