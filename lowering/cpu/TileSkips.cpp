// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/TileSkips.h"
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

// The runtime's (runtime/Skipping.h).
static constexpr llvm::StringLiteral skipsTiles = "geo_rt_skips_tiles";
static constexpr llvm::StringLiteral countTiles = "geo_rt_count_tiles";

void TileSkips::start(Value threads) {
  Type i64 = g.b.getI64Type();
  ModuleOp module = Work::getModule(g);
  declareRuntime(g.b, module, skipsTiles, {}, i64);
  declareRuntime(g.b, module, countTiles, {i64, i64}, {});
  Value skips = func::CallOp::create(g.b, skipsTiles, i64).getResult(0);
  visitsAll = arith::CmpIOp::create(g.b, arith::CmpIPredicate::eq, skips,
                                    g.integer(i64, 0));
  // A cache line per thread.
  counts = g.alloc({ShapedType::kDynamic, 8}, i64, threads);
}

void TileSkips::finish(Value threads) {
  g.forLoop(threads, [&](Value t) {
    Values both = {g.load(counts, {t, g.idx(0)}),
                   g.load(counts, {t, g.idx(1)})};
    func::CallOp::create(g.b, countTiles, TypeRange(), both);
  });
  g.dealloc(counts);
}

void TileSkips::startThread(Value tid, Value panels, Value stripRows) {
  thread = tid;
  for (int64_t i : {0, 1})
    g.store(g.integer(g.b.getI64Type(), 0), counts, {tid, g.idx(i)});
  Value tiles = g.div(stripRows, g.idx(tile.rows));
  auto make = [&](ArrayRef<int64_t> shape, Type element, ValueRange sizes) {
    return work.makeBuffer(g, [&] { return g.alloc(shape, element, sizes); });
  };
  int64_t any = ShapedType::kDynamic;
  references = make({any}, tile.element, stripRows);
  gaps = make({tile.lanes}, tile.element, {});
  bounds = make({any, any}, tile.element, {panels, tiles});
  flags = make({any, any}, g.b.getI8Type(), {panels, tiles});
  cutoffs = make({any}, tile.element, tiles);
}

static Value emitInfinity(Gen &g, Type type, bool isNegative) {
  double infinity = std::numeric_limits<double>::infinity();
  return g.real(type, isNegative ? -infinity : infinity);
}

void TileSkips::startStrip(Value rows) {
  g.forLoop(rows, [&](Value row) {
    g.store(emitInfinity(g, tile.element, /*isNegative=*/true), references,
            row);
  });
}

void TileSkips::startTile() {
  g.storeVector(emitInfinity(g, tile.vector(), /*isNegative=*/true), gaps,
                g.idx(0));
}

void TileSkips::add(Value row, Value z) {
  VectorType vector = tile.vector();
  int64_t lanes = cast<VectorType>(z.getType()).getNumElements();
  Value largest = g.piece(z, 0, tile.lanes);
  for (int64_t first = tile.lanes; first < lanes; first += tile.lanes)
    largest = g.fmax(largest, g.piece(z, first, tile.lanes));
  Value reference = g.broadcast(g.load(references, row), vector);
  Value gap = g.fsub(largest, reference);
  g.storeVector(g.fmax(g.loadVector(gaps, g.idx(0), vector), gap), gaps,
                g.idx(0));
}

void TileSkips::addTarget() {
  g.storeVector(emitInfinity(g, tile.vector(), /*isNegative=*/false), gaps,
                g.idx(0));
}

void TileSkips::finishTile(Value panel, Value row) {
  Value largest = g.loadVector(gaps, g.idx(0), tile.vector());
  g.store(
      vector::ReductionOp::create(g.b, vector::CombiningKind::MAXNUMF, largest),
      bounds, {panel, getTile(row)});
}

