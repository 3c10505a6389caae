// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise and geo.pairwise_grad: the region once per pair, the reducer in
// f64.
#include "lowering/LoopUtils.h"
#include "lowering/loops/LoopsEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace geo;

namespace {

/// What both pair ops share: the operands in groups, and the region of a pair.
template <class Op> struct Pairs {
  Pairs(ImplicitLocOpBuilder &b, Op op, ValueRange operands)
      : b(b), op(op), f64(b.getF64Type()) {
    auto take = [&](auto range) {
      ValueRange group = operands.take_front(range.size());
      operands = operands.drop_front(range.size());
      return group;
    };
    xs = take(op.getXs());
    ys = take(op.getYs());
    rowScalars = take(op.getRowScalars());
    columnScalars = take(op.getColumnScalars());
    shared = take(op.getShared());
    rest = operands;
    n = dimOf(b, xs[0], 0);
    v = dimOf(b, ys[0], 0);
  }

  /// x_i - y_j or x_i alone with y_j, element p of Gram k, in f64.
  std::pair<Value, Value> loadPair(unsigned k, Value i, Value j, Value p) {
    return {convertFloat(b, emitLoad(b, xs[k], {i, p}), f64),
            convertFloat(b, emitLoad(b, ys[k], {j, p}), f64)};
  }

  Value emitGram(unsigned k, Value i, Value j) {
    return emitFor(b, dimOf(b, xs[k], 1), constantFloat(b, f64, 0.0),
                   [&](Value p, ValueRange sum) -> SmallVector<Value> {
                     auto [x, y] = loadPair(k, i, j, p);
                     if (op.getGramKind(k) == GramKind::sqdiff)
                       x = y = arith::SubFOp::create(b, x, y);
                     Value term = arith::MulFOp::create(b, x, y);
                     return {arith::AddFOp::create(b, sum[0], term)};
                   })[0];
  }

  /// The yielded values of the pair (i, j), in f64.
  SmallVector<Value> emitRegion(Value i, Value j) {
    SmallVector<Value> arguments;
    for (unsigned k = 0; k < op.getNumGrams(); ++k)
      arguments.push_back(emitGram(k, i, j));
    for (Value u : rowScalars)
      arguments.push_back(emitLoad(b, u, i));
    for (Value w : columnScalars)
      arguments.push_back(emitLoad(b, w, j));
    llvm::append_range(arguments, shared);
    IRMapping mapping;
    for (auto [argument, value] :
         llvm::zip(op.getBlock().getArguments(), arguments))
      mapping.map(argument, convertFloat(b, value, op.getMathType()));
    for (Operation &inner : op.getBlock().without_terminator()) {
      if (isa<DetachOp>(inner))
        mapping.map(inner.getResult(0), mapping.lookup(inner.getOperand(0)));
      else
        b.clone(inner, mapping);
    }
    return llvm::map_to_vector(op.getYield().getValues(), [&](Value value) {
      return convertFloat(b, mapping.lookup(value), f64);
    });
  }

  /// One number per column, in f64.
  Value allocateColumns() {
    auto type = MemRefType::get({ShapedType::kDynamic}, f64);
    return memref::AllocOp::create(b, type, v);
  }

  Value loadTarget(Value i) {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      emitLoad(b, rest[0], i));
  }

  ImplicitLocOpBuilder &b;
  Op op;
  Type f64;
  ValueRange xs, ys, rowScalars, columnScalars, shared, rest;
  Value n, v;
};

/// The largest logit, its place, and log sum over the others of exp(z - max).
struct LogSum {
  Value max, argmax, tail;
};

