// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/PairBackward.h"
#include "lowering/cpu/VectorMath.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

/// Elements between rows of staged factors: no two lanes of a fragment meet in
/// one bank.
static int64_t stageStride(int64_t width) { return width + 8; }

PairBackward::PairBackward(PairTile &tile, const SideGradients &side,
                           const LogitGradient &gradient,
                           const SidePartials &partials)
    : tile(tile), g(tile.g), side(side), gradient(gradient), partials(partials),
      fragments(g, tile.productMath, tile.lane) {
  for (unsigned k = 0; k < tile.numGrams(); ++k)
    special.push_back(
        tile.needsNorms(k) && side.tensors[k]
            ? tile.memory.allocate({PairTile::rows, PairTile::stride}, g.f32())
            : Value());
  flags = tile.memory.allocate({PairTile::threads}, g.i32());
  lseHigh = makeRowNumber(gradient.lseHigh);
  lseLow = makeRowNumber(gradient.lseLow);
  rowFactor = makeRowNumber(gradient.rowFactor);
  share = makeRowNumber(gradient.share);
  if (gradient.reducer == Reducer::nll && !tile.ownsX)
    otherTargets = tile.addOtherIndex(tile.pair.targets);
}

PairBackward::RowNumber PairBackward::makeRowNumber(Value buffer) {
  RowNumber number{buffer, Value()};
  if (buffer && !tile.ownsX)
    number.other = tile.addOtherNumber(buffer);
  return number;
}

Value PairBackward::load(const RowNumber &number, const Place &place) {
  return tile.ownsX ? g.broadcast(number.own, tile.vector)
                    : tile.loadOther(number.other, place);
}

bool PairBackward::isNeeded(unsigned a) const {
  return (a < tile.numGrams() && side.tensors[a]) ||
         llvm::is_contained(side.sums, a);
}

void PairBackward::forElements(function_ref<void(Value, Value)> body) {
  g.forLoop(tile.thread, g.idx(PairTile::rows * side.width),
            g.idx(PairTile::threads), [&](Value at) {
              body(g.add(tile.ownFirst, g.div(at, g.idx(side.width))),
                   g.add(column, g.rem(at, g.idx(side.width))));
            });
}

void PairBackward::start(Value whichSplit, Value whichPart) {
  split = whichSplit;
  part = whichPart;
  column = g.mul(part, side.width);
  warpRow = g.mul(g.rem(tile.warp, g.idx(4)), 16);
  warpColumn = g.mul(g.div(tile.warp, g.idx(4)), side.width / 2);
  if (tile.ownsX) {
    for (RowNumber *number : {&lseHigh, &lseLow, &rowFactor, &share})
      if (number->buffer)
        number->own = g.convert(g.load(number->buffer, tile.i), tile.element);
    if (gradient.reducer == Reducer::nll)
      target = g.load(tile.pair.targets, tile.i);
  } else {
    target = arith::IndexCastOp::create(g.b, g.i32(), tile.i);
  }
  for (Value product : partials.products)
    if (product)
      forElements([&](Value r, Value c) {
        g.store(g.zero(tile.element), product, {split, r, c});
      });
  // startTile() begins with a barrier.
}