/// Maxima hardly move after a while.
void TileSkips::finishPanel(Value panel, Value rows, LogSum &sums) {
  Value next = g.add(panel, 1);
  Value isPower = g.equal(arith::AndIOp::create(g.b, panel, next), g.idx(0));
  Value isSixteenth = g.equal(g.rem(next, g.idx(16)), g.idx(0));
  g.ifThen(arith::OrIOp::create(g.b, isPower, isSixteenth), [&] {
    g.forLoop(rows, [&](Value row) {
      g.store(sums.getMaximum(row), references, row);
    });
  });
}

/// log(u / V (1 - e^-loss)).
Value TileSkips::emitCutoff(Value loss, Value columns) {
  Type f64 = g.f64();
  Value others = g.fneg(math::ExpM1Op::create(g.b, g.fneg(loss)));
  Value count = arith::IndexCastOp::create(g.b, g.b.getI64Type(), columns);
  Value share = g.fdiv(g.real(f64, tile.element.isF64() ? 0x1p-54 : 0x1p-25),
                       arith::SIToFPOp::create(g.b, f64, count));
  return g.convert(math::LogOp::create(g.b, g.fmul(others, share)),
                   tile.element);
}

void TileSkips::decide(Value rows, Value columns,
                       function_ref<Value(Value)> getLoss) {
  Value tiles = g.div(rows, g.idx(tile.rows));
  g.forLoop(tiles, [&](Value t) {
    // The least of the rows, NaN if any is.
    Value start = emitInfinity(g, tile.element, /*isNegative=*/false);
    Value least = g.forLoop(
        g.idx(0), g.idx(tile.rows), g.idx(1), start,
        [&](Value r, ValueRange least) {
          Value row = g.add(g.mul(t, tile.rows), r);
          Value cutoff = emitCutoff(getLoss(row), columns);
          return Values{arith::MinimumFOp::create(g.b, least[0], cutoff)};
        })[0];
    g.store(least, cutoffs, t);
  });
  Type i64 = g.b.getI64Type();
  Value none = g.integer(i64, 0);
  Value counted = g.forLoop(
      g.idx(0), g.dim(flags, 0), g.idx(1), none,
      [&](Value panel, ValueRange total) {
        return g.forLoop(
            g.idx(0), tiles, g.idx(1), total, [&](Value t, ValueRange sum) {
              Value counts = arith::CmpFOp::create(
                  g.b, arith::CmpFPredicate::UGE, g.load(bounds, {panel, t}),
                  g.load(cutoffs, t));
              g.store(arith::ExtUIOp::create(g.b, g.b.getI8Type(), counts),
                      flags, {panel, t});
              Value one = arith::ExtUIOp::create(g.b, i64, counts);
              return Values{arith::AddIOp::create(g.b, sum[0], one)};
            });
      })[0];
  auto add = [&](int64_t at, Value x) {
    Value total = g.load(counts, {thread, g.idx(at)});
    g.store(arith::AddIOp::create(g.b, total, x), counts, {thread, g.idx(at)});
  };
  add(0, arith::IndexCastOp::create(g.b, i64, g.mul(g.dim(flags, 0), tiles)));
  add(1, counted);
}

Value TileSkips::doesCount(Value panel, Value row) {
  Value flag = g.load(flags, {panel, getTile(row)});
  return arith::CmpIOp::create(g.b, arith::CmpIPredicate::ne, flag,
                               g.integer(g.b.getI8Type(), 0));
}

Value TileSkips::isVisited(Value panel, Value row) {
  return arith::OrIOp::create(g.b, doesCount(panel, row), visitsAll);
}

void TileSkips::ifVisited(Value panel, Value row, function_ref<void()> body) {
  g.ifThen(isVisited(panel, row), body);
}

Values TileSkips::ifVisited(Value panel, Value row, ValueRange carried,
                            function_ref<Values()> body) {
  return g.ifElse(isVisited(panel, row), body, [&] { return Values(carried); });
}