LogSum emitLogSum(ImplicitLocOpBuilder &b, Value logits, Value v) {
  Type f64 = b.getF64Type();
  Value minusInf = constantFloat(b, f64, -INFINITY);
  // Unordered: a NaN becomes the maximum or stays in the sum, never lost.
  auto top = emitFor(b, v, {minusInf, constantIndex(b, 0)},
                     [&](Value j, ValueRange best) -> SmallVector<Value> {
                       Value z = emitLoad(b, logits, j);
                       Value above = arith::CmpFOp::create(
                           b, arith::CmpFPredicate::UGT, z, best[0]);
                       return {arith::SelectOp::create(b, above, z, best[0]),
                               arith::SelectOp::create(b, above, j, best[1])};
                     });
  // Without the largest term, so that log1p keeps what is small beside it.
  Value zero = constantFloat(b, f64, 0.0);
  auto sum =
      emitFor(b, v, zero, [&](Value j, ValueRange sum) -> SmallVector<Value> {
        Value z = emitLoad(b, logits, j);
        Value p = math::ExpOp::create(b, arith::SubFOp::create(b, z, top[0]));
        Value isTop =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, j, top[1]);
        p = arith::SelectOp::create(b, isTop, zero, p);
        return {arith::AddFOp::create(b, sum[0], p)};
      });
  return {top[0], top[1], math::Log1pOp::create(b, sum[0])};
}

void emitLse(ImplicitLocOpBuilder &b, const LogSum &sum, Value i, Value out) {
  emitStore(b, arith::AddFOp::create(b, sum.max, sum.tail), out, i);
}

/// lse - z of the target, with what is small beside the largest logit.
template <class Op>
void emitNll(Pairs<Op> &pairs, const LogSum &sum, Value logits, Value i,
             Value out) {
  ImplicitLocOpBuilder &b = pairs.b;
  Value z = emitLoad(b, logits, pairs.loadTarget(i));
  Value gap = arith::SubFOp::create(b, sum.max, z);
  emitStore(b, arith::AddFOp::create(b, gap, sum.tail), out, i);
}

} // namespace

LogicalResult LoopsEmitter::emitPairwise(ImplicitLocOpBuilder &b, PairwiseOp op,
                                         ValueRange operands, ValueRange outs) {
  Pairs<PairwiseOp> pairs(b, op, operands);
  Type table = cast<MemRefType>(outs[0].getType()).getElementType();
  if (op.getReducer() == Reducer::none) {
    emitForAll(b, outs[0], [&](ValueRange ij) {
      Value z = pairs.emitRegion(ij[0], ij[1])[0];
      emitStore(b, convertFloat(b, z, table), outs[0], ij);
    });
    return success();
  }
  Value logits = pairs.allocateColumns();
  emitFor(b, pairs.n, [&](Value i) {
    emitFor(b, pairs.v, [&](Value j) {
      emitStore(b, pairs.emitRegion(i, j)[0], logits, j);
    });
    LogSum sum = emitLogSum(b, logits, pairs.v);
    emitLse(b, sum, i, outs[1]);
    // z - lse as (z - max) - tail.
    auto emitLogProbability = [&](Value z) -> Value {
      Value shifted = arith::SubFOp::create(b, z, sum.max);
      return arith::SubFOp::create(b, shifted, sum.tail);
    };
    if (op.getReducer() == Reducer::softmax) {
      emitFor(b, pairs.v, [&](Value j) {
        Value logP = emitLogProbability(emitLoad(b, logits, j));
        emitStore(b, convertFloat(b, logP, table), outs[0], {i, j});
      });
      return;
    }
    emitNll(pairs, sum, logits, i, outs[0]);
  });
  memref::DeallocOp::create(b, logits);
  return success();
}

namespace {

/// Buffers that the gradient adds to, in f64: rows of x of the current i, and
/// all of y.
struct PairGradient {
  PairGradient(Pairs<PairwiseGradOp> &pairs, ValueRange outs)
      : pairs(pairs), b(pairs.b), outs(outs) {}

  void allocate();
  /// Adds G dz for the pair.
  void emitPair(Value i, Value j, Value g, ValueRange partials);
  void storeRow(Value i);
  void finish();

