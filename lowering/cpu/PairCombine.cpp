// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise_grad: what surrounds the blocks. Partial
// results of the threads are added in thread order.
#include "lowering/cpu/PairBackward.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

Backward::Backward(Work &work, Gen &g, PairwiseGradOp op, ValueRange operands,
                   ValueRange outs)
    : work(work), g(g), program(work, g, PairOperands(op, operands)),
      tile(program.tile), reducer(op.getReducer()), isFused(op.isFused()),
      outs(outs), sums(work, g, tile), skips(work, g, tile) {
  auto isRead = [&](unsigned result) {
    return !op->getResult(result).use_empty();
  };
  unsigned numGrams = program.pair.numGrams();
  for (unsigned k = 0; k < numGrams; ++k) {
    usesX.push_back(isRead(k));
    usesY.push_back(isRead(numGrams + k));
    if (!program.pair.isDifference(k))
      continue;
    if (usesX[k])
      rowArguments.push_back(k);
    if (usesY[k])
      columnArguments.push_back(k);
  }
  for (unsigned a = firstRow(); a < numArguments(); ++a) {
    bool isColumn = a >= firstColumn() && a < firstShared();
    if (isRead(getResult(a)))
      (isColumn ? columnArguments : rowArguments).push_back(a);
  }
  lse = isFused ? outs.back() : program.pair.lse;
  if (isFused)
    kept = chooseKept();
}

SmallVector<Value> Backward::chooseKept() {
  // The logit is needed again for its probability, Grams of differences to know
  // what is close.
  SmallVector<unsigned> wanted = {0};
  for (unsigned a = 0; a < numArguments(); ++a)
    if (isNeeded(a))
      wanted.push_back(1 + a);
  SmallVector<Value> values =
      findKept(*program.pair.block, program.pair.numGrams(), wanted);
  for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
    Value gram = program.pair.block->getArgument(k);
    if (program.pair.isDifference(k) && !llvm::is_contained(values, gram))
      values.push_back(gram);
  }
  std::optional<int64_t> panels = getConstantIntValue(program.panels);
  int64_t rows = work.target.stripRows * tile.panel() * tile.bytes();
  bool fits = panels && *panels * rows * static_cast<int64_t>(values.size()) <=
                            work.target.keptBytes;
  return fits ? values : SmallVector<Value>();
}

void Backward::allocate(Value count) {
  Value padded = g.mul(program.panels, tile.panel());
  for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
    Value width = g.mul(depthPanels(k), tile.panel());
    packedY.push_back(
        g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                tile.element, {depthPanels(k), padded}));
    yPartials.push_back(g.alloc(SmallVector<int64_t>(3, ShapedType::kDynamic),
                                tile.element, {count, padded, width}));
  }
  for (size_t q = 0; q < columnArguments.size(); ++q)
    columnPartials.push_back(
        g.alloc({ShapedType::kDynamic, ShapedType::kDynamic}, g.f64(),
                {count, padded}));
  for (unsigned a : rowArguments)
    sharedPartials.push_back(
        a >= firstShared() ? g.alloc({ShapedType::kDynamic}, g.f64(), count)
                           : Value());
}

/// y in panels along d, with rows of zeros up to whole panels of columns.
void Backward::packColumns() {
  work.onThreads(g, [&](Value tid, Value count) {
    for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
      auto [lower, upper] = Work::getPart(g, depthPanels(k), 1, tid, count);
      emitPack(g, tile, program.pair.ys[k], /*isTransposed=*/false, g.idx(0),
               program.columns, packedY[k], lower, upper);
      g.forLoop(lower, upper, g.idx(1), [&](Value p) {
        Value end = g.mul(program.panels, tile.panel());
        g.forLoop(program.columns, end, g.idx(1), [&](Value j) {
          for (int64_t v = 0; v < tile.vectors; ++v)
            g.storeVector(g.zero(tile.vector()), packedY[k],
                          {p, j, g.idx(v * tile.lanes)});
        });
      });
    }
  });
}

void Backward::release() {
  for (Values *buffers :
       {&packedY, &yPartials, &columnPartials, &sharedPartials})
    for (Value buffer : *buffers)
      if (buffer)
        g.dealloc(buffer);
  program.freeColumns();
}

void Backward::emit() {
  program.prepareColumns();
  // Panels per block, of strips with the table's rows.
  unsigned numGrams = program.pair.numGrams();
  stripRows = getStripRows(g, work.target, tile);
  int64_t panelBytes =
      work.target.stripRows * tile.panel() * tile.bytes() * numGrams;
  blockPanels =
      g.idx(std::max<int64_t>(1, work.target.stripBytes / 2 / panelBytes));
  Value count = work.getThreadCount(g);
  allocate(count);
  packColumns();
  if (isFused)
    skips.start(count);
  g.parallel(count, [&](Value tid) {
    work.withBuffers(g, [&] {
      auto [lower, upper] =
          Work::getPart(g, program.rows, tile.rows, tid, count);
      startThread(tid);
      g.forLoop(lower, upper, stripRows, [&, upper = upper](Value first) {
        program.startStrip(first, g.min(stripRows, g.sub(upper, first)));
        if (isFused) {
          program.useKept(false);
          emitStripLoss(program, sums, targetLogits, getLosses(), lse, &skips);
          program.useKept(!kept.empty());
        }
        startStrip();
        g.forLoop(g.idx(0), program.panels, blockPanels, [&](Value p) {
          emitBlock(p, g.min(g.add(p, blockPanels), program.panels));
        });
        finishStrip();
      });
    });
  });
  if (isFused)
    skips.finish(count);
  combine(count);
  release();
}

