// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The accurate mode of pair programs: Grams by differences in f64, the region
// on numbers, reducers and gradients in f64. Rows over threads.
#include "lowering/cpu/Pairwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

namespace {
class Exact {
public:
  Exact(Work &work, Gen &g, PairOperands pair, Reducer reducer, ValueRange outs)
      : work(work), g(g), pair(std::move(pair)), reducer(reducer), outs(outs),
        lanes(work.target.lanes), wide(Gen::vectorOf(lanes, g.f64())) {
    rows = g.dim(this->pair.xs[0], 0);
    columns = g.dim(this->pair.ys[0], 0);
  }

  void emitForward();
  void emitBackward();

private:
  Value number(double x) { return g.real(g.f64(), x); }
  /// The yielded values of the pair, in f64.
  Values emitPair(Value i, Value j);
  Value emitSum(function_ref<Value(Value j)> term);
  Value loadTarget(Value i) {
    return arith::IndexCastOp::create(g.b, g.index(), g.load(pair.targets, i));
  }
  void addTo(Value memref, ValueRange at, Value x) {
    g.store(g.fadd(g.load(memref, at), x), memref, at);
  }
  void emitReducedRow(Value i, Value logits);

  // Gradient.
  void allocate(Value count);
  void startThread(Value tid);
  void prepareRow(Value i, Value logits);
  Value emitLogitGradient(Value i, Value j, Value z);
  void addPair(Value i, Value j, Value gradient, ValueRange partials);
  void storeRow(Value i);
  void combine(Value count);

  Work &work;
  Gen &g;
  PairOperands pair;
  Reducer reducer;
  ValueRange outs;
  int64_t lanes;
  VectorType wide;
  Value rows, columns;
  /// Per thread: dY_k [T, V, d], dw [T, V], ds [T].
  Values yPartials, columnPartials, sharedPartials;
  Values xSums, ySums, columnSums, rowSums;
  Value threadId, rowSum, target;
};
} // namespace

Values Exact::emitPair(Value i, Value j) {
  Values arguments;
  for (unsigned k = 0; k < pair.numGrams(); ++k)
    arguments.push_back(emitExactGram(g, pair.xs[k], i, pair.ys[k], j,
                                      pair.isDifference(k), lanes));
  for (Value u : pair.rowScalars)
    arguments.push_back(g.load(u, i));
  for (Value w : pair.columnScalars)
    arguments.push_back(g.load(w, j));
  llvm::append_range(arguments, pair.shared);
  for (Value &argument : arguments)
    argument = g.convert(argument, pair.math);
  Values yielded = emitRegion(g, *pair.block, arguments, /*isVector=*/false, 1);
  for (Value &v : yielded)
    v = g.convert(v, g.f64());
  return yielded;
}

Value Exact::emitSum(function_ref<Value(Value)> term) {
  return g.forLoop(g.idx(0), columns, g.idx(1), number(0),
                   [&](Value j, ValueRange sum) {
                     return Values{g.fadd(sum[0], term(j))};
                   })[0];
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

void Exact::emitReducedRow(Value i, Value logits) {
  Value minusInf = number(-std::numeric_limits<double>::infinity());
  // Unordered: a NaN becomes the maximum or stays in the sum, never lost.
  Values top = g.forLoop(g.idx(0), columns, g.idx(1), {minusInf, g.idx(0)},
                         [&](Value j, ValueRange best) {
                           Value z = g.load(logits, j);
                           Value isAbove = arith::CmpFOp::create(
                               g.b, arith::CmpFPredicate::UGT, z, best[0]);
                           return Values{g.select(isAbove, z, best[0]),
                                         g.select(isAbove, j, best[1])};
                         });
  // Without the largest term, so that log1p keeps what is small beside it.
  Value others = emitSum([&](Value j) {
    Value p = math::ExpOp::create(g.b, g.fsub(g.load(logits, j), top[0]));
    return g.select(g.equal(j, top[1]), number(0), p);
  });
  Value tail = math::Log1pOp::create(g.b, others);
  g.store(g.fadd(top[0], tail), outs[1], i);
  if (reducer == Reducer::nll) {
    Value z = g.load(logits, loadTarget(i));
    g.store(g.fadd(g.fsub(top[0], z), tail), outs[0], i);
    return;
  }
  g.forLoop(columns, [&](Value j) {
    Value z = g.fsub(g.fsub(g.load(logits, j), top[0]), tail);
    g.store(g.convert(z, Gen::elementOf(outs[0])), outs[0], {i, j});
  });
}

void Exact::emitForward() {
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] = Work::getPart(g, rows, 1, tid, count);
    Value logits = work.makeBuffer(
        g, [&] { return g.alloc({ShapedType::kDynamic}, g.f64(), columns); });
    g.forLoop(lower, upper, g.idx(1), [&](Value i) {
      g.forLoop(columns, [&](Value j) {
        Value z = emitPair(i, j)[0];
        if (reducer == Reducer::none)
          g.store(g.convert(z, Gen::elementOf(outs[0])), outs[0], {i, j});
        else
          g.store(z, logits, j);
      });
      if (reducer != Reducer::none)
        emitReducedRow(i, logits);
    });
  });
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