  Value add(Value memref, ValueRange indices, Value term) {
    Value sum = arith::AddFOp::create(b, emitLoad(b, memref, indices), term);
    emitStore(b, sum, memref, indices);
    return sum;
  }

  Pairs<PairwiseGradOp> &pairs;
  ImplicitLocOpBuilder &b;
  ValueRange outs;
  SmallVector<Value> dx, dy;
  ValueRange dw, du, ds;
};

void PairGradient::allocate() {
  unsigned k = pairs.xs.size();
  du = outs.slice(2 * k, pairs.rowScalars.size());
  dw = outs.slice(2 * k + du.size(), pairs.columnScalars.size());
  ds = outs.slice(2 * k + du.size() + dw.size(), pairs.shared.size());
  for (unsigned i = 0; i < k; ++i) {
    int64_t d = cast<MemRefType>(pairs.xs[i].getType()).getDimSize(1);
    dx.push_back(memref::AllocOp::create(b, MemRefType::get({d}, pairs.f64)));
    dy.push_back(memref::AllocOp::create(
        b, MemRefType::get({ShapedType::kDynamic, d}, pairs.f64), pairs.v));
    emitZero(b, dy.back());
  }
  for (ValueRange range : {du, dw, ds})
    for (Value out : range)
      emitZero(b, out);
}

void PairGradient::emitPair(Value i, Value j, Value g, ValueRange partials) {
  unsigned next = 0;
  auto takeTerm = [&]() -> Value {
    return arith::MulFOp::create(b, g, partials[next++]);
  };
  for (unsigned k = 0; k < dx.size(); ++k) {
    Value a = takeTerm();
    bool isDifference = pairs.op.getGramKind(k) == GramKind::sqdiff;
    if (isDifference)
      a = arith::MulFOp::create(b, a, constantFloat(b, pairs.f64, 2.0));
    emitFor(b, dimOf(b, dx[k], 0), [&](Value p) {
      auto [x, y] = pairs.loadPair(k, i, j, p);
      Value forX = y, forY = x;
      if (isDifference) {
        forX = arith::SubFOp::create(b, x, y);
        forY = arith::NegFOp::create(b, forX);
      }
      add(dx[k], p, arith::MulFOp::create(b, a, forX));
      add(dy[k], {j, p}, arith::MulFOp::create(b, a, forY));
    });
  }
  for (Value out : du)
    add(out, i, takeTerm());
  for (Value out : dw)
    add(out, j, takeTerm());
  for (Value out : ds)
    add(out, {}, takeTerm());
}

static void storeRounded(ImplicitLocOpBuilder &b, Value number, Value out,
                         ValueRange indices) {
  Type type = cast<MemRefType>(out.getType()).getElementType();
  emitStore(b, convertFloat(b, number, type), out, indices);
}

void PairGradient::storeRow(Value i) {
  for (unsigned k = 0; k < dx.size(); ++k)
    emitForAll(b, dx[k], [&](ValueRange p) {
      storeRounded(b, emitLoad(b, dx[k], p), outs[k], {i, p[0]});
    });
}

void PairGradient::finish() {
  for (unsigned k = 0; k < dy.size(); ++k) {
    emitForAll(b, dy[k], [&](ValueRange jp) {
      storeRounded(b, emitLoad(b, dy[k], jp), outs[dx.size() + k], jp);
    });
    memref::DeallocOp::create(b, dx[k]);
    memref::DeallocOp::create(b, dy[k]);
  }
}

/// dL/dz of row i: what emitPair multiplies the partials of column j with.
class LogitGradient {
public:
  LogitGradient(Pairs<PairwiseGradOp> &pairs)
      : pairs(pairs), b(pairs.b), reducer(pairs.op.getReducer()),
        cotangent(pairs.rest.back()) {
    if (pairs.op.getLse())
      lse = pairs.rest.drop_back().back();
  }

