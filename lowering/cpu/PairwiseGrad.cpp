// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise_grad. Blocks of panels of a strip are
// recomputed with their partials; the coefficients A = G dz/dg of a block stay
// in L2 and meet both products there. Pairs that cancel in a product (close
// ones, and the target of nll, whose G is the sum of all others) are added by
// differences.
#include "lowering/cpu/PairBackward.h"
#include "lowering/cpu/VectorMath.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

void Backward::startThread(Value tid) {
  const PairOperands &pair = program.pair;
  program.startThread(stripRows, g.sub(program.rows, g.idx(1)));
  auto rowBuffer = [&](Type element) {
    return work.makeBuffer(
        g, [&] { return g.alloc({ShapedType::kDynamic}, element, stripRows); });
  };
  rowSums.clear();
  for (size_t q = 0; q < rowArguments.size() + (reducer == Reducer::nll); ++q)
    rowSums.push_back({work.makeBuffer(g,
                                       [&] {
                                         return g.alloc(
                                             {ShapedType::kDynamic, tile.lanes},
                                             tile.element, stripRows);
                                       }),
                       rowBuffer(g.f64())});
  columnSums.clear();
  for (size_t q = 0; q < columnArguments.size(); ++q)
    columnSums.push_back(
        {work.makeBuffer(g,
                         [&] { return g.alloc({tile.panel()}, tile.element); }),
         g.slice(columnPartials[q], tid)});
  coefficients.clear();
  products.clear();
  packedRows.clear();
  yParts.clear();
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    coefficients.push_back(work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                     tile.element, {blockPanels, stripRows});
    }));
    products.push_back(work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, ShapedType::kDynamic}, tile.element,
                     {stripRows, g.mul(depthPanels(k), tile.panel())});
    }));
    packedRows.push_back(work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                     tile.element, {depthPanels(k), stripRows});
    }));
    Value part = g.slice(yPartials[k], tid);
    yParts.push_back(part);
    g.fillZero(part, tile.lanes);
  }
  for (auto [narrow, wide] : columnSums)
    g.fillZero(wide, tile.lanes);
  for (Value partial : sharedPartials)
    if (partial)
      g.store(g.zero(g.f64()), partial, tid);
  threadId = tid;
  if (reducer == Reducer::nll) {
    cotangents = rowBuffer(tile.element);
    targetPartials = work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, numArguments()}, tile.element,
                     stripRows);
    });
  }
  if (reducer == Reducer::softmax)
    cotangents = rowBuffer(tile.element);
  if (isFused) {
    sums.startThread(stripRows);
    targetLogits = rowBuffer(tile.element);
    program.keep(kept, stripRows);
    skips.startThread(tid, program.panels, stripRows);
  }
  if (reducer != Reducer::none) {
    lseHigh = rowBuffer(tile.element);
    lseLow = rowBuffer(tile.element);
  }
}

void Backward::startStrip() {
  const PairOperands &pair = program.pair;
  g.forLoop(program.tiledCount, [&](Value row) {
    Value i = g.min(g.add(program.first, row), g.sub(program.rows, g.idx(1)));
    if (reducer != Reducer::none) {
      // In two parts, since rounding lse would scale all p of the row.
      Value whole = g.load(lse, i);
      Value high = g.convert(whole, tile.element);
      g.store(high, lseHigh, row);
      g.store(g.convert(g.fsub(whole, g.convert(high, g.f64())), tile.element),
              lseLow, row);
    }
    if (reducer == Reducer::nll)
      g.store(g.convert(g.load(pair.cotangent, i), tile.element), cotangents,
              row);
    if (reducer == Reducer::softmax)
      g.store(g.convert(emitCotangentSum(i), tile.element), cotangents, row);
    for (auto [narrow, wide] : rowSums)
      g.store(g.zero(g.f64()), wide, row);
    for (Value product : products)
      zeroRow(product, row);
  });
  for (unsigned k = 0; k < pair.numGrams(); ++k)
    emitPack(g, tile, g.window(pair.xs[k], 0, program.first, program.count),
             /*isTransposed=*/false, g.idx(0), program.count, packedRows[k],
             g.idx(0), depthPanels(k));
  zeroPadding();
  if (isFused)
    skips.decide(program.tiledCount, program.columns, [&](Value row) {
      return g.load(getLosses(), program.clampRow(row));
    });
}

