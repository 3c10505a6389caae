// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/expand/PairSums.h"

using namespace mlir;
using namespace geo;

namespace {
/// Which sides a value depends on, as bits.
enum Dependence : unsigned { kShared = 0, kRow = 1, kColumn = 2, kPair = 3 };

/// A row as the sum of one of the rows (or shared) and one of the columns,
/// either of which may be absent.
struct Sum {
  Ex row, column;
};

class SumSplitter {
public:
  explicit SumSplitter(PairFormula &formula)
      : formula(formula),
        b(formula.result.getLoc(), formula.result.getContext()) {
    for (auto [argument, side] :
         llvm::zip(formula.block.getArguments(), formula.sides))
      depends[argument] = side == PairSide::row      ? kRow
                          : side == PairSide::column ? kColumn
                                                     : kShared;
  }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(formula.block)) {
      if (auto dot = dyn_cast<DotOp>(op); dot && !isGram(dot)) {
        b.setInsertionPoint(dot);
        b.setLoc(dot.getLoc());
        Ex value = makeDot({b, dot.getX()}, {b, dot.getY()});
        if (value) {
          dot.getResult().replaceAllUsesWith(value.get());
          if (formula.result == dot.getResult())
            formula.result = value.get();
          dot.erase();
          continue;
        }
      }
      note(&op);
      noteSum(&op);
    }
  }

private:
  unsigned of(Value v) const { return depends.lookup(v); }
  bool isMixed(Value v) const { return of(v) == kPair; }

  void note(Operation *op) {
    unsigned mask = kShared;
    for (Value v : op->getOperands())
      mask |= of(v);
    for (Value v : op->getResults())
      depends[v] = mask;
  }
  /// Of a value that was just made.
  Ex noted(Ex e) {
    if (Operation *op = e.get().getDefiningOp())
      note(op);
    return e;
  }

  /// True for what the pair program takes as it is.
  bool isGram(DotOp dot) const {
    if (!isMixed(dot.getX()) && !isMixed(dot.getY()))
      return true;
    Operation *made = dot.getX().getDefiningOp();
    return dot.getX() == dot.getY() &&
           isa_and_nonnull<arith::SubFOp, arith::AddFOp>(made) &&
           !isMixed(made->getOperand(0)) && !isMixed(made->getOperand(1));
  }

  Ex negate(Ex e) {
    if (!e)
      return e;
    if (auto negated = e.get().getDefiningOp<arith::NegFOp>())
      return {b, negated.getOperand()};
    return noted(-e);
  }
  Ex add(Ex x, Ex y) { return !x ? y : !y ? x : noted(x + y); }
  Ex scale(Value s, Ex e) { return e ? noted(Ex(b, s) * e) : e; }

  std::optional<Sum> split(Value v) {
    if (!isMixed(v))
      return of(v) == kColumn ? Sum{{}, {b, v}} : Sum{{b, v}, {}};
    auto known = sums.find(v);
    return known == sums.end() ? std::nullopt : std::optional(known->second);
  }

  /// Notes what a row of both sides is the sum of. Once per op, in order: a row
  /// that is used twice is not split twice.
  void noteSum(Operation *op) {
    if (op->getNumResults() != 1 || !isMixed(op->getResult(0)) ||
        !isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, ScaleOp>(op) ||
        !isa<VectorType>(op->getResult(0).getType()))
      return;
    auto scaled = dyn_cast<ScaleOp>(op);
    std::optional<Sum> x = split(scaled ? scaled.getX() : op->getOperand(0));
    if (!x)
      return;
    b.setInsertionPointAfter(op);
    b.setLoc(op->getLoc());
    if (scaled) {
      if (of(scaled.getS()) != kShared)
        return;
      x = {scale(scaled.getS(), x->row), scale(scaled.getS(), x->column)};
    } else if (isa<arith::NegFOp>(op)) {
      x = {negate(x->row), negate(x->column)};
    } else {
      std::optional<Sum> y = split(op->getOperand(1));
      if (!y)
        return;
      if (isa<arith::SubFOp>(op))
        y = {negate(y->row), negate(y->column)};
      x = {add(x->row, y->row), add(x->column, y->column)};
    }
    sums[op->getResult(0)] = *x;
  }

  /// Takes the scales of rows of both sides off `e`, into `factors`.
  Ex unscale(Ex e, SmallVectorImpl<Value> &factors) {
    while (auto scaled = e.get().getDefiningOp<ScaleOp>()) {
      if (!isMixed(scaled))
        break;
      factors.push_back(scaled.getS());
      e = {b, scaled.getX()};
    }
    return e;
  }

  /// Null if the rows are no such sums.
  Ex makeDot(Ex x, Ex y) {
    bool isNorm = x.get() == y.get();
    SmallVector<Value> factors;
    x = unscale(x, factors);
    y = isNorm ? x : unscale(y, factors);
    Ex product = makeUnscaledDot(x, y, isNorm);
    if (product)
      for (Value s : factors)
        product =
            noted((isNorm ? noted(Ex(b, s) * Ex(b, s)) : Ex(b, s)) * product);
    return product;
  }

  Ex makeUnscaledDot(Ex x, Ex y, bool isNorm) {
    std::optional<Sum> p = split(x.get());
    if (!p)
      return {};
    if (isNorm && p->row && p->column) {
      Ex difference = noted(p->row - negate(p->column));
      return noted(geo::dot(difference, difference));
    }
    std::optional<Sum> q = isNorm ? p : split(y.get());
    if (!q)
      return {};
    Ex sum;
    for (Ex left : {p->row, p->column})
      for (Ex right : {q->row, q->column})
        if (left && right)
          sum = add(sum, noted(geo::dot(left, right)));
    return sum;
  }

  PairFormula &formula;
  ImplicitLocOpBuilder b;
  DenseMap<Value, unsigned> depends;
  DenseMap<Value, Sum> sums;
};
} // namespace

void geo::splitSums(PairFormula &formula) { SumSplitter(formula).run(); }
