// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/expand/PairSplit.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "passes/expand/PairSums.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace geo;

Ex PairFormula::addArgument(ImplicitLocOpBuilder &scratch, Value operand,
                            PairSide side) {
  Type type = operand.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = RowwiseOp::getRowType(tensor);
  operands.push_back(operand);
  sides.push_back(side);
  return {scratch, block.addArgument(type, scratch.getLoc())};
}

namespace {
/// Which sides a value depends on, as bits.
enum Dependence : unsigned { kShared = 0, kRow = 1, kColumn = 2, kPair = 3 };

/// A contraction of a row of the rows and a row of the columns.
struct Gram {
  GramKind kind;
  Value row, column;
  bool operator==(const Gram &o) const {
    return kind == o.kind && row == o.row && column == o.column;
  }
};

class Splitter {
public:
  Splitter(ImplicitLocOpBuilder &b, PairFormula &formula, FloatType math)
      : b(b), formula(formula), math(math) {}

  PairwiseOp run(Reducer reducer, Value targets);

private:
  unsigned dependence(Value v) const { return depends.lookup(v); }
  void classify();
  /// True if a row program of one side can make `v`: a row or number of that
  /// side, whose rows have one length (those of a product's factors differ).
  bool isOfOneSide(Value v) const;
  /// The Gram that `dot` is.
  FailureOr<Gram> getGram(DotOp dot);
  /// Finds the ops of the pair term and what they need of each side.
  LogicalResult collect();
  void wanted(Value v);
  /// The values of one side's row program; arguments are their operands.
  SmallVector<Value> runSide(PairSide side, ArrayRef<Value> values);
  /// Those that are ops on rows of one length.
  SmallVector<Value> runRows(PairSide side, int64_t length,
                             ArrayRef<Value> computed);

