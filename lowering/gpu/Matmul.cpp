// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.matmul as a kernel: a block for each tile of the result, and where there
// are few tiles and much to sum, for each of several ranges of the sum.
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Fragments.h"
#include "lowering/gpu/Workgroup.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

namespace {

constexpr int64_t tileSize = 64, threads = 256, depth = 32;
/// Terms of a sum that are worth a block of their own.
constexpr int64_t leastTerms = 256;

/// A block's part of op(a) op(b): rows and columns of a tile, terms [k0, k1).
class TileProduct {
public:
  TileProduct(Gen &g, Workgroup &memory, ProductMath math, Value a, Value b,
              bool transposeA, bool transposeB)
      : g(g), memory(memory), math(math), a(a), b(b), transposeA(transposeA),
        transposeB(transposeB) {
    rows = g.dim(a, transposeA ? 1 : 0);
    columns = g.dim(b, transposeB ? 0 : 1);
    thread = gpu::ThreadIdOp::create(g.b, gpu::Dimension::x);
  }

  /// store(i, j, x) for every element of the tile that exists.
  void emit(Value firstRow, Value firstColumn, Value k0, Value k1,
            function_ref<void(Value i, Value j, Value x)> store) {
    bool isWide = Gen::elementOf(a).isF64();
    auto checked = [&](Value i, Value j, Value x) {
      g.ifThen(g.both(g.less(i, rows), g.less(j, columns)),
               [&] { store(i, j, x); });
    };
    if (isWide)
      emitWide(firstRow, firstColumn, k0, k1, checked);
    else
      emitTensor(firstRow, firstColumn, k0, k1, checked);
  }

  Value rows, columns;

private:
  using StoreFn = function_ref<void(Value i, Value j, Value x)>;

  /// One factor's part of a chunk, staged as it lies in memory: by rows of the
  /// result with terms along them, or by terms.
  struct Stage {
    Value memref, buffer;
    bool byTerms;
    Value first, count; ///< of the tile, along the result
  };
  Stage makeStage(Value memref, bool byTerms, Value first, Value count) {
    int64_t stride = byTerms ? tileSize + 8 : depth + 4;
    return {memref,
            memory.allocate({2, byTerms ? depth : tileSize, stride}, g.f32()),
            byTerms, first, count};
  }
  void copy(const Stage &s, Value stage, Value k, Value k1) {
    if (s.byTerms) {
      Value last = g.sub(k1, g.idx(1));
      emitStageRows(
          g, s.memref, s.buffer, stage, thread, threads, depth, tileSize,
          s.first, [&](Value r) { return g.min(g.add(k, r), last); }, s.count,
          [&](Value r) { return g.less(g.add(k, r), k1); });
      return;
    }
    Value last = g.sub(s.count, g.idx(1));
    emitStageRows(
        g, s.memref, s.buffer, stage, thread, threads, tileSize, depth, k,
        [&](Value r) { return g.min(g.add(s.first, r), last); }, k1);
  }
  Value load(const Stage &s, Value stage, Value i, Value p) {
    return s.byTerms ? g.load(s.buffer, {stage, p, i})
                     : g.load(s.buffer, {stage, i, p});
  }

  void emitTensor(Value firstRow, Value firstColumn, Value k0, Value k1,
                  StoreFn store);
  void emitWide(Value firstRow, Value firstColumn, Value k0, Value k1,
                StoreFn store);

  Gen &g;
  Workgroup &memory;
  const ProductMath math;
  Value a, b, thread;
  const bool transposeA, transposeB;
};

} // namespace

/// Two stages: one is copied while the other is multiplied.
void TileProduct::emitTensor(Value firstRow, Value firstColumn, Value k0,
                             Value k1, StoreFn store) {
  Stage left = makeStage(a, transposeA, firstRow, rows);
  Stage right = makeStage(b, !transposeB, firstColumn, columns);
  Fragments fragments(g, math, g.rem(thread, g.idx(32)));
  Value warp = g.div(thread, g.idx(32));
  Value warpRow = g.mul(g.rem(warp, g.idx(4)), 16);
  Value warpColumn = g.mul(g.div(warp, g.idx(4)), 32);
  auto copyBoth = [&](Value chunk) {
    Value stage = g.rem(chunk, g.idx(2)), k = g.add(k0, g.mul(chunk, depth));
    copy(left, stage, k, k1);
    copy(right, stage, k, k1);
  };
  Value chunks = g.ceilDiv(g.sub(k1, k0), g.idx(depth));
  g.ifThen(g.less(g.idx(0), chunks), [&] { copyBoth(g.idx(0)); });
  Values sums(4, fragments.zero());
  sums = g.forLoop(
      g.idx(0), chunks, g.idx(1), sums, [&](Value chunk, ValueRange carried) {
        emitWaitAll(g);
        emitBarrier(g);
        Value next = g.add(chunk, 1), stage = g.rem(chunk, g.idx(2));
        g.ifThen(g.less(next, chunks), [&] { copyBoth(next); });
        Values sums(carried);
        for (int64_t p = 0; p < depth; p += 8) {
          auto from = [&](const Stage &s) {
            return [&](Value i, Value p) { return load(s, stage, i, p); };
          };
          // Factors with terms along their rows come by ldmatrix.
          auto x = left.byTerms
                       ? fragments.loadA(warpRow, g.idx(p), from(left))
                       : fragments.loadA(warpRow, g.idx(p), left.buffer, stage);
          for (int64_t n = 0; n < 4; n += 2) {
            Value column = g.add(warpColumn, 8 * n);
            std::array<Fragments::Factor, 2> y;
            if (right.byTerms)
              for (int64_t i = 0; i < 2; ++i)
                y[i] = fragments.loadB(g.add(column, 8 * i), g.idx(p),
                                       from(right));
            else
              y = fragments.loadTwoB(column, g.idx(p), right.buffer, stage);
            for (int64_t i = 0; i < 2; ++i)
              sums[n + i] = fragments.multiply(x, y[i], sums[n + i]);
          }
        }
        return sums;
      });
  for (int64_t n = 0; n < 4; ++n)
    fragments.forEach(g.add(firstRow, warpRow),
                      g.add(g.add(firstColumn, warpColumn), 8 * n), sums[n],
                      store);
}

