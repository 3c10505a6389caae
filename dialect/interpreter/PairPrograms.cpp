// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise and its adjoint, as their descriptions in GeoPairs.td say.
#include "dialect/interpreter/Detail.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace geo;
using namespace geo::interpreter;

using L = long double;

static L computeGram(GramKind kind, const Datum &x, const Datum &y) {
  L sum = 0;
  for (int64_t k = 0; k < x.size(); ++k)
    sum += kind == GramKind::dot
               ? x.data[k] * y.data[k]
               : (x.data[k] - y.data[k]) * (x.data[k] - y.data[k]);
  return sum;
}

namespace {
/// log sum exp over one row of logits as max + tail, where tail is log1p of the
/// sum without the largest term: a difference with max keeps what is small.
struct LogSum {
  explicit LogSum(const Datum &row) {
    if (row.data.empty())
      return;
    size_t top = 0;
    for (size_t j = 0; j < row.data.size(); ++j)
      if (row.data[j] > row.data[top])
        top = j;
    max = row.data[top];
    if (max == -INFINITY)
      return;
    L rest = 0;
    for (size_t j = 0; j < row.data.size(); ++j)
      rest += j == top ? 0 : std::exp(row.data[j] - max);
    tail = std::log1p(rest);
  }
  L value() const { return max + tail; }
  L logProbability(L z) const { return z - max - tail; }

  L max = -INFINITY, tail = 0;
};
} // namespace

template <class Op>
Results Interpreter::runPair(Op op, Operands operands, int64_t i, int64_t j) {
  // Operands come as x's, y's, row scalars, column scalars, shared.
  auto take = [&](size_t count) {
    Operands taken = operands.take_front(count);
    operands = operands.drop_front(count);
    return taken;
  };
  Operands xs = take(op.getXs().size()), ys = take(op.getYs().size());
  Operands rowScalars = take(op.getRowScalars().size());
  Operands columnScalars = take(op.getColumnScalars().size());
  Operands shared = take(op.getShared().size());
  SmallVector<Datum> arguments;
  for (auto [k, x, y] : llvm::enumerate(xs, ys))
    arguments.push_back(
        computeGram(op.getGramKind(k), x->slice(i), y->slice(j)));
  for (const Datum *u : rowScalars)
    arguments.push_back(u->data[i]);
  for (const Datum *w : columnScalars)
    arguments.push_back(w->data[j]);
  for (const Datum *s : shared)
    arguments.push_back(*s);
  return run(op.getBlock(), arguments);
}

/// Equal numbers of rows for all operands that have the same leading dimension.
template <class Op>
static LogicalResult verifySizes(Op op, ArrayRef<const Datum *> operands,
                                 int64_t n, int64_t v) {
  unsigned k = op.getXs().size(), u = op.getRowScalars().size(),
           w = op.getColumnScalars().size();
  for (unsigned i = 0; i < 2 * k + u + w; ++i) {
    bool isRow = i < k || (i >= 2 * k && i < 2 * k + u);
    if (failed(expectEqual(op, "rows", isRow ? n : v, operands[i]->shape[0])))
      return failure();
  }
  return success();
}

Results Interpreter::pairwise(PairwiseOp op, Operands operands) {
  int64_t n = operands[0]->shape[0];
  int64_t v = operands[op.getXs().size()]->shape[0];
  if (failed(verifySizes(op, operands, n, v)))
    return failure();
  Datum z = Datum::zeros({n, v}), lse = Datum::zeros({n});
  std::vector<LogSum> sums;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < v; ++j) {
      Results logit = runPair(op, operands, i, j);
      if (failed(logit))
        return failure();
      z.data[i * v + j] = logit->front().number();
    }
    sums.emplace_back(z.slice(i));
    lse.data[i] = sums.back().value();
  }
  switch (op.getReducer()) {
  case Reducer::none:
    return SmallVector<Datum>{z};
  case Reducer::softmax: {
    Datum logProbabilities = z;
    for (int64_t i = 0; i < n * v; ++i)
      logProbabilities.data[i] = sums[i / v].logProbability(z.data[i]);
    return SmallVector<Datum>{logProbabilities, lse};
  }
  case Reducer::nll: {
    const Datum &targets = *operands.back();
    if (failed(expectEqual(op, "targets", n, targets.shape[0])))
      return failure();
    Datum nll = lse;
    for (int64_t i = 0; i < n; ++i) {
      FailureOr<int64_t> t = getId(op, targets, i, v);
      if (failed(t))
        return failure();
      nll.data[i] = -sums[i].logProbability(z.data[i * v + *t]);
    }
    return SmallVector<Datum>{nll, lse};
  }
  }
  llvm_unreachable("unknown reducer");
}