  ImplicitLocOpBuilder &b;
  PairFormula &formula;
  FloatType math;
  DenseMap<Value, unsigned> depends;
  /// The length of the rows that a value is made of: 0 without rows, -1 mixed.
  DenseMap<Value, int64_t> lengths;
  /// Ops of the pair term, in order; their Grams, and the side values they use.
  SmallVector<Operation *> term;
  SmallVector<Gram> grams;
  DenseMap<Operation *, unsigned> gramOf;
  SetVector<Value> rowNumbers, columnNumbers;
};

static int64_t joinLengths(int64_t a, int64_t b) {
  return a == 0 || a == b ? b : b == 0 ? a : -1;
}

void Splitter::classify() {
  for (auto [argument, side] :
       llvm::zip(formula.block.getArguments(), formula.sides)) {
    depends[argument] = side == PairSide::row      ? kRow
                        : side == PairSide::column ? kColumn
                                                   : kShared;
    auto row = dyn_cast<VectorType>(argument.getType());
    lengths[argument] = row ? row.getDimSize(0) : 0;
  }
  for (Operation &op : formula.block) {
    unsigned mask = kShared;
    int64_t length = 0;
    for (Value v : op.getOperands()) {
      mask |= dependence(v);
      length = joinLengths(length, lengths.lookup(v));
    }
    for (Value v : op.getResults()) {
      depends[v] = mask;
      lengths[v] = length;
    }
  }
}

bool Splitter::isOfOneSide(Value v) const {
  // A condition is taken where it is used: no tensor holds it.
  return (dependence(v) == kRow || dependence(v) == kColumn) &&
         !v.getType().isInteger(1) && lengths.lookup(v) >= 0;
}

static LogicalResult reportMixed(Operation *op) {
  return mlir::emitError(op->getLoc())
         << "expects a pair program to use rows of both sides only in dot and "
            "sqnorm, of sums of rows that belong to one side each";
}

FailureOr<Gram> Splitter::getGram(DotOp dot) {
  auto sided = [&](Value v, Dependence d) {
    return dependence(v) == d || dependence(v) == kShared;
  };
  Value x = dot.getX(), y = dot.getY();
  if (sided(x, kRow) && sided(y, kColumn))
    return Gram{GramKind::dot, x, y};
  if (sided(x, kColumn) && sided(y, kRow))
    return Gram{GramKind::dot, y, x};
  Operation *made = x.getDefiningOp();
  if (x == y && isa_and_nonnull<arith::SubFOp, arith::AddFOp>(made)) {
    Value p = made->getOperand(0), q = made->getOperand(1);
    if (sided(p, kColumn) && sided(q, kRow))
      std::swap(p, q); // |q - p| = |p - q|
    if (sided(p, kRow) && sided(q, kColumn)) {
      if (isa<arith::AddFOp>(made)) { // |p + q| = |p - (-q)|
        OpBuilder scratch(made);
        Value negated = arith::NegFOp::create(scratch, made->getLoc(), q);
        depends[negated] = dependence(q);
        lengths[negated] = lengths.lookup(q);
        q = negated;
      }
      return Gram{GramKind::sqdiff, p, q};
    }
  }
  return reportMixed(dot);
}

void Splitter::wanted(Value v) {
  if (!isOfOneSide(v))
    return;
  if (dependence(v) == kRow)
    rowNumbers.insert(v);
  else
    columnNumbers.insert(v);
}

LogicalResult Splitter::collect() {
  // Backwards from the result; then in order of the block.
  SetVector<Operation *> needed;
  SmallVector<Value> work{formula.result};
  wanted(formula.result);
  while (!work.empty()) {
    Value v = work.pop_back_val();
    Operation *op = v.getDefiningOp();
    if (!op || isOfOneSide(v))
      continue;
    if (!needed.insert(op))
      continue;
    if (auto dot = dyn_cast<DotOp>(op); dot && dependence(v) == kPair) {
      FailureOr<Gram> gram = getGram(dot);
      if (failed(gram))
        return failure();
      auto *known = llvm::find(grams, *gram);
      gramOf[op] = known - grams.begin();
      if (known == grams.end())
        grams.push_back(*gram);
      continue;
    }
    for (Value operand : op->getOperands()) {
      if (isa<VectorType>(operand.getType()))
        return reportMixed(op);
      wanted(operand);
      work.push_back(operand);
    }
  }
  for (Operation &op : formula.block)
    if (needed.contains(&op))
      term.push_back(&op);
  return success();
}

SmallVector<Value> Splitter::runSide(PairSide side, ArrayRef<Value> values) {
  SmallVector<Value> results(values.size());
  // One row program per row length.
  llvm::MapVector<int64_t, SmallVector<unsigned>> byLength;
  for (auto [i, v] : llvm::enumerate(values))
    if (auto argument = dyn_cast<BlockArgument>(v))
      results[i] = formula.operands[argument.getArgNumber()];
    else
      byLength[lengths.lookup(v)].push_back(i);
  for (auto &[length, places] : byLength) {
    SmallVector<Value> computed;
    for (unsigned i : places)
      computed.push_back(values[i]);
    SmallVector<Value> made = runRows(side, length, computed);
    for (auto [i, v] : llvm::zip(places, made))
      results[i] = v;
  }
  return results;
}

SmallVector<Value> Splitter::runRows(PairSide side, int64_t length,
                                     ArrayRef<Value> computed) {
  SmallVector<Value> rows, shared;
  SmallVector<BlockArgument> rowArguments, sharedArguments;
  Value anyRow;
  for (auto [argument, operand, s] : llvm::zip(
           formula.block.getArguments(), formula.operands, formula.sides)) {
    if (s == PairSide::shared) {
      shared.push_back(operand);
      sharedArguments.push_back(argument);
    } else if (s == side) {
      anyRow = operand;
      if (joinLengths(lengths.lookup(argument), length) < 0)
        continue;
      rows.push_back(operand);
      rowArguments.push_back(argument);
    }
  }
  // A row of constants is made as often as there are rows of the side.
  int64_t count = cast<RankedTensorType>(anyRow.getType()).getDimSize(0);
  SmallVector<Type> types;
  for (Value v : computed) {
    SmallVector<int64_t> shape{count};
    if (auto row = dyn_cast<VectorType>(v.getType()))
      shape.push_back(row.getDimSize(0));
    types.push_back(
        RankedTensorType::get(shape, getElementTypeOrSelf(v.getType())));
  }
  auto rowwise = RowwiseOp::create(b, types, rows, shared);
  IRMapping mapping;
  Block &body = rowwise.getBlock();
  for (auto [argument, value] :
       llvm::zip(llvm::concat<BlockArgument>(rowArguments, sharedArguments),
                 body.getArguments()))
    mapping.map(argument, value);
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == &formula.block;
  };
  for (Value v : computed)
    (void)getBackwardSlice(v, &slice, options);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&body);
  for (Operation &op : formula.block)
    if (slice.contains(&op))
      b.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value v : computed)
    yielded.push_back(mapping.lookup(v));
  YieldOp::create(b, yielded);
  return llvm::to_vector_of<Value>(rowwise.getResults());
}

