// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five constructs, as their descriptions in GeoConstructs.td say.
#include "dialect/interpreter/Detail.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace geo;
using namespace geo::interpreter;

using L = long double;

/// The id at `i` if it names one of `count` rows.
static FailureOr<int64_t> getId(Operation *op, const Datum &ids, int64_t i,
                                int64_t count) {
  auto id = static_cast<int64_t>(ids.data[i]);
  if (id < 0 || id >= count)
    return op->emitOpError("expects ids in [0, ")
           << count << "), but got " << id << " at " << i;
  return id;
}

static LogicalResult expectEqual(Operation *op, StringRef what, int64_t want,
                                 int64_t got) {
  if (want != got)
    return op->emitOpError("expects ")
           << want << ' ' << what << ", but got " << got;
  return success();
}

//===----------------------------------------------------------------------===//
// Row programs
//===----------------------------------------------------------------------===//

Results Interpreter::rowwise(RowwiseOp op, Operands operands) {
  int64_t numRows = operands[0]->shape[0];
  unsigned numRowOperands = op.getRows().size();
  for (const Datum *row : operands.take_front(numRowOperands))
    if (failed(expectEqual(op, "rows", numRows, row->shape[0])))
      return failure();
  SmallVector<Datum> results;
  for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
    SmallVector<int64_t> shape;
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      shape = llvm::to_vector(tensor.getShape());
    if (i < op.getNumRowResults())
      shape[0] = numRows;
    results.push_back(Datum::zeros(shape));
  }
  for (int64_t r = 0; r < numRows; ++r) {
    SmallVector<Datum> arguments;
    for (auto [i, operand] : llvm::enumerate(operands))
      arguments.push_back(i < numRowOperands ? operand->slice(r) : *operand);
    Results yielded = run(op.getBlock(), arguments);
    if (failed(yielded))
      return failure();
    for (auto [i, value] : llvm::enumerate(*yielded)) {
      if (i < op.getNumRowResults())
        results[i].setSlice(r, value);
      else
        for (int64_t k = 0; k < value.size(); ++k)
          results[i].data[k] += value.data[k];
    }
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Pair programs
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Product, gather, scan
//===----------------------------------------------------------------------===//

Results interpreter::matmul(MatmulOp op, const Datum &a, const Datum &b) {
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  int64_t rows = a.shape[ta ? 1 : 0], inner = a.shape[ta ? 0 : 1];
  int64_t columns = b.shape[tb ? 0 : 1];
  if (failed(
          expectEqual(op, "contracted elements", inner, b.shape[tb ? 1 : 0])))
    return failure();
  Datum c = Datum::zeros({rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < inner; ++k)
        c.data[i * columns + j] += a.data[ta ? k * rows + i : i * inner + k] *
                                   b.data[tb ? j * inner + k : k * columns + j];
  return SmallVector<Datum>{c};
}

Results interpreter::gather(GatherOp op, const Datum &table, const Datum &ids) {
  int64_t count = ids.shape[0];
  Datum rows = Datum::zeros({count, table.shape[1]});
  for (int64_t i = 0; i < count; ++i) {
    FailureOr<int64_t> id = getId(op, ids, i, table.shape[0]);
    if (failed(id))
      return failure();
    rows.setSlice(i, table.slice(*id));
  }
  return SmallVector<Datum>{rows};
}

Results interpreter::scatterAdd(ScatterAddOp op, const Datum &rows,
                                const Datum &ids, const Datum *size) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t count =
      size ? static_cast<int64_t>(size->number()) : type.getDimSize(0);
  if (failed(expectEqual(op, "ids", rows.shape[0], ids.shape[0])))
    return failure();
  int64_t d = rows.shape[1];
  Datum table = Datum::zeros({count, d});
  for (int64_t i = 0; i < ids.shape[0]; ++i) {
    FailureOr<int64_t> id = getId(op, ids, i, count);
    if (failed(id))
      return failure();
    for (int64_t e = 0; e < d; ++e)
      table.data[*id * d + e] += rows.data[i * d + e];
  }
  return SmallVector<Datum>{table};
}

Results interpreter::columns(ColumnsOp op, const Datum &x) {
  int64_t rows = x.shape[0], d = x.shape[1], width = op.getWidth();
  SmallVector<int64_t> shape = {rows};
  if (op.getType().getRank() == 2)
    shape.push_back(width);
  Datum result = Datum::zeros(shape);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t e = 0; e < width; ++e)
      result.data[i * width + e] = x.data[i * d + op.getOffset() + e];
  return SmallVector<Datum>{result};
}

Results interpreter::concatColumns(ConcatColumnsOp op,
                                   ArrayRef<const Datum *> pieces) {
  int64_t rows = pieces[0]->shape[0], d = op.getType().getDimSize(1);
  Datum result = Datum::zeros({rows, d});
  for (auto [piece, offset, value] :
       llvm::zip_equal(pieces, op.getOffsets(), op.getPieces())) {
    if (failed(expectEqual(op, "rows", rows, piece->shape[0])))
      return failure();
    int64_t width = ConcatColumnsOp::getWidth(value);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t e = 0; e < width; ++e)
        result.data[i * d + offset + e] = piece->data[i * width + e];
  }
  return SmallVector<Datum>{result};
}

Results Interpreter::scan(ScanOp op, Operands operands) {
  unsigned numStates = op.getNumStates(), numInputs = op.getInputs().size();
  unsigned numOutputs = op.getNumResults() - numStates;
  int64_t steps = operands[numStates]->shape[0];
  int64_t truncate = op.getTruncate();
  for (const Datum *input : operands.slice(numStates, numInputs))
    if (failed(expectEqual(op, "steps", steps, input->shape[0])))
      return failure();
  if (steps == 0)
    return op.emitOpError("expects at least one step, but got 0");
  SmallVector<Datum> states;
  for (const Datum *init : operands.take_front(numStates))
    states.push_back(*init);
  SmallVector<Datum> outputs(numOutputs);
  for (int64_t s = 0; s < steps; ++s) {
    int64_t t = op.getReverse() ? steps - 1 - s : s;
    bool cuts = truncate > 0 && t > 0 && t % truncate == 0;
    if (cuts && !op.getReverse() && frozen)
      for (Datum &state : states)
        frozen->pass(state);
    SmallVector<Datum> arguments = states;
    for (const Datum *input : operands.slice(numStates, numInputs))
      arguments.push_back(input->slice(t));
    for (const Datum *shared : operands.drop_front(numStates + numInputs))
      arguments.push_back(*shared);
    Results yielded = run(op.getBlock(), arguments);
    if (failed(yielded))
      return failure();
    states.assign(yielded->begin(), yielded->begin() + numStates);
    if (cuts && op.getReverse())
      for (Datum &state : states)
        llvm::fill(state.data, 0);
    for (unsigned i = 0; i < numOutputs; ++i) {
      const Datum &value = (*yielded)[numStates + i];
      if (s == 0) {
        SmallVector<int64_t> shape = llvm::to_vector_of<int64_t>(value.shape);
        shape.insert(shape.begin(), steps);
        outputs[i] = Datum::zeros(shape);
      }
      outputs[i].setSlice(t, value);
    }
  }
  SmallVector<Datum> results = states;
  llvm::append_range(results, outputs);
  return results;
}
