// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise on a device.
#include "lowering/gpu/Pairwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

RowSums PairLaunch::emitRowSums(Value losses, Value lse) {
  Value splits = countSplits(countTiles(host, rows), countTiles(host, columns));
  Value padded = host.mul(countTiles(host, rows), PairTile::rows);
  RowSums sums;
  Value maxima = make({splits, padded}), tails = make({splits, padded});
  Values partials = {maxima, tails};
  if (isNll())
    partials.push_back(sums.targetLogits = make(padded));
  launch("sums", /*ownsX=*/true, splits, 1, partials,
         [&](Gen &g, PairTile &tile, ValueRange outs) {
           emitSums(g, tile, outs);
         });
  for (Value *buffer : {&sums.maxima, &sums.tails, &sums.lseHigh, &sums.lseLow})
    *buffer = make(padded);
  Values buffers = {sums.maxima, sums.tails, sums.lseHigh, sums.lseLow};
  if (lse)
    buffers.push_back(lse);
  unsigned more = buffers.size();
  if (isNll()) {
    sums.share = make(padded);
    buffers.append({sums.targetLogits, sums.share});
    if (losses)
      buffers.push_back(losses);
  }
  buffers.append({maxima, tails});
  kernels.launchForEach(
      host, name("combine"), rows, buffers,
      [&](Gen &g, ValueRange buffers, Value i) {
        ValueRange partials = buffers.take_back(2);
        auto part = [&](Value s) {
          return LogSum{g.load(partials[0], {s, i}),
                        g.load(partials[1], {s, i})};
        };
        LogSum first = part(g.idx(0));
        Values merged =
            g.forLoop(g.idx(1), g.dim(partials[0], 0), g.idx(1),
                      {first.max, first.sum}, [&](Value s, ValueRange carried) {
                        LogSum sum =
                            emitMerge(g, {carried[0], carried[1]}, part(s));
                        return Values{sum.max, sum.sum};
                      });
        LogSum sum{merged[0], merged[1]};
        if (isNll()) {
          Values loss(buffers.slice(more, losses ? 3 : 2));
          emitLoss(g, sum, buffers.take_front(more), loss, i);
          return;
        }
        Value max =
            g.select(isAnyCounted(g, sum), sum.max,
                     g.real(g.f64(), std::numeric_limits<double>::quiet_NaN()));
        storeLse(g, max, emitLog1p(g, sum.sum), buffers.take_front(more), i);
      });
  for (Value partial : {maxima, tails})
    kernels.release(host, partial);
  return sums;
}

/// One split's sums of the block's rows; the target's logit stays out of them.
void PairLaunch::emitSums(Gen &g, PairTile &tile, ValueRange outs) {
  LogSum empty = emitEmptySum(g, tile.vector);
  Value target;
  if (isNll())
    target = g.load(tile.pair.targets, tile.i);
  auto addPairs = [&](const PairTile::Place &place, PairTile::Pairs &pairs,
                      ValueRange carried) {
    Value z = pairs.region.getYielded(0), counts = pairs.mask;
    if (isNll()) {
      VectorType i32s = Gen::vectorOf(PairTile::lanes, g.i32());
      Value isTarget =
          g.equal(tile.emitColumns(place), g.broadcast(target, i32s));
      isTarget = g.both(isTarget, pairs.mask);
      for (int64_t l = 0; l < PairTile::lanes; ++l)
        g.ifThen(g.extract(isTarget, l), [&] {
          g.store(g.convert(g.extract(z, l), g.f64()), outs[2], place.i);
        });
      Value all = g.integer(isTarget.getType(), 1);
      counts = g.both(counts, arith::XOrIOp::create(g.b, isTarget, all));
    }
    Value none = g.real(tile.vector, -std::numeric_limits<double>::infinity());
    LogSum sum =
        emitAdd(g, {carried[0], carried[1]}, g.select(counts, z, none));
    return Values{sum.max, sum.sum};
  };
  Values sums = forTiles(tile, {empty.max, empty.sum}, [&](ValueRange carried) {
    return tile.forPairs(carried, addPairs);
  });
  LogSum sum = emitMergeLanes(g, {sums[0], sums[1]});
  // The four threads of a row.
  Value maxima = tile.memory.allocate({PairTile::rows, 4}, g.f64());
  Value tails = tile.memory.allocate({PairTile::rows, 4}, g.f64());
  g.store(sum.max, maxima, {tile.row, tile.quad});
  g.store(sum.sum, tails, {tile.row, tile.quad});
  emitBarrier(g);
  g.ifThen(g.equal(tile.quad, g.idx(0)), [&] {
    LogSum total = sum;
    for (int64_t q = 1; q < 4; ++q)
      total = emitMerge(g, total,
                        {g.load(maxima, {tile.row, g.idx(q)}),
                         g.load(tails, {tile.row, g.idx(q)})});
    Values at = {getBlock(g, gpu::Dimension::y),
                 g.add(tile.ownFirst, tile.row)};
    g.store(total.max, outs[0], at);
    g.store(total.sum, outs[1], at);
  });
}