/// Sums of f64 per lane, then the products' fragments.
Values PairBackward::getInitial() {
  Values initial(side.sums.size(),
                 g.zero(Gen::vectorOf(PairTile::lanes, g.f64())));
  if (!tile.isWide())
    for (unsigned k = 0; k < tile.numGrams(); ++k)
      if (side.tensors[k])
        initial.append(numFragments(), fragments.zero());
  return initial;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Value PairBackward::emitIsTarget(const Place &place, Value mask) {
  if (gradient.reducer != Reducer::nll)
    return nullptr;
  VectorType i32s = Gen::vectorOf(PairTile::lanes, g.i32());
  Value columns = tile.ownsX ? tile.emitColumns(place)
                             : tile.loadOtherIndex(otherTargets, place);
  return g.both(g.equal(columns, g.broadcast(target, i32s)), mask);
}

Value PairBackward::loadCotangents(const Place &place, Value mask) {
  Value cotangents = g.zero(tile.vector);
  for (int64_t l = 0; l < PairTile::lanes; ++l) {
    Value other = tile.otherRow(g.add(place.column, l));
    Values at = {place.i, other};
    if (!tile.ownsX)
      std::swap(at[0], at[1]);
    cotangents = g.insert(g.convert(g.load(gradient.table, at), tile.element),
                          cotangents, l);
  }
  return cotangents;
}

Value PairBackward::emitLogitGradient(const Place &place,
                                      PairTile::Pairs &pairs, Value isTarget) {
  if (gradient.reducer == Reducer::none)
    return loadCotangents(place, pairs.mask);
  Value z = pairs.region.getYielded(0);
  Value t = g.fsub(g.fsub(z, load(lseHigh, place)), load(lseLow, place));
  Value p = cpu::emitExpBelow(g, t);
  Value factor = load(rowFactor, place);
  if (gradient.reducer == Reducer::softmax)
    return g.fsub(loadCotangents(place, pairs.mask), g.fmul(p, factor));
  p = g.select(isTarget, g.fneg(load(share, place)), p);
  return g.fmul(p, factor);
}

/// Leaves the coefficients of four pairs in the tiles and returns `sums` with
/// their terms.
Values PairBackward::emitPairs(const Place &place, PairTile::Pairs &pairs,
                               ValueRange sums) {
  Value zero = g.zero(tile.vector);
  Value isTarget = emitIsTarget(place, pairs.mask);
  Value gradientOfZ = emitLogitGradient(place, pairs, isTarget);
  Values terms(tile.pair.block->getNumArguments());
  for (unsigned a = 0; a < terms.size(); ++a)
    if (isNeeded(a))
      // 0 times an infinite partial is not 0.
      terms[a] =
          g.select(pairs.mask,
                   g.fmul(gradientOfZ, pairs.region.getYielded(1 + a)), zero);
  Value flag = g.zero(g.i32());
  for (unsigned k = 0; k < tile.numGrams(); ++k) {
    if (!terms[k])
      continue;
    if (special[k]) {
      // Close pairs, and the target, whose coefficient is the sum of all
      // others.
      Value isSpecial = pairs.refined[k];
      if (isTarget)
        isSpecial = arith::OrIOp::create(g.b, isSpecial, isTarget);
      storeFour(g, g.select(isSpecial, terms[k], zero), special[k],
                {place.row, place.column});
      terms[k] = g.select(isSpecial, zero, terms[k]);
      Value ones = arith::ExtUIOp::create(
          g.b, Gen::vectorOf(PairTile::lanes, g.i32()), isSpecial);
      for (int64_t l = 0; l < PairTile::lanes; ++l)
        flag = arith::OrIOp::create(g.b, flag, g.extract(ones, l));
    }
    if (side.tensors[k])
      storeFour(g, terms[k], tile.getTile(k), {place.row, place.column});
  }
  Values next;
  for (auto [a, sum] : llvm::zip(side.sums, sums))
    next.push_back(g.fadd(sum, terms[a]));
  next.push_back(arith::OrIOp::create(g.b, sums.back(), flag));
  return next;
}

Values PairBackward::emitTile(ValueRange carried) {
  // 1. Coefficients, and sums of the tile in the program's type.
  Values narrow(side.sums.size(), g.zero(tile.vector));
  narrow.push_back(g.zero(g.i32()));
  narrow = tile.forPairs(
      narrow, [&](const Place &place, PairTile::Pairs &pairs, ValueRange sums) {
        return emitPairs(place, pairs, sums);
      });
  g.store(narrow.back(), flags, tile.thread);
  emitBarrier(g);
  Values next;
  for (auto [sum, part] : llvm::zip(carried, ArrayRef(narrow).drop_back()))
    next.push_back(g.fadd(sum, g.convert(part, g.f64())));
  // 2. Products with the other side's rows.
  unsigned at = next.size();
  for (unsigned k = 0; k < tile.numGrams(); ++k) {
    if (!side.tensors[k])
      continue;
    if (special[k])
      emitSpecial(k);
    if (tile.isWide()) {
      emitWideProduct(k);
      continue;
    }
    append_range(next, emitProduct(k, carried.slice(at, numFragments())));
    at += numFragments();
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The shares of special pairs: the four threads of a row take its elements in
/// turn.
void PairBackward::emitSpecial(unsigned k) {
  VectorType i32s = Gen::vectorOf(4, g.i32());
  Value rowFlags = loadFour(g, flags, g.mul(tile.row, 4), i32s);
  Value any = g.extract(rowFlags, 0);
  for (int64_t l = 1; l < 4; ++l)
    any = arith::OrIOp::create(g.b, any, g.extract(rowFlags, l));
  Value isAny = arith::CmpIOp::create(g.b, arith::CmpIPredicate::ne, any,
                                      g.zero(g.i32()));
  Value x = tile.own.tensors[k], y = tile.other.tensors[k];
  Value product = partials.products[k];
  Value end = g.min(g.add(column, side.width), g.dim(x, 1));
  g.ifThen(isAny, [&] {
    g.forLoop(g.idx(PairTile::columns), [&](Value c) {
      Value a = g.load(special[k], {tile.row, c});
      Value isSpecial = arith::CmpFOp::create(g.b, arith::CmpFPredicate::UNE, a,
                                              g.zero(g.f32()));
      g.ifThen(isSpecial, [&] {
        Value j = tile.otherRow(c);
        g.forLoop(g.add(column, tile.quad), end, g.idx(4), [&](Value p) {
          Value difference = g.fsub(g.load(y, {j, p}), g.load(x, {tile.i, p}));
          Values at = {split, g.add(tile.ownFirst, tile.row), p};
          g.store(g.fadd(g.load(product, at), g.fmul(a, difference)), product,
                  at);
        });
      });
    });
  });
}

/// sums + A[rows, columns] Y[columns, width] on tensor cores.
Values PairBackward::emitProduct(unsigned k, ValueRange carried) {
  constexpr int64_t staged = PairTile::columns;
  Value stage = tile.getStage({1, staged, stageStride(side.width)}, g.f32());
  emitStageRows(g, tile.other.tensors[k], stage, g.idx(0), tile.thread,
                PairTile::threads, staged, side.width, column,
                [&](Value c) { return tile.otherRow(c); });
  emitWaitAll(g);
  emitBarrier(g);
  Values sums(carried);
  sums = g.forLoop(g.idx(0), g.idx(staged), g.idx(8), sums,
                   [&](Value j, ValueRange carried) {
                     Values sums(carried);
                     auto a =
                         fragments.loadA(warpRow, j, [&](Value r, Value c) {
                           return g.load(tile.getTile(k), {r, c});
                         });
                     for (int64_t n = 0; n < numFragments(); ++n) {
                       auto b = fragments.loadB(
                           g.add(warpColumn, 8 * n), j, [&](Value p, Value c) {
                             return g.load(stage, {g.idx(0), c, p});
                           });
                       sums[n] = fragments.multiply(a, b, sums[n]);
                     }
                     return sums;
                   });
  emitBarrier(g);
  return sums;
}

/// The sum of a (y - x), or of a y, in f64.
void PairBackward::emitWideProduct(unsigned k) {
  Value x = tile.own.tensors[k], y = tile.other.tensors[k];
  Value product = partials.products[k];
  Value end = g.min(g.add(column, side.width), g.dim(x, 1));
  g.forLoop(g.add(column, tile.quad), end, g.idx(4), [&](Value p) {
    Value mine = g.convert(g.load(x, {tile.i, p}), tile.element);
    Values at = {split, g.add(tile.ownFirst, tile.row), p};
    Value sum = g.forLoop(
        g.idx(0), g.idx(PairTile::columns), g.idx(1), g.load(product, at),
        [&](Value c, ValueRange carried) {
          Value a = g.load(tile.getTile(k), {tile.row, c});
          Value v = g.convert(g.load(y, {tile.otherRow(c), p}), tile.element);
          if (tile.isDifference(k))
            v = g.fsub(v, mine);
          return Values{g.fadd(carried[0], g.fmul(a, v))};
        })[0];
    g.store(sum, product, at);
  });
}

void PairBackward::finish(ValueRange carried) {
  // Other threads have added special pairs to what this one completes.
  emitBarrier(g);
  unsigned at = side.sums.size();
  for (unsigned k = 0; k < tile.numGrams(); ++k) {
    if (!side.tensors[k] || tile.isWide())
      continue;
    Value product = partials.products[k];
    for (int64_t n = 0; n < numFragments(); ++n)
      fragments.forEach(warpRow, g.add(warpColumn, 8 * n), carried[at++],
                        [&](Value r, Value c, Value x) {
                          Values to = {split, g.add(tile.ownFirst, r),
                                       g.add(column, c)};
                          g.store(g.fadd(g.load(product, to), x), product, to);
                        });
  }
  if (side.sums.empty())
    return;
  Value parts = tile.memory.allocate({PairTile::rows, 4}, g.f64());
  for (auto [sum, partial] : llvm::zip(carried, partials.sums)) {
    Value total = g.extract(sum, 0);
    for (int64_t l = 1; l < PairTile::lanes; ++l)
      total = g.fadd(total, g.extract(sum, l));
    g.store(total, parts, {tile.row, tile.quad});
    emitBarrier(g);
    Value isFirst =
        g.both(g.equal(tile.quad, g.idx(0)), g.equal(part, g.idx(0)));
    g.ifThen(isFirst, [&, &partial = partial] {
      Value all = total;
      for (int64_t q = 1; q < 4; ++q)
        all = g.fadd(all, g.load(parts, {tile.row, g.idx(q)}));
      g.store(all, partial, {split, g.add(tile.ownFirst, tile.row)});
    });
    emitBarrier(g);
  }
}
