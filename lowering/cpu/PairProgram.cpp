// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/PairProgram.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

Value geo::cpu::emitExactGram(Gen &g, Value x, Value i, Value y, Value j,
                              bool isDifference, int64_t lanes) {
  Value length = g.dim(x, 1);
  VectorType xType = Gen::vectorOf(lanes, Gen::elementOf(x));
  VectorType yType = Gen::vectorOf(lanes, Gen::elementOf(y));
  auto term = [&](Value p, Value mask, Value sum) {
    Value a = g.convert(g.loadPart(x, {i, p}, xType, mask), g.f64());
    Value b = g.convert(g.loadPart(y, {j, p}, yType, mask), g.f64());
    if (isDifference)
      a = b = g.fsub(a, b);
    return g.fma(a, b, sum);
  };
  Value whole = g.mul(g.div(length, g.idx(lanes)), lanes);
  Value sum = g.forLoop(g.idx(0), whole, g.idx(lanes),
                        g.zero(Gen::vectorOf(lanes, g.f64())),
                        [&](Value p, ValueRange carried) {
                          return Values{term(p, Value(), carried[0])};
                        })[0];
  sum = g.ifElse(
      g.less(whole, length),
      [&] {
        Value mask = g.maskBelow(g.sub(length, whole), lanes);
        return Values{term(whole, mask, sum)};
      },
      [&] { return Values{sum}; })[0];
  return g.sum(sum);
}

/// Whether there are fewer rows than a tile has; gradients take whole tiles.
static bool hasFewRows(const PairOperands &pair, const CpuTarget &target) {
  auto type = cast<MemRefType>(pair.xs[0].getType());
  return !pair.cotangent && !type.isDynamicDim(0) &&
         type.getDimSize(0) < target.tileRows;
}

static Tile makeTile(const PairOperands &pair, const CpuTarget &target,
                     bool isFew) {
  Tile tile(target, pair.math);
  if (!isFew)
    return tile;
  auto type = cast<MemRefType>(pair.xs[0].getType());
  return tile.withRows(std::max<int64_t>(1, type.getDimSize(0)));
}

PairProgram::PairProgram(Work &work, Gen &g, PairOperands pair)
    : work(work), g(g), pair(std::move(pair)),
      isFew(hasFewRows(this->pair, work.target)),
      tile(makeTile(this->pair, work.target, isFew)),
      lanes(tile.lanes * work.target.pairVectors),
      vector(Gen::vectorOf(lanes, tile.element)) {
  rows = g.dim(this->pair.xs[0], 0);
  columns = g.dim(this->pair.ys[0], 0);
  panels = g.ceilDiv(columns, g.idx(tile.panel()));
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

void PairProgram::prepareColumns() {
  Value padded = g.mul(panels, tile.panel());
  auto make = [&] {
    return g.alloc({ShapedType::kDynamic}, tile.element, padded);
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    if (!isFew)
      packed.push_back(emitPackedWhole(work, g, tile, pair.ys[k],
                                       /*isTransposed=*/true));
    columnNorms.push_back(needsNorms(k) ? make() : Value());
  }
  for (size_t s = 0; s < pair.columnScalars.size(); ++s)
    columnNumbers.push_back(make());
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, padded, tile.panel(), tid, count);
    g.forLoop(lower, upper, g.idx(1), [&](Value j) {
      // Padding repeats the last column, so that the region meets only values
      // of its domain.
      Value from = g.min(j, g.sub(columns, g.idx(1)));
      for (unsigned k = 0; k < pair.numGrams(); ++k)
        if (columnNorms[k]) {
          Value y = pair.ys[k];
          Value norm = emitExactGram(g, y, from, y, from,
                                     /*isDifference=*/false, tile.lanes);
          g.store(g.convert(norm, tile.element), columnNorms[k], j);
        }
      for (auto [scalar, number] :
           llvm::zip_equal(pair.columnScalars, columnNumbers))
        g.store(g.convert(g.load(scalar, from), tile.element), number, j);
    });
  });
}

void PairProgram::freeColumns() {
  for (Value buffer : packed)
    g.dealloc(buffer);
  for (Value buffer : columnNorms)
    if (buffer)
      g.dealloc(buffer);
  for (Value buffer : columnNumbers)
    g.dealloc(buffer);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void PairProgram::startThread(Value stripRows, Value last) {
  lastRow = last;
  auto make = [&] {
    return work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic}, tile.element, stripRows);
    });
  };
  rowNorms.clear();
  rowNumbers.clear();
  gramTiles.clear();
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    rowNorms.push_back(needsNorms(k) ? make() : Value());
    gramTiles.push_back(work.makeBuffer(
        g, [&] { return g.alloc({tile.rows, tile.panel()}, tile.element); }));
  }
  for (size_t s = 0; s < pair.rowScalars.size(); ++s)
    rowNumbers.push_back(make());
}