  /// Of a fused op, whose lse stands in `memref` before emitRow.
  void setLse(Value memref) { lse = memref; }

  /// Sums over row i. `logits` holds its logits.
  void emitRow(Value i, Value logits);
  Value emit(Value i, Value j, Value z);

private:
  Value load(ValueRange indices) {
    return convertFloat(b, emitLoad(b, cotangent, indices), pairs.f64);
  }
  Value emitP(Value i, Value z) {
    return math::ExpOp::create(
        b, arith::SubFOp::create(b, z, emitLoad(b, lse, i)));
  }
  Value emitSumOver(llvm::function_ref<Value(Value j)> term) {
    return emitFor(b, pairs.v, constantFloat(b, pairs.f64, 0.0),
                   [&](Value j, ValueRange sum) -> SmallVector<Value> {
                     return {arith::AddFOp::create(b, sum[0], term(j))};
                   })[0];
  }

  Pairs<PairwiseGradOp> &pairs;
  ImplicitLocOpBuilder &b;
  Reducer reducer;
  Value cotangent, lse;
  /// softmax: sum of the cotangents. nll: 1 - p of the target, as a sum.
  Value rowSum, target;
};

void LogitGradient::emitRow(Value i, Value logits) {
  if (reducer == Reducer::softmax)
    rowSum = emitSumOver([&](Value j) { return load({i, j}); });
  if (reducer != Reducer::nll)
    return;
  target = pairs.loadTarget(i);
  Value zero = constantFloat(b, pairs.f64, 0.0);
  rowSum = emitSumOver([&](Value j) -> Value {
    Value isTarget =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, j, target);
    return arith::SelectOp::create(b, isTarget, zero,
                                   emitP(i, emitLoad(b, logits, j)));
  });
}

Value LogitGradient::emit(Value i, Value j, Value z) {
  switch (reducer) {
  case Reducer::none:
    return load({i, j});
  case Reducer::softmax:
    return arith::SubFOp::create(b, load({i, j}),
                                 arith::MulFOp::create(b, emitP(i, z), rowSum));
  case Reducer::nll: {
    Value isTarget =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, j, target);
    Value p = arith::SelectOp::create(
        b, isTarget, arith::NegFOp::create(b, rowSum), emitP(i, z));
    return arith::MulFOp::create(b, load(i), p);
  }
  }
  llvm_unreachable("unknown reducer");
}

} // namespace

LogicalResult LoopsEmitter::emitPairwiseGrad(ImplicitLocOpBuilder &b,
                                             PairwiseGradOp op,
                                             ValueRange operands,
                                             ValueRange outs) {
  Pairs<PairwiseGradOp> pairs(b, op, operands);
  PairGradient gradient(pairs, outs);
  gradient.allocate();
  LogitGradient logit(pairs);
  Value logits = pairs.allocateColumns();
  emitFor(b, pairs.n, [&](Value i) {
    for (Value row : gradient.dx)
      emitZero(b, row);
    if (op.getReducer() == Reducer::nll)
      emitFor(b, pairs.v, [&](Value j) {
        emitStore(b, pairs.emitRegion(i, j)[0], logits, j);
      });
    if (op.isFused()) {
      LogSum sum = emitLogSum(b, logits, pairs.v);
      Value nll = outs.drop_back().back(), lse = outs.back();
      emitNll(pairs, sum, logits, i, nll);
      emitLse(b, sum, i, lse);
      logit.setLse(lse);
    }
    logit.emitRow(i, logits);
    emitFor(b, pairs.v, [&](Value j) {
      SmallVector<Value> values = pairs.emitRegion(i, j);
      Value g = logit.emit(i, j, values[0]);
      gradient.emitPair(i, j, g, ValueRange(values).drop_front());
    });
    gradient.storeRow(i);
  });
  gradient.finish();
  memref::DeallocOp::create(b, logits);
  return success();
}