void Backward::zeroRow(Value memref, Value row) {
  g.forLoop(g.idx(0), g.dim(memref, 1), g.idx(tile.lanes), [&](Value j) {
    g.storeVector(g.zero(tile.vector()), memref, {row, j});
  });
}

Value Backward::emitCotangentSum(Value i) {
  Value total = g.zero(g.f64());
  return g.forLoop(g.idx(0), program.columns, g.idx(1), total,
                   [&](Value j, ValueRange sum) {
                     Value ct = g.load(program.pair.cotangent, {i, j});
                     return Values{g.fadd(sum[0], g.convert(ct, g.f64()))};
                   })[0];
}

//===----------------------------------------------------------------------===//
// A block of panels
//===----------------------------------------------------------------------===//

void Backward::emitBlock(Value p0, Value p1) {
  VectorType vector = tile.vector();
  g.forLoop(program.tiledCount, [&](Value row) {
    for (auto [narrow, wide] : rowSums)
      g.storeVector(g.zero(vector), narrow, {row, g.idx(0)});
  });
  blockStart = p0;
  program.forPairs(
      p0, p1,
      [&](Value) {
        for (auto [narrow, wide] : columnSums)
          for (int64_t v = 0; v < tile.vectors; ++v)
            g.storeVector(g.zero(vector), narrow, g.idx(v * tile.lanes));
      },
      [&](const PairProgram::Place &place, PairProgram::Pairs &pairs) {
        emitPairs(place, pairs);
      },
      [&](Value panel) {
        VectorType wideType = Gen::vectorOf(tile.lanes, g.f64());
        for (auto [narrow, wide] : columnSums)
          for (int64_t v = 0; v < tile.vectors; ++v) {
            Value from = g.idx(v * tile.lanes);
            Value to = g.add(g.mul(panel, tile.panel()), from);
            Value sum = g.convert(g.loadVector(narrow, from, vector), g.f64());
            g.storeVector(g.fadd(g.loadVector(wide, to, wideType), sum), wide,
                          to);
          }
      },
      [&](Value panel, Value row, function_ref<void()> visit) {
        if (isFused)
          skips.ifVisited(panel, row, visit);
        else
          visit();
      });
  g.forLoop(program.count, [&](Value row) {
    for (auto [narrow, wide] : rowSums) {
      Value sum = g.loadVector(narrow, {row, g.idx(0)}, vector);
      g.store(g.fadd(g.load(wide, row), g.sum(g.convert(sum, g.f64()))), wide,
              row);
    }
  });
  for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
    if (usesX[k])
      emitProductForX(k, p0, p1);
    if (usesY[k])
      emitProductForY(k, p0, p1);
  }
}

/// G = dL/dz of the pairs, zero at targets.
Value Backward::emitLogitGradient(const PairProgram::Place &place, Value z,
                                  Value mask, Value isTarget) {
  VectorType vector = program.vector;
  Value ct;
  if (reducer != Reducer::nll)
    ct = g.loadPart(program.pair.cotangent, {place.i, place.column}, vector,
                    mask);
  if (reducer == Reducer::none)
    return ct;
  auto row = [&](Value buffer) {
    return g.broadcast(g.load(buffer, place.row), vector);
  };
  Value t = g.fsub(g.fsub(z, row(lseHigh)), row(lseLow));
  Value p = emitExpBelow(g, t);
  if (reducer == Reducer::softmax)
    return g.fsub(ct, g.fmul(p, row(cotangents)));
  p = g.select(isTarget, g.zero(vector), p);
  p = g.select(mask, p, g.zero(vector));
  addToRow(rowArguments.size(), place.row, p);
  return g.fmul(p, row(cotangents));
}

void Backward::addToRow(unsigned quantity, Value row, Value x) {
  Value narrow = rowSums[quantity].first;
  Values at = {row, g.idx(0)};
  Value sum = g.loadVector(narrow, at, tile.vector());
  for (int64_t part = 0; part < program.lanes; part += tile.lanes)
    sum = g.fadd(sum, g.piece(x, part, tile.lanes));
  g.storeVector(sum, narrow, at);
}