Value PairProgram::clampRow(Value row) {
  return g.min(g.add(first, row), lastRow);
}

void PairProgram::startStrip(Value firstRow, Value rowCount) {
  first = firstRow;
  count = rowCount;
  tiledCount = g.mul(g.ceilDiv(count, g.idx(tile.rows)), tile.rows);
  g.forLoop(tiledCount, [&](Value row) {
    Value i = clampRow(row);
    for (unsigned k = 0; k < pair.numGrams(); ++k)
      if (rowNorms[k]) {
        Value x = pair.xs[k];
        Value norm =
            emitExactGram(g, x, i, x, i, /*isDifference=*/false, tile.lanes);
        g.store(g.convert(norm, tile.element), rowNorms[k], row);
      }
    for (auto [scalar, number] : llvm::zip_equal(pair.rowScalars, rowNumbers))
      g.store(g.convert(g.load(scalar, i), tile.element), number, row);
  });
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

void PairProgram::emitGramTile(Value panel, Value row) {
  Values at;
  for (int64_t r = 0; r < tile.rows; ++r)
    at.push_back(clampRow(g.add(row, r)));
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    if (isFew) {
      emitFewGrams(k, panel, at);
      continue;
    }
    Values acc = emitTile(
        g, tile, g.idx(0), g.dim(pair.xs[k], 1),
        [&](int64_t r, Value p) {
          return g.convert(g.load(pair.xs[k], {at[r], p}), tile.element);
        },
        [&](int64_t v, Value p) {
          return g.loadVector(packed[k], {panel, p, g.idx(v * tile.lanes)},
                              tile.vector());
        },
        /*init=*/{}, /*isDifference=*/pair.isDifference(k) && isNarrow(k));
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v)
        g.storeVector(acc[r * tile.vectors + v], gramTiles[k],
                      {g.idx(r), g.idx(v * tile.lanes)});
  }
}

/// Columns are rows of y: some at a time, whose chains of sums overlap.
void PairProgram::emitFewGrams(unsigned k, Value panel, ValueRange rows) {
  constexpr int64_t atOnce = 8;
  Value x = pair.xs[k], y = pair.ys[k];
  Value length = g.dim(x, 1);
  VectorType xType = Gen::vectorOf(tile.lanes, Gen::elementOf(x));
  VectorType yType = Gen::vectorOf(tile.lanes, Gen::elementOf(y));
  Value whole = g.mul(g.div(length, g.idx(tile.lanes)), tile.lanes);
  g.forLoop(g.idx(0), g.idx(tile.panel()), g.idx(atOnce), [&](Value c) {
    Values columnsAt;
    for (int64_t u = 0; u < atOnce; ++u)
      columnsAt.push_back(g.min(g.add(g.add(g.mul(panel, tile.panel()), c), u),
                                g.sub(columns, g.idx(1))));
    auto addTerms = [&](Value p, Value mask, ValueRange sums) {
      Values result, xs;
      for (Value i : rows)
        xs.push_back(
            g.convert(g.loadPart(x, {i, p}, xType, mask), tile.element));
      for (auto [u, j] : llvm::enumerate(columnsAt)) {
        Value b = g.convert(g.loadPart(y, {j, p}, yType, mask), tile.element);
        for (auto [r, a] : llvm::enumerate(xs)) {
          Value left = pair.isDifference(k) ? g.fsub(a, b) : a;
          Value right = pair.isDifference(k) ? left : b;
          result.push_back(g.fma(left, right, sums[u * rows.size() + r]));
        }
      }
      return result;
    };
    Values sums(atOnce * rows.size(), g.zero(tile.vector()));
    sums = g.forLoop(g.idx(0), whole, g.idx(tile.lanes), sums,
                     [&](Value p, ValueRange carried) {
                       return addTerms(p, Value(), carried);
                     });
    sums = g.ifElse(
        g.less(whole, length),
        [&] {
          Value mask = g.maskBelow(g.sub(length, whole), tile.lanes);
          return addTerms(whole, mask, sums);
        },
        [&] { return sums; });
    for (int64_t u = 0; u < atOnce; ++u)
      for (size_t r = 0; r < rows.size(); ++r)
        g.store(g.sum(sums[u * rows.size() + r]), gramTiles[k],
                {g.idx(int64_t(r)), g.add(c, u)});
  });
}

