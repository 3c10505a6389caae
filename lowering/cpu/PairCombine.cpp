// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise_grad in f32: what surrounds the blocks. Partial results of the
// threads are added in thread order.
#include "lowering/cpu/PairBackward.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

void Backward::allocate(Value count) {
  Value padded = g.mul(program.panels, tile.panel());
  for (unsigned k = 0; k < program.pair.numGrams(); ++k) {
    Value width = g.mul(depthPanels(k), tile.panel());
    packedY.push_back(
        g.alloc({ShapedType::kDynamic, ShapedType::kDynamic, tile.panel()},
                g.f32(), {depthPanels(k), padded}));
    yPartials.push_back(g.alloc(SmallVector<int64_t>(3, ShapedType::kDynamic),
                                g.f32(), {count, padded, width}));
  }
  for (unsigned q = 0; q < numColumnQuantities(); ++q)
    columnPartials.push_back(
        g.alloc({ShapedType::kDynamic, ShapedType::kDynamic}, g.f64(),
                {count, padded}));
  for (size_t s = 0; s < program.pair.shared.size(); ++s)
    sharedPartials.push_back(g.alloc({ShapedType::kDynamic}, g.f64(), count));
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
            g.storeVector(g.zero(program.vector), packedY[k],
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
      g.dealloc(buffer);
  program.freeColumns();
}

void Backward::emit() {
  program.prepareColumns();
  // Panels per block, of strips with the table's rows.
  unsigned numGrams = program.pair.numGrams();
  stripRows = g.idx(work.target.stripRows / tile.rows * tile.rows);
  int64_t panelBytes = work.target.stripRows * tile.panel() * 4 * numGrams;
  blockPanels =
      g.idx(std::max<int64_t>(1, work.target.stripBytes / 2 / panelBytes));
  Value count = work.getThreadCount(g);
  allocate(count);
  packColumns();
  g.parallel(count, [&](Value tid) {
    work.withBuffers(g, [&] {
      auto [lower, upper] =
          Work::getPart(g, program.rows, tile.rows, tid, count);
      startThread(tid);
      g.forLoop(lower, upper, stripRows, [&, upper = upper](Value first) {
        program.startStrip(first, g.min(stripRows, g.sub(upper, first)));
        startStrip();
        g.forLoop(g.idx(0), program.panels, blockPanels, [&](Value p) {
          emitBlock(p, g.min(g.add(p, blockPanels), program.panels));
        });
        finishStrip();
      });
    });
  });
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
  unsigned next = 0;
  auto takeTerm = [&] {
    Value partial = g.load(targetPartials, {row, g.idx(next++)});
    return g.fmul(gradient, g.convert(partial, g.f64()));
  };
  auto addTo = [&](Value memref, Value at, Value x) {
    g.store(g.fadd(g.load(memref, at), x), memref, at);
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k)
    addByDifference(k, row, i, target, g.convert(takeTerm(), g.f32()));
  unsigned rowQuantity = numDifferences(), columnQuantity = numDifferences();
  for (size_t u = 0; u < pair.rowScalars.size(); ++u)
    addTo(rowSums[rowQuantity++].second, row, takeTerm());
  for (size_t w = 0; w < pair.columnScalars.size(); ++w)
    addTo(columnSums[columnQuantity++].second, target, takeTerm());
  for (size_t s = 0; s < pair.shared.size(); ++s)
    addTo(rowSums[rowQuantity++].second, row, takeTerm());
}

void Backward::storeRow(Value row, Value i) {
  const PairOperands &pair = program.pair;
  VectorType vector = program.vector;
  unsigned quantity = 0;
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    Value sum;
    if (pair.isDifference(k))
      sum = g.broadcast(
          g.convert(g.load(rowSums[quantity++].second, row), g.f32()), vector);
    g.forMasked(
        g.idx(0), g.dim(pair.xs[k], 1), tile.lanes, [&](Value p, Value mask) {
          Value product = g.loadVector(products[k], {row, p}, vector);
          if (sum) {
            Value x = g.loadPart(pair.xs[k], {i, p}, vector, mask);
            product =
                g.fmul(g.real(vector, 2.0), g.fsub(g.fmul(sum, x), product));
          }
          g.storePart(product, outs[k], {i, p}, mask);
        });
  }
  unsigned numGrams = pair.numGrams();
  for (size_t u = 0; u < pair.rowScalars.size(); ++u)
    g.store(g.load(rowSums[quantity++].second, row), outs[2 * numGrams + u], i);
  for (size_t s = 0; s < pair.shared.size(); ++s) {
    Value sum = g.load(rowSums[quantity++].second, row);
    g.store(g.fadd(g.load(sharedParts[s], threadId), sum), sharedParts[s],
            threadId);
  }
}

//===----------------------------------------------------------------------===//
// All threads
//===----------------------------------------------------------------------===//

void Backward::combine(Value count) {
  const PairOperands &pair = program.pair;
  VectorType vector = program.vector;
  unsigned numGrams = pair.numGrams(), numRows = pair.rowScalars.size(),
           numColumns = pair.columnScalars.size();
  auto addUp = [&](Type type, function_ref<Value(Value)> load) {
    return g.forLoop(g.idx(0), count, g.idx(1), g.zero(type),
                     [&](Value t, ValueRange sum) {
                       return Values{g.fadd(sum[0], load(t))};
                     })[0];
  };
  g.parallel(count, [&](Value tid) {
    auto [lower, upper] = Work::getPart(g, program.columns, 1, tid, count);
    g.forLoop(lower, upper, g.idx(1), [&](Value j) {
      unsigned quantity = 0;
      auto columnSum = [&](unsigned q) {
        return addUp(g.f64(), [&](Value t) {
          return g.load(columnPartials[q], {t, j});
        });
      };
      for (unsigned k = 0; k < numGrams; ++k) {
        Value sum;
        if (pair.isDifference(k))
          sum = g.broadcast(g.convert(columnSum(quantity++), g.f32()), vector);
        g.forMasked(g.idx(0), g.dim(pair.ys[k], 1), tile.lanes,
                    [&](Value p, Value mask) {
                      Value part = addUp(vector, [&](Value t) {
                        return g.loadVector(yPartials[k], {t, j, p}, vector);
                      });
                      if (sum) {
                        Value y = g.loadPart(pair.ys[k], {j, p}, vector, mask);
                        part = g.fmul(g.real(vector, 2.0),
                                      g.fsub(g.fmul(sum, y), part));
                      }
                      g.storePart(part, outs[numGrams + k], {j, p}, mask);
                    });
      }
      for (unsigned w = 0; w < numColumns; ++w)
        g.store(columnSum(quantity++), outs[2 * numGrams + numRows + w], j);
    });
  });
  for (size_t s = 0; s < pair.shared.size(); ++s)
    g.store(
        addUp(g.f64(), [&](Value t) { return g.load(sharedPartials[s], t); }),
        outs[2 * numGrams + numRows + numColumns + s]);
}

LogicalResult geo::cpu::emitPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                         ValueRange operands, ValueRange outs) {
  if (isFast(PairOperands(op, operands)))
    Backward(work, g, op, operands, outs).emit();
  else
    emitExactPairwiseGrad(work, g, op, operands, outs);
  return success();
}
