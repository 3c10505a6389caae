// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/PairTile.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;
using cpu::PairOperands;

/// Elements along d of one stage of a product.
static constexpr int64_t depth = 32;

PairTile::PairTile(Gen &g, Workgroup &memory, ProductMath productMath,
                   const PairOperands &pair, PairSide x, PairSide y, bool ownsX)
    : g(g), memory(memory), pair(pair), productMath(productMath), ownsX(ownsX),
      own(ownsX ? x : y), other(ownsX ? y : x), element(pair.math),
      vector(Gen::vectorOf(lanes, element)) {
  thread = gpu::ThreadIdOp::create(g.b, gpu::Dimension::x);
  lane = g.rem(thread, g.idx(32));
  warp = g.div(thread, g.idx(32));
  row = g.div(thread, g.idx(4));
  quad = g.rem(thread, g.idx(4));
  ownCount = g.dim(own.tensors[0], 0);
  otherCount = g.dim(other.tensors[0], 0);
  for (unsigned k = 0; k < numGrams(); ++k) {
    tiles.push_back(memory.allocate({rows, stride}, element));
    otherNorms.push_back(needsNorms(k) ? addOtherNumber(other.norms[k]) : -1);
  }
  firstOtherScalar = numbers.size();
  for (Value scalar : other.scalars)
    addOtherNumber(scalar);
  stageAt = memory.reserve(
      isWide() ? 0 : device::getBytes({2, 2 * rows, depth + 4}, g.f32()));
}

unsigned PairTile::addOtherNumber(Value memref) {
  numbers.push_back(memory.allocate({columns}, element));
  numberBuffers.push_back(memref);
  return numbers.size() - 1;
}

unsigned PairTile::addOtherIndex(Value memref) {
  indices.push_back(memory.allocate({columns}, g.i32()));
  indexBuffers.push_back(memref);
  return indices.size() - 1;
}

Value PairTile::getStage(ArrayRef<int64_t> shape, Type type) {
  assert(device::getBytes(shape, type) <=
         device::getBytes({2, 2 * rows, depth + 4}, g.f32()));
  return memory.view(stageAt, shape, type);
}

void PairTile::startRows(Value first) {
  ownFirst = first;
  Value last = g.sub(ownCount, g.idx(1));
  Value at = g.add(first, row);
  exists = g.less(at, ownCount);
  i = g.min(at, last);
  ownNumbers.clear();
  ownNorms.clear();
  for (Value scalar : own.scalars)
    ownNumbers.push_back(g.convert(g.load(scalar, i), element));
  for (unsigned k = 0; k < numGrams(); ++k)
    ownNorms.push_back(
        needsNorms(k) ? g.convert(g.load(own.norms[k], i), element) : Value());
}

Value PairTile::otherRow(Value column) {
  return g.min(g.add(otherFirst, column), g.sub(otherCount, g.idx(1)));
}

/// Columns beyond the last one repeat it, so that the region meets only values
/// of its domain.
void PairTile::stageNumbers() {
  g.ifThen(g.less(thread, g.idx(columns)), [&] {
    Value j = otherRow(thread);
    for (auto [buffer, staged] : llvm::zip_equal(numberBuffers, numbers))
      g.store(g.convert(g.load(buffer, j), element), staged, thread);
    for (auto [buffer, staged] : llvm::zip_equal(indexBuffers, indices))
      g.store(g.load(buffer, j), staged, thread);
  });
}

void PairTile::startTile(Value first) {
  otherFirst = first;
  emitBarrier(g);
  stageNumbers();
  for (unsigned k = 0; k < numGrams(); ++k) {
    if (isWide())
      emitWideGram(k);
    else
      emitGram(k);
    // The stages are filled again, for the next Gram or by others.
    if (!isWide() || k + 1 == numGrams())
      emitBarrier(g);
  }
}