void Exact::allocate(Value count) {
  SmallVector<int64_t> dynamic(3, ShapedType::kDynamic);
  for (Value y : pair.ys)
    yPartials.push_back(
        g.alloc(dynamic, g.f64(), {count, columns, g.dim(y, 1)}));
  for (size_t w = 0; w < pair.columnScalars.size(); ++w)
    columnPartials.push_back(
        g.alloc({dynamic[0], dynamic[1]}, g.f64(), {count, columns}));
  for (size_t s = 0; s < pair.shared.size(); ++s)
    sharedPartials.push_back(g.alloc({dynamic[0]}, g.f64(), count));
}

void Exact::startThread(Value tid) {
  threadId = tid;
  xSums.clear();
  ySums.clear();
  columnSums.clear();
  for (auto [x, partial] : llvm::zip_equal(pair.xs, yPartials)) {
    xSums.push_back(work.makeBuffer(g, [&, &x = x] {
      return g.alloc({ShapedType::kDynamic}, g.f64(), g.dim(x, 1));
    }));
    ySums.push_back(g.slice(partial, tid));
    g.fillZero(ySums.back(), lanes);
  }
  for (Value partial : columnPartials) {
    columnSums.push_back(g.slice(partial, tid));
    g.fillZero(columnSums.back(), lanes);
  }
  for (Value partial : sharedPartials)
    g.store(number(0), partial, tid);
}

void Exact::prepareRow(Value i, Value logits) {
  for (Value sum : xSums)
    g.fillZero(sum, lanes);
  for (size_t u = 0; u < pair.rowScalars.size(); ++u)
    g.store(number(0), outs[2 * pair.numGrams() + u], i);
  if (reducer == Reducer::softmax)
    rowSum = emitSum([&](Value j) {
      return g.convert(g.load(pair.cotangent, {i, j}), g.f64());
    });
  if (reducer != Reducer::nll)
    return;
  target = loadTarget(i);
  Value lse = g.load(pair.lse, i);
  // 1 - p of the target as the sum of the others, which does not cancel.
  rowSum = emitSum([&](Value j) {
    Value z = emitPair(i, j)[0];
    g.store(z, logits, j);
    Value p = math::ExpOp::create(g.b, g.fsub(z, lse));
    return g.select(g.equal(j, target), number(0), p);
  });
}

Value Exact::emitLogitGradient(Value i, Value j, Value z) {
  Value ct;
  if (reducer != Reducer::nll)
    ct = g.convert(g.load(pair.cotangent, {i, j}), g.f64());
  if (reducer == Reducer::none)
    return ct;
  Value p = math::ExpOp::create(g.b, g.fsub(z, g.load(pair.lse, i)));
  if (reducer == Reducer::softmax)
    return g.fsub(ct, g.fmul(p, rowSum));
  p = g.select(g.equal(j, target), g.fneg(rowSum), p);
  return g.fmul(g.convert(g.load(pair.cotangent, i), g.f64()), p);
}

void Exact::addPair(Value i, Value j, Value gradient, ValueRange partials) {
  auto takeTerm = [&] {
    Value term = g.fmul(gradient, partials.front());
    partials = partials.drop_front();
    return term;
  };
  for (unsigned k = 0; k < pair.numGrams(); ++k) {
    Value x = pair.xs[k], y = pair.ys[k];
    Value a = takeTerm();
    if (pair.isDifference(k))
      a = g.fmul(a, number(2));
    Value scale = g.broadcast(a, wide);
    g.forMasked(g.idx(0), g.dim(x, 1), lanes, [&](Value p, Value mask) {
      auto load = [&](Value memref, Value row) {
        VectorType type = Gen::vectorOf(lanes, Gen::elementOf(memref));
        return g.convert(g.loadPart(memref, {row, p}, type, mask), g.f64());
      };
      Value forX = load(y, j), forY = load(x, i);
      if (pair.isDifference(k)) {
        Value difference = g.fsub(forY, forX);
        forX = difference;
        forY = g.fneg(difference);
      }
      auto add = [&](Value memref, ValueRange at, Value v) {
        Value sum = g.loadPart(memref, at, wide, mask);
        g.storePart(g.fma(scale, v, sum), memref, at, mask);
      };
      add(xSums[k], p, forX);
      add(ySums[k], {j, p}, forY);
    });
  }
  for (size_t u = 0; u < pair.rowScalars.size(); ++u)
    addTo(outs[2 * pair.numGrams() + u], i, takeTerm());
  for (Value sum : columnSums)
    addTo(sum, j, takeTerm());
  for (Value partial : sharedPartials)
    addTo(partial, threadId, takeTerm());
}