/// Replaces the close lanes of `r` by differences; there are rarely any.
Value PairProgram::refine(unsigned k, Value r, Value isClose, Value i,
                          Value column) {
  return g.ifElse(
      g.anyLane(isClose),
      [&] {
        return g.forLoop(
            g.idx(0), g.idx(lanes), g.idx(1), r,
            [&](Value lane, ValueRange carried) {
              Value isThis =
                  vector::ExtractOp::create(g.b, isClose, OpFoldResult(lane));
              return g.ifElse(
                  isThis,
                  [&] {
                    Value exact = emitExactGram(
                        g, pair.xs[k], i, pair.ys[k], g.add(column, lane),
                        /*isDifference=*/true, tile.lanes);
                    return Values{vector::InsertOp::create(
                        g.b, g.convert(exact, tile.element), carried[0],
                        OpFoldResult(lane))};
                  },
                  [&] { return Values{carried[0]}; });
            });
      },
      [&] { return Values{r}; })[0];
}

PairProgram::Pairs PairProgram::emitVector(const Place &place) {
  Values arguments, refined;
  Value tileRow = g.rem(place.row, g.idx(tile.rows));
  Values keptAt = {place.panel, place.row, place.offset};
  auto findKept = [&](Value v) -> Value {
    auto *it = llvm::find_if(kept, [&](auto &k) { return k.first == v; });
    return usesKept && it != kept.end() ? it->second : Value();
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    Value buffer = findKept(pair.block->getArgument(k));
    Value r, isClose;
    if (buffer)
      r = g.loadVector(buffer, keptAt, vector);
    else if (!usesKept)
      r = g.loadVector(gramTiles[k], {tileRow, place.offset}, vector);
    if (r && needsNorms(k)) {
      Value norms = g.fadd(g.broadcast(g.load(rowNorms[k], place.row), vector),
                           g.loadVector(columnNorms[k], place.column, vector));
      bool isProduct = !isNarrow(k) && !buffer;
      if (isProduct) {
        r = g.fma(r, g.real(vector, -2.0), norms);
        r = g.fmax(g.zero(vector), r);
      }
      // There, the subtraction has lost two bits or more.
      isClose = g.flt(r, g.fmul(norms, g.real(vector, 0.25)));
      if (isProduct)
        r = refine(k, r, isClose, place.i, place.column);
    }
    arguments.push_back(r);
    refined.push_back(isClose);
  }
  for (Value number : rowNumbers)
    arguments.push_back(g.broadcast(g.load(number, place.row), vector));
  for (Value number : columnNumbers)
    arguments.push_back(g.loadVector(number, place.column, vector));
  for (Value number : pair.shared)
    arguments.push_back(g.broadcast(g.convert(number, tile.element), vector));
  PairRegion region(g, *pair.block, arguments, lanes);
  for (auto [v, buffer] : kept) {
    if (usesKept)
      region.set(v, g.loadVector(buffer, keptAt, vector));
    else
      g.storeVector(region.get(v), buffer, keptAt);
  }
  return {std::move(region), refined};
}

void PairProgram::keep(ArrayRef<Value> values, Value stripRows) {
  kept.clear();
  for (Value v : values)
    kept.emplace_back(v, work.makeBuffer(g, [&] {
      return g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                     tile.element, {panels, stripRows});
    }));
}

void PairProgram::forPairs(Value p0, Value p1, function_ref<void(Value)> start,
                           PairsFn body, function_ref<void(Value)> finish,
                           TileFn onTile) {
  auto visit = [&](Value panel, Value tileRow) {
    if (!usesKept)
      emitGramTile(panel, tileRow);
    g.forLoop(g.idx(tile.rows), [&](Value r) {
      Value row = g.add(tileRow, r);
      Value i = clampRow(row);
      g.forLoop(g.idx(0), g.idx(tile.panel()), g.idx(lanes), [&](Value offset) {
        Place place{row, i, panel, offset,
                    g.add(g.mul(panel, tile.panel()), offset)};
        Pairs pairs = emitVector(place);
        body(place, pairs);
      });
    });
  };
  g.forLoop(p0, p1, g.idx(1), [&](Value panel) {
    start(panel);
    g.forLoop(g.idx(0), tiledCount, g.idx(tile.rows), [&](Value row) {
      if (onTile)
        onTile(panel, row, [&] { visit(panel, row); });
      else
        visit(panel, row);
    });
    finish(panel);
  });
}