/// Products of the rows, by two stages: one is copied while the other is
/// multiplied.
void PairTile::emitGram(unsigned k) {
  Value ownStage = getStage({4, rows, depth + 4}, g.f32());
  auto copy = [&](Value stage, Value chunk) -> Value {
    Value p = g.mul(chunk, depth);
    // Own rows in stages 0 and 1, others in 2 and 3.
    Value last = g.sub(ownCount, g.idx(1));
    emitStageRows(g, own.tensors[k], ownStage, stage, thread, threads, rows,
                  depth, p,
                  [&](Value r) { return g.min(g.add(ownFirst, r), last); });
    return emitStageRows(g, other.tensors[k], ownStage, g.add(stage, 2), thread,
                         threads, columns, depth, p,
                         [&](Value c) { return otherRow(c); });
  };
  Fragments fragments(g, productMath, lane);
  Value warpRow = g.mul(g.rem(warp, g.idx(4)), 16);
  Value warpColumn = g.mul(g.div(warp, g.idx(4)), 32);
  Value chunks = g.ceilDiv(g.dim(own.tensors[k], 1), g.idx(depth));
  copy(g.idx(0), g.idx(0));
  Values sums(4, fragments.zero());
  sums = g.forLoop(
      g.idx(0), chunks, g.idx(1), sums, [&](Value chunk, ValueRange carried) {
        // All copies so far have landed, for all threads; and nobody reads the
        // stage any more that is filled next.
        emitWaitAll(g);
        emitBarrier(g);
        Value stage = g.rem(chunk, g.idx(2));
        Value next = g.add(chunk, 1);
        g.ifThen(g.less(next, chunks),
                 [&] { copy(g.rem(next, g.idx(2)), next); });
        Values sums(carried);
        for (int64_t p = 0; p < depth; p += 8) {
          auto a = fragments.loadA(warpRow, g.idx(p), ownStage, stage);
          for (int64_t n = 0; n < 4; n += 2) {
            auto b = fragments.loadTwoB(g.add(warpColumn, 8 * n), g.idx(p),
                                        ownStage, g.add(stage, 2));
            for (int64_t i = 0; i < 2; ++i)
              sums[n + i] = fragments.multiply(a, b[i], sums[n + i]);
          }
        }
        return sums;
      });
  for (int64_t n = 0; n < 4; ++n)
    fragments.forEach(
        warpRow, g.add(warpColumn, 8 * n), sums[n],
        [&](Value r, Value c, Value x) { g.store(x, tiles[k], {r, c}); });
}

/// In f64, by differences: rows of f32 would lose in a product what they agree
/// on.
void PairTile::emitWideGram(unsigned k) {
  constexpr int64_t perThread = columns / 4;
  Value x = own.tensors[k], y = other.tensors[k];
  Values at;
  for (int64_t c = 0; c < perThread; ++c)
    at.push_back(otherRow(g.add(quad, 4 * c)));
  Values sums(perThread, g.zero(element));
  sums = g.forLoop(
      g.idx(0), g.dim(x, 1), g.idx(1), sums, [&](Value p, ValueRange carried) {
        Value a = g.convert(g.load(x, {i, p}), element);
        Values next;
        for (auto [j, sum] : llvm::zip_equal(at, carried)) {
          Value b = g.convert(g.load(y, {j, p}), element);
          Value left = isDifference(k) ? g.fsub(a, b) : a;
          next.push_back(g.fadd(sum, g.fmul(left, isDifference(k) ? left : b)));
        }
        return next;
      });
  for (auto [c, sum] : llvm::enumerate(sums))
    g.store(sum, tiles[k], {row, g.add(quad, 4 * static_cast<int64_t>(c))});
}

/// |x - y|^2 of one pair in f64, from the rows.
Value PairTile::emitExact(unsigned k, Value column) {
  Value x = own.tensors[k], y = other.tensors[k];
  Value j = otherRow(column);
  Value sum = g.forLoop(g.idx(0), g.dim(x, 1), g.idx(1), g.zero(g.f64()),
                        [&](Value p, ValueRange carried) {
                          Value d =
                              g.fsub(g.convert(g.load(x, {i, p}), g.f64()),
                                     g.convert(g.load(y, {j, p}), g.f64()));
                          return Values{g.fadd(carried[0], g.fmul(d, d))};
                        })[0];
  return g.convert(sum, element);
}