void Backward::addToColumn(unsigned quantity, Value offset, Value x) {
  Value narrow = columnSums[quantity].first;
  g.storeVector(g.fadd(g.loadVector(narrow, offset, program.vector), x), narrow,
                offset);
}

void Backward::emitPairs(const PairProgram::Place &place,
                         PairProgram::Pairs &pairs) {
  VectorType vector = program.vector;
  const PairOperands &pair = program.pair;
  Value mask = program.getColumnMask(place);
  Value exists = g.less(place.row, program.count);
  if (isFused)
    exists = g.both(exists, skips.doesCount(place.panel, place.row));
  mask = g.both(mask, g.broadcast(exists, mask.getType()));
  Value isTarget;
  if (reducer == Reducer::nll) {
    Type i32s = Gen::withElement(vector, g.i32());
    Value column = arith::IndexCastOp::create(g.b, g.i32(), place.column);
    Value columns = arith::AddIOp::create(g.b, g.broadcast(column, i32s),
                                          g.lanes(program.lanes));
    isTarget =
        g.equal(columns, g.broadcast(g.load(pair.targets, place.i), i32s));
    isTarget = g.both(isTarget, mask);
  }
  Values partials(numArguments());
  for (unsigned a = 0; a < numArguments(); ++a)
    if (isNeeded(a))
      partials[a] = pairs.region.getYielded(1 + a);
  Value z = pairs.region.getYielded(0);
  Value gradient = emitLogitGradient(place, z, mask, isTarget);
  // nll: at its target G is 0 here, but 0 times an infinite partial is not.
  Value keep = mask;
  if (isTarget) {
    Value all = g.integer(mask.getType(), 1);
    keep = g.both(mask, arith::XOrIOp::create(g.b, isTarget, all));
  }
  Values terms(numArguments());
  auto makeTerm = [&](unsigned a) {
    if (!terms[a])
      terms[a] = g.select(keep, g.fmul(gradient, partials[a]), g.zero(vector));
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k)
    if (usesX[k] || usesY[k])
      makeTerm(k);
  llvm::for_each(rowArguments, makeTerm);
  llvm::for_each(columnArguments, makeTerm);

  // By differences: close pairs now, targets once G is known.
  Value special = isTarget;
  for (Value refined : pairs.refined)
    if (refined) {
      Value close = g.both(refined, mask);
      special =
          special ? Value(arith::OrIOp::create(g.b, special, close)) : close;
    }
  if (special)
    g.ifThen(g.anyLane(special), [&] {
      emitSpecial(place, pairs.refined, isTarget, mask, terms, partials);
    });

  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    if (!terms[k])
      continue;
    if (pairs.refined[k])
      terms[k] = g.select(pairs.refined[k], g.zero(vector), terms[k]);
    g.storeVector(terms[k], coefficients[k],
                  {g.sub(place.panel, blockStart), place.row, place.offset});
  }
  for (auto [q, a] : llvm::enumerate(rowArguments))
    addToRow(q, place.row, terms[a]);
  for (auto [q, a] : llvm::enumerate(columnArguments))
    addToColumn(q, place.offset, terms[a]);
}

void Backward::emitSpecial(const PairProgram::Place &place, ValueRange refined,
                           Value isTarget, Value mask, ValueRange terms,
                           ValueRange partials) {
  auto lane = [&](Value v, Value l) -> Value {
    return vector::ExtractOp::create(g.b, v, OpFoldResult(l));
  };
  g.forLoop(g.idx(program.lanes), [&](Value l) {
    if (isTarget)
      g.ifThen(lane(isTarget, l), [&] {
        for (auto [a, partial] : llvm::enumerate(partials))
          if (partial)
            g.store(lane(partial, l), targetPartials,
                    {place.row, g.idx(static_cast<int64_t>(a))});
      });
    for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
      if (!refined[k] || !terms[k])
        continue;
      Value isClose = g.both(refined[k], mask);
      // The term of a target is zero: nothing is added twice.
      g.ifThen(lane(isClose, l), [&] {
        addByDifference(k, place.row, place.i, g.add(place.column, l),
                        lane(terms[k], l));
      });
    }
  });
}