/// Into maxima, tails, lse's two parts, and lse if that is wanted.
void PairLaunch::storeLse(Gen &g, Value max, Value tail, ValueRange buffers,
                          Value i) {
  Value lse = g.fadd(max, tail);
  Value high = g.convert(g.convert(lse, pair.math), g.f64());
  g.store(max, buffers[0], i);
  g.store(tail, buffers[1], i);
  g.store(high, buffers[2], i);
  g.store(g.fsub(lse, high), buffers[3], i);
  if (buffers.size() > 4)
    g.store(lse, buffers[4], i);
}

/// From the sum over all columns but the target's: nll, the share of the
/// others, and lse, without subtracting what is nearly equal. `loss`: the
/// target's logit, the share, and the loss if that is wanted.
void PairLaunch::emitLoss(Gen &g, LogSum others, ValueRange buffers,
                          ValueRange loss, Value i) {
  Value z = g.load(loss[0], i), one = g.real(g.f64(), 1.0);
  Value gap = g.fsub(others.max, z);
  Value isAbove = g.flt(g.zero(g.f64()), gap);
  Value e = emitExp(g, g.fneg(math::AbsFOp::create(g.b, gap)));
  // Relative to the larger one of their maximum and z.
  Value all = g.fadd(others.sum, one);
  Value small = g.select(isAbove, g.fadd(others.sum, e), g.fmul(all, e));
  Value log = emitLog1p(g, small);
  Value share = g.fdiv(g.select(isAbove, all, small), g.fadd(small, one));
  g.store(share, loss[1], i);
  if (loss.size() > 2)
    g.store(g.select(isAbove, g.fadd(gap, log), log), loss[2], i);
  storeLse(g, g.select(isAbove, others.max, z), log, buffers, i);
}

void PairLaunch::emitTable(Value table, const RowSums *sums) {
  Values more = {table};
  if (sums)
    more.append({sums->maxima, sums->tails});
  Value splits = countSplits(countTiles(host, rows), countTiles(host, columns));
  launch("table", /*ownsX=*/true, splits, 1, more,
         [&](Gen &g, PairTile &tile, ValueRange more) {
           auto storePairs = [&](const PairTile::Place &place,
                                 PairTile::Pairs &pairs) {
             Value z = pairs.region.getYielded(0);
             for (Value part : more.drop_front()) {
               Value number = g.convert(g.load(part, place.i), tile.element);
               z = g.fsub(z, g.broadcast(number, tile.vector));
             }
             Value first = g.add(tile.otherFirst, place.column);
             for (int64_t l = 0; l < PairTile::lanes; ++l)
               g.ifThen(g.extract(pairs.mask, l), [&] {
                 g.store(g.convert(g.extract(z, l), Gen::elementOf(more[0])),
                         more[0], {place.i, g.add(first, l)});
               });
           };
           forTiles(tile, {}, [&](ValueRange) {
             tile.forPairs(storePairs);
             return Values();
           });
         });
}

LogicalResult device::emitPairwise(KernelBuilder &kernels,
                                   ImplicitLocOpBuilder &b, PairwiseOp op,
                                   ValueRange operands, ValueRange outs) {
  Gen host(b);
  PairLaunch launch(kernels, host, op, operands);
  switch (op.getReducer()) {
  case Reducer::none:
    launch.emitTable(outs[0], nullptr);
    break;
  case Reducer::softmax: {
    RowSums sums = launch.emitRowSums(Value(), outs[1]);
    launch.emitTable(outs[0], &sums);
    launch.release(sums);
    break;
  }
  case Reducer::nll:
    launch.release(launch.emitRowSums(outs[0], outs[1]));
    break;
  }
  launch.finish();
  return success();
}