void Exact::storeRow(Value i) {
  for (auto [k, sum] : llvm::enumerate(xSums)) {
    Value out = outs[k];
    g.forMasked(
        g.idx(0), g.dim(sum, 0), lanes, [&, &sum = sum](Value p, Value mask) {
          Value v =
              g.convert(g.loadPart(sum, p, wide, mask), Gen::elementOf(out));
          g.storePart(v, out, {i, p}, mask);
        });
  }
}

void Exact::combine(Value count) {
  auto addUp = [&](Type type, function_ref<Value(Value)> load) {
    return g.forLoop(g.idx(0), count, g.idx(1), g.zero(type),
                     [&](Value t, ValueRange sum) {
                       return Values{g.fadd(sum[0], load(t))};
                     })[0];
  };
  unsigned numGrams = pair.numGrams();
  unsigned firstColumn = 2 * numGrams + pair.rowScalars.size();
  unsigned firstShared = firstColumn + columnPartials.size();
  g.parallel(count, [&](Value tid) {
    auto [lower, upper] = Work::getPart(g, columns, 1, tid, count);
    g.forLoop(lower, upper, g.idx(1), [&](Value j) {
      for (unsigned k = 0; k < numGrams; ++k) {
        Value out = outs[numGrams + k];
        g.forMasked(g.idx(0), g.dim(pair.ys[k], 1), lanes,
                    [&](Value p, Value mask) {
                      Value sum = addUp(wide, [&](Value t) {
                        return g.loadPart(yPartials[k], {t, j, p}, wide, mask);
                      });
                      g.storePart(g.convert(sum, Gen::elementOf(out)), out,
                                  {j, p}, mask);
                    });
      }
      for (auto [w, partial] : llvm::enumerate(columnPartials))
        g.store(addUp(g.f64(),
                      [&, &partial = partial](Value t) {
                        return g.load(partial, {t, j});
                      }),
                outs[firstColumn + w], j);
    });
  });
  for (auto [s, partial] : llvm::enumerate(sharedPartials))
    g.store(addUp(g.f64(), [&, &partial = partial](
                               Value t) { return g.load(partial, t); }),
            outs[firstShared + s]);
  for (Values *buffers : {&yPartials, &columnPartials, &sharedPartials})
    for (Value buffer : *buffers)
      g.dealloc(buffer);
}

void Exact::emitBackward() {
  Value count = work.getThreadCount(g);
  allocate(count);
  g.parallel(count, [&](Value tid) {
    work.withBuffers(g, [&] {
      startThread(tid);
      Value logits = work.makeBuffer(
          g, [&] { return g.alloc({ShapedType::kDynamic}, g.f64(), columns); });
      auto [lower, upper] = Work::getPart(g, rows, 1, tid, count);
      g.forLoop(lower, upper, g.idx(1), [&](Value i) {
        prepareRow(i, logits);
        g.forLoop(columns, [&](Value j) {
          Values yielded = emitPair(i, j);
          Value gradient = emitLogitGradient(i, j, yielded[0]);
          addPair(i, j, gradient, ValueRange(yielded).drop_front());
        });
        storeRow(i);
      });
    });
  });
  combine(count);
}

void geo::cpu::emitExactPairwise(Work &work, Gen &g, PairwiseOp op,
                                 ValueRange operands, ValueRange outs) {
  Exact(work, g, PairOperands(op, operands), op.getReducer(), outs)
      .emitForward();
}

void geo::cpu::emitExactPairwiseGrad(Work &work, Gen &g, PairwiseGradOp op,
                                     ValueRange operands, ValueRange outs) {
  Exact(work, g, PairOperands(op, operands), op.getReducer(), outs)
      .emitBackward();
}