/// f64: sixteen elements of a row for each thread.
void TileProduct::emitWide(Value firstRow, Value firstColumn, Value k0,
                           Value k1, StoreFn store) {
  constexpr int64_t perThread = tileSize / 4;
  Value i = g.add(firstRow, g.div(thread, g.idx(4)));
  Value row = g.min(i, g.sub(rows, g.idx(1)));
  Value last = g.sub(columns, g.idx(1));
  Values js;
  for (int64_t c = 0; c < perThread; ++c)
    js.push_back(g.add(g.add(firstColumn, g.rem(thread, g.idx(4))), 4 * c));
  Values sums(perThread, g.zero(Gen::elementOf(a)));
  sums = g.forLoop(k0, k1, g.idx(1), sums, [&](Value k, ValueRange carried) {
    Value x = transposeA ? g.load(a, {k, row}) : g.load(a, {row, k});
    Values next;
    for (auto [j, sum] : llvm::zip_equal(js, carried)) {
      Value column = g.min(j, last);
      Value y = transposeB ? g.load(b, {column, k}) : g.load(b, {k, column});
      next.push_back(g.fadd(sum, g.fmul(x, y)));
    }
    return next;
  });
  for (auto [j, sum] : llvm::zip_equal(js, sums))
    store(i, j, sum);
}

LogicalResult device::emitMatmul(KernelBuilder &kernels,
                                 ImplicitLocOpBuilder &builder, MatmulOp op,
                                 ValueRange operands, Value out) {
  Gen host(builder);
  bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
  Value rows = host.dim(out, 0), columns = host.dim(out, 1);
  Value terms = host.dim(operands[1], transposeB ? 1 : 0);
  Value rowTiles = host.ceilDiv(rows, host.idx(tileSize));
  Value columnTiles = host.ceilDiv(columns, host.idx(tileSize));
  // 1. Few tiles leave the device idle: ranges of a long sum in parallel.
  Value splits = host.min(
      host.ceilDiv(host.idx(kernels.target().blocks),
                   host.max(host.mul(rowTiles, columnTiles), host.idx(1))),
      host.ceilDiv(terms, host.idx(leastTerms)));
  splits = host.max(splits, host.idx(1));
  std::optional<int64_t> known = getConstantIntValue(splits);
  std::optional<int64_t> count = getConstantIntValue(terms);
  bool isSplit = known != 1 && !(count && *count <= leastTerms);
  if (!isSplit)
    splits = host.idx(1);
  Value partial;
  if (isSplit)
    partial =
        kernels.allocate(host, SmallVector<int64_t>(3, ShapedType::kDynamic),
                         Gen::elementOf(out), {splits, rows, columns});

  // Whole chunks, so that copies stay aligned. Not in the kernel: a division of
  // 64 bits is a call there.
  Value each = host.mul(
      host.ceilDiv(host.ceilDiv(terms, splits), host.idx(depth)), depth);

  // 2. The tiles.
  kernels.launch(
      host, "matmul", {rowTiles, columnTiles, splits}, threads,
      {operands[0], operands[1], isSplit ? partial : out, each},
      [&](Gen &g, ValueRange args) {
        Workgroup memory(g);
        TileProduct product(g, memory, kernels.target().productMath, args[0],
                            args[1], transposeA, transposeB);
        auto block = [&](gpu::Dimension d) -> Value {
          return gpu::BlockIdOp::create(g.b, d);
        };
        Value firstRow = g.mul(block(gpu::Dimension::x), tileSize);
        Value firstColumn = g.mul(block(gpu::Dimension::y), tileSize);
        Value terms = g.dim(args[1], transposeB ? 1 : 0);
        Value k0 = g.idx(0), k1 = terms, split;
        if (isSplit) {
          split = block(gpu::Dimension::z);
          k0 = g.min(g.mul(split, args[3]), terms);
          k1 = g.min(g.add(k0, args[3]), terms);
        }
        // There is a block where there is no element.
        Value exists = g.both(g.less(firstRow, product.rows),
                              g.less(firstColumn, product.columns));
        g.ifThen(exists, [&] {
          product.emit(firstRow, firstColumn, k0, k1,
                       [&](Value i, Value j, Value x) {
                         Values at = {i, j};
                         if (isSplit)
                           at.insert(at.begin(), split);
                         g.store(x, args[2], at);
                       });
        });
        return memory.getBytes();
      });
  if (!isSplit)
    return success();

  // 3. The ranges, in order.
  kernels.launchForEach(
      host, "matmul_sum", host.mul(rows, columns), {partial, out},
      [](Gen &g, ValueRange args, Value at) {
        Value width = g.dim(args[1], 1);
        Value i = g.div(at, width), j = g.rem(at, width);
        Value sum = g.forLoop(
            g.idx(0), g.dim(args[0], 0), g.idx(1),
            g.zero(Gen::elementOf(args[1])), [&](Value s, ValueRange carried) {
              return Values{g.fadd(carried[0], g.load(args[0], {s, i, j}))};
            })[0];
        g.store(sum, args[1], {i, j});
      });
  kernels.release(host, partial);
  return success();
}