//===----------------------------------------------------------------------===//
// The end of a strip
//===----------------------------------------------------------------------===//

void Backward::finishStrip() {
  g.forLoop(program.count, [&](Value row) {
    Value i = g.add(program.first, row);
    if (reducer == Reducer::nll)
      emitTarget(row, i);
    storeRow(row, i);
  });
}

/// nll: the target's G = -ct * (sum of the other p), which 1 - p would cancel.
void Backward::emitTarget(Value row, Value i) {
  const PairOperands &pair = program.pair;
  Value target =
      arith::IndexCastOp::create(g.b, g.index(), g.load(pair.targets, i));
  Value others = g.load(rowSums.back().second, row);
  Value gradient = g.fneg(g.fmul(g.load(pair.cotangent, i), others));
  auto term = [&](unsigned a) {
    Value partial = g.load(targetPartials, {row, g.idx(a)});
    return g.fmul(gradient, g.convert(partial, g.f64()));
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k)
    if (usesX[k] || usesY[k])
      addByDifference(k, row, i, target, g.convert(term(k), tile.element));
  auto addTo = [&](Value memref, Value at, unsigned a) {
    if (!isGram(a))
      g.store(g.fadd(g.load(memref, at), term(a)), memref, at);
  };
  for (auto [q, a] : llvm::enumerate(rowArguments))
    addTo(rowSums[q].second, row, a);
  for (auto [q, a] : llvm::enumerate(columnArguments))
    addTo(columnSums[q].second, target, a);
}

void Backward::storeRow(Value row, Value i) {
  const PairOperands &pair = program.pair;
  VectorType vector = tile.vector();
  Values sums(pair.numGrams());
  for (auto [q, a] : llvm::enumerate(rowArguments)) {
    Value sum = g.load(rowSums[q].second, row);
    if (isGram(a))
      sums[a] = g.broadcast(g.convert(sum, tile.element), vector);
    else if (a < firstColumn())
      g.store(sum, outs[getResult(a)], i);
    else
      g.store(g.fadd(g.load(sharedPartials[q], threadId), sum),
              sharedPartials[q], threadId);
  }
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    if (!usesX[k])
      continue;
    g.forMasked(
        g.idx(0), g.dim(pair.xs[k], 1), tile.lanes, [&](Value p, Value mask) {
          Value product = g.loadVector(products[k], {row, p}, vector);
          if (sums[k])
            product = emitDifference(sums[k], pair.xs[k], i, p, mask, product);
          g.storePart(product, outs[k], {i, p}, mask);
        });
  }
}

/// 2 (sum x - product), row `i` of x.
Value Backward::emitDifference(Value sum, Value x, Value i, Value p, Value mask,
                               Value product) {
  VectorType vector = tile.vector();
  Value row = g.loadPart(x, {i, p}, vector, mask);
  return g.fmul(g.real(vector, 2.0), g.fsub(g.fmul(sum, row), product));
}

//===----------------------------------------------------------------------===//
// All threads
//===----------------------------------------------------------------------===//

void Backward::combine(Value count) {
  const PairOperands &pair = program.pair;
  VectorType vector = tile.vector();
  auto addUp = [&](Type type, function_ref<Value(Value)> load) {
    return g.forLoop(g.idx(0), count, g.idx(1), g.zero(type),
                     [&](Value t, ValueRange sum) {
                       return Values{g.fadd(sum[0], load(t))};
                     })[0];
  };
  g.parallel(count, [&](Value tid) {
    auto [lower, upper] = Work::getPart(g, program.columns, 1, tid, count);
    g.forLoop(lower, upper, g.idx(1), [&](Value j) {
      Values sums(pair.numGrams());
      for (auto [q, a] : llvm::enumerate(columnArguments)) {
        Value sum = addUp(g.f64(), [&, q = q](Value t) {
          return g.load(columnPartials[q], {t, j});
        });
        if (isGram(a))
          sums[a] = g.broadcast(g.convert(sum, tile.element), vector);
        else
          g.store(sum, outs[getResult(a)], j);
      }
      for (unsigned k = 0; k < pair.numGrams(); ++k) {
        if (!usesY[k])
          continue;
        g.forMasked(
            g.idx(0), g.dim(pair.ys[k], 1), tile.lanes,
            [&](Value p, Value mask) {
              Value part = addUp(vector, [&](Value t) {
                return g.loadVector(yPartials[k], {t, j, p}, vector);
              });
              if (sums[k])
                part = emitDifference(sums[k], pair.ys[k], j, p, mask, part);
              g.storePart(part, outs[pair.numGrams() + k], {j, p}, mask);
            });
      }
    });
  });
  for (auto [q, a] : llvm::enumerate(rowArguments))
    if (a >= firstShared())
      g.store(
          addUp(g.f64(),
                [&, q = q](Value t) { return g.load(sharedPartials[q], t); }),
          outs[getResult(a)]);
}

LogicalResult geo::cpu::emitPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                         ValueRange operands, ValueRange outs) {
  Backward(work, g, op, operands, outs).emit();
  return success();
}