/// dL/dz_ij for all j, given the logits z_ij.
static std::vector<L> computeLogitCotangents(PairwiseGradOp op,
                                             const Datum &cotangent, L lse,
                                             const std::vector<L> &z, int64_t i,
                                             int64_t target) {
  if (op.getReducer() == Reducer::none)
    return cotangent.slice(i).data;
  std::vector<L> g;
  for (L logit : z)
    g.push_back(std::exp(logit - lse));
  if (op.getReducer() == Reducer::softmax) {
    std::vector<L> row = cotangent.slice(i).data;
    L rowSum = std::accumulate(row.begin(), row.end(), L(0));
    for (size_t j = 0; j < g.size(); ++j)
      g[j] = row[j] - g[j] * rowSum;
    return g;
  }
  // p - 1 of the target as minus the other p, where the difference would
  // cancel.
  g[target] = 0;
  g[target] = -std::accumulate(g.begin(), g.end(), L(0));
  for (L &x : g)
    x *= cotangent.data[i];
  return g;
}

Results Interpreter::pairwiseGrad(PairwiseGradOp op, Operands operands) {
  unsigned numGrams = op.getNumGrams();
  unsigned numRowScalars = op.getRowScalars().size();
  unsigned numColumnScalars = op.getColumnScalars().size();
  unsigned numShared = op.getShared().size();
  int64_t n = operands[0]->shape[0], v = operands[numGrams]->shape[0];
  if (failed(verifySizes(op, operands, n, v)))
    return failure();
  unsigned next = 2 * numGrams + numRowScalars + numColumnScalars + numShared;
  SmallVector<Datum> results;
  for (const Datum *operand : operands.take_front(next))
    results.push_back(Datum::zeros(operand->shape));
  const Datum *targets = op.getTargets() ? operands[next++] : nullptr;
  const Datum *lse = op.getLse() ? operands[next++] : nullptr;
  const Datum &cotangent = *operands[next];
  Datum nll = Datum::zeros({n}), ownLse = nll;

  for (int64_t i = 0; i < n; ++i) {
    FailureOr<int64_t> target = int64_t(-1);
    if (targets && failed(target = getId(op, *targets, i, v)))
      return failure();
    SmallVector<SmallVector<Datum>> partials;
    std::vector<L> z;
    for (int64_t j = 0; j < v; ++j) {
      Results yielded = runPair(op, operands, i, j);
      if (failed(yielded))
        return failure();
      z.push_back(yielded->front().number());
      partials.push_back(std::move(*yielded));
    }
    if (op.isFused()) {
      Datum row = Datum::zeros({v});
      row.data = z;
      LogSum sum(row);
      ownLse.data[i] = sum.value();
      nll.data[i] = -sum.logProbability(z[*target]);
    }
    std::vector<L> g = computeLogitCotangents(
        op, cotangent, (lse ? *lse : ownLse).data[i], z, i, *target);
    for (int64_t j = 0; j < v; ++j) {
      // The partial by argument `a` stands after the logit.
      auto weight = [&](unsigned a) {
        return g[j] * partials[j][1 + a].number();
      };
      for (unsigned k = 0; k < numGrams; ++k) {
        const Datum &x = *operands[k], &y = *operands[numGrams + k];
        Datum &dx = results[k], &dy = results[numGrams + k];
        int64_t d = x.shape[1];
        for (int64_t e = 0; e < d; ++e) {
          L xe = x.data[i * d + e], ye = y.data[j * d + e];
          bool isDot = op.getGramKind(k) == GramKind::dot;
          dx.data[i * d + e] += weight(k) * (isDot ? ye : 2 * (xe - ye));
          dy.data[j * d + e] += weight(k) * (isDot ? xe : 2 * (ye - xe));
        }
      }
      unsigned a = numGrams, r = 2 * numGrams;
      for (unsigned k = 0; k < numRowScalars; ++k)
        results[r++].data[i] += weight(a++);
      for (unsigned k = 0; k < numColumnScalars; ++k)
        results[r++].data[j] += weight(a++);
      for (unsigned k = 0; k < numShared; ++k)
        results[r++].data[0] += weight(a++);
    }
  }
  if (op.isFused())
    results.append({nll, ownLse});
  return results;
}