static Value emitAny(Gen &g, Value mask) {
  Value any = g.extract(mask, 0);
  for (int64_t l = 1; l < PairTile::lanes; ++l)
    any = arith::OrIOp::create(g.b, any, g.extract(mask, l));
  return any;
}

/// Replaces the close lanes of `r` by differences; there are rarely any.
Value PairTile::refine(unsigned k, Value r, Value isClose, const Place &place) {
  return g.ifElse(
      emitAny(g, isClose),
      [&] {
        Value refined = r;
        for (int64_t l = 0; l < lanes; ++l) {
          Value x = g.ifElse(
              g.extract(isClose, l),
              [&] { return Values{emitExact(k, g.add(place.column, l))}; },
              [&] { return Values{g.extract(r, l)}; })[0];
          refined = g.insert(x, refined, l);
        }
        return Values{refined};
      },
      [&] { return Values{r}; })[0];
}

Value PairTile::loadOther(unsigned number, const Place &place) {
  return loadFour(g, numbers[number], place.column, vector);
}

Value PairTile::loadOtherIndex(unsigned index, const Place &place) {
  return loadFour(g, indices[index], place.column,
                  Gen::vectorOf(lanes, g.i32()));
}

Value PairTile::emitColumns(const Place &place) {
  VectorType i32s = Gen::vectorOf(lanes, g.i32());
  Value first =
      arith::IndexCastOp::create(g.b, g.i32(), g.add(otherFirst, place.column));
  return arith::AddIOp::create(g.b, g.broadcast(first, i32s), g.lanes(lanes));
}

PairTile::Pairs PairTile::emitPairs(const Place &place) {
  Values arguments, refined;
  for (unsigned k = 0; k < numGrams(); ++k) {
    Value r = loadFour(g, tiles[k], {place.row, place.column}, vector);
    Value isClose;
    if (needsNorms(k)) {
      Value norms = g.fadd(g.broadcast(ownNorms[k], vector),
                           loadOther(otherNorms[k], place));
      r = g.fma(r, g.real(vector, -2.0), norms);
      r = g.fmax(g.zero(vector), r);
      // There, the subtraction has lost two bits or more.
      isClose = g.flt(r, g.fmul(norms, g.real(vector, 0.25)));
      r = refine(k, r, isClose, place);
    }
    arguments.push_back(r);
    refined.push_back(isClose);
  }
  Values ownScalars, otherScalars;
  for (Value number : ownNumbers)
    ownScalars.push_back(g.broadcast(number, vector));
  for (unsigned s = 0; s < other.scalars.size(); ++s)
    otherScalars.push_back(loadOther(firstOtherScalar + s, place));
  llvm::append_range(arguments, ownsX ? ownScalars : otherScalars);
  llvm::append_range(arguments, ownsX ? otherScalars : ownScalars);
  for (Value number : pair.shared)
    arguments.push_back(g.broadcast(g.convert(number, element), vector));
  Value beyond = g.sub(otherCount, g.add(otherFirst, place.column));
  Value mask = g.maskBelow(beyond, lanes);
  mask = g.both(mask, g.broadcast(exists, mask.getType()));
  return {PairRegion(g, *pair.block, arguments, lanes), refined, mask};
}

Values PairTile::forPairs(
    ValueRange carried,
    function_ref<Values(const Place &, Pairs &, ValueRange)> body) {
  return g.forLoop(g.idx(0), g.idx(columns), g.idx(4 * lanes), carried,
                   [&](Value first, ValueRange carried) {
                     Place place{row, i, g.add(first, g.mul(quad, lanes))};
                     Pairs pairs = emitPairs(place);
                     return body(place, pairs, carried);
                   });
}

void PairTile::forPairs(function_ref<void(const Place &, Pairs &)> body) {
  forPairs({}, [&](const Place &place, Pairs &pairs, ValueRange) {
    body(place, pairs);
    return Values();
  });
}