PairwiseOp Splitter::run(Reducer reducer, Value targets) {
  classify();
  if (failed(collect()))
    return nullptr;
  if (grams.empty()) {
    mlir::emitError(b.getLoc())
        << "expects a pair program to depend on both sides by a Gram "
           "(sqnorm(p - q), sqnorm(p + q) or dot(p, q)), but got none";
    return nullptr;
  }
  SmallVector<Value> rowValues, columnValues;
  SmallVector<GramKind> kinds;
  for (Gram &gram : grams) {
    kinds.push_back(gram.kind);
    rowValues.push_back(gram.row);
    columnValues.push_back(gram.column);
  }
  llvm::append_range(rowValues, rowNumbers);
  llvm::append_range(columnValues, columnNumbers);
  SmallVector<Value> rows = runSide(PairSide::row, rowValues);
  SmallVector<Value> columns = runSide(PairSide::column, columnValues);
  SmallVector<Value> shared;
  SmallVector<BlockArgument> sharedArguments;
  for (auto [argument, operand, side] :
       llvm::zip(formula.block.getArguments(), formula.operands, formula.sides))
    if (side == PairSide::shared) {
      shared.push_back(operand);
      sharedArguments.push_back(argument);
    }
  size_t k = grams.size();
  auto pairwise = PairwiseOp::create(
      b, reducer, kinds, math, ArrayRef(rows).take_front(k),
      ArrayRef(columns).take_front(k), ArrayRef(rows).drop_front(k),
      ArrayRef(columns).drop_front(k), shared, targets);

  IRMapping mapping;
  ArrayRef<BlockArgument> arguments = pairwise.getBlock().getArguments();
  ArrayRef<BlockArgument> gramArguments = arguments.take_front(k);
  arguments = arguments.drop_front(k);
  for (const SetVector<Value> *numbers : {&rowNumbers, &columnNumbers}) {
    for (Value v : *numbers) {
      mapping.map(v, arguments.front());
      arguments = arguments.drop_front();
    }
  }
  for (auto [argument, value] : llvm::zip(sharedArguments, arguments))
    mapping.map(argument, value);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&pairwise.getBlock());
  for (Operation *op : term) {
    auto gram = gramOf.find(op);
    if (gram != gramOf.end())
      mapping.map(op->getResult(0), gramArguments[gram->second]);
    else
      cloneWithTypes(b, op, mapping, [&](Type type) -> Type {
        return isa<FloatType>(type) ? Type(math) : type;
      });
  }
  YieldOp::create(b, mapping.lookup(formula.result));
  return pairwise;
}
} // namespace

PairwiseOp geo::splitPairs(ImplicitLocOpBuilder &b, PairFormula &formula,
                           Reducer reducer, FloatType math, Value targets) {
  splitSums(formula);
  return Splitter(b, formula, math).run(reducer, targets);
}
