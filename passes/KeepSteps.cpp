// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a backward pass needs of a recurrence: kept by its steps, or computed
// again for all of them at once.
#include "dialect/Geo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"
#include "passes/RowPrograms.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOKEEPSTEPS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

namespace {

/// Merges the steps of [T, B, ...] into rows, as the adjoint of a scan does.
template <typename Reshape> bool mergesSteps(Reshape op) {
  auto groups = op.getReassociationIndices();
  return groups.front().size() == 2 &&
         llvm::all_of(ArrayRef(groups).drop_front(),
                      [](auto &group) { return group.size() == 1; });
}

/// The rows of all steps that a [T, B, ...] tensor is or becomes.
SmallVector<Value> getRowsOf(Value stacked) {
  SmallVector<Value> rows;
  if (auto expand = stacked.getDefiningOp<tensor::ExpandShapeOp>();
      expand && mergesSteps(expand))
    rows.push_back(expand.getSrc());
  for (Operation *user : stacked.getUsers())
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
        collapse && mergesSteps(collapse))
      rows.push_back(collapse.getResult());
  return rows;
}

/// A value of a step that is computed again after the scan.
struct Candidate {
  Value inner;
  SmallVector<OpResult> outer;
  /// Of all steps; nothing where the shape does not tell.
  std::optional<int64_t> bytes;
  /// What a row costs to compute again, in units of a multiply-add an element.
  int64_t cost;
};

class KeptSteps {
public:
  KeptSteps(ScanOp scan, int64_t rows) : scan(scan), rows(rows) {}

  /// Fills `candidates`, in the order of the body.
  void find();
  /// Keeps what fits into `limit` bytes (negative: all), dearest first.
  /// Returns the bytes taken.
  int64_t keep(int64_t limit);

private:
  bool areTwins(Value inner, Value outer);
  /// Whether `outer`, after the scan, does for all rows what `inner` does.
  bool areTwins(Operation *inner, Operation *outer);
  std::optional<int64_t> getBytes(Value inner);
  void addPrograms(RowwiseOp &inner, RowwiseOp outer,
                   llvm::MapVector<Value, SmallVector<OpResult>> &results);
  void rewrite(ArrayRef<Candidate *> kept);

  ScanOp scan;
  int64_t rows;
  DenseMap<Value, SmallVector<Value>> twins;
  /// Values of the body whose rows are the batch's.
  llvm::DenseSet<Value> ofRows;
  SmallVector<Candidate> candidates;
};

} // namespace

static int64_t getCost(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op)) {
    auto type = cast<RankedTensorType>(matmul.getB().getType());
    int64_t depth = type.getDimSize(matmul.getTransposeB() ? 1 : 0);
    return ShapedType::isDynamic(depth) ? 1024 : depth;
  }
  int64_t cost = 1;
  op->walk([&](Operation *inner) {
    if (inner->getDialect()->getNamespace() == "math" || isa<EvenOp>(inner))
      cost += 16;
    else if (isa<DotOp>(inner))
      cost += 2;
  });
  return cost;
}

bool KeptSteps::areTwins(Value inner, Value outer) {
  if (inner == outer)
    return true;
  auto constant = inner.getDefiningOp<arith::ConstantOp>();
  auto other = outer.getDefiningOp<arith::ConstantOp>();
  if (constant && other)
    return constant.getValue() == other.getValue();
  return llvm::is_contained(twins.lookup(inner), outer);
}

bool KeptSteps::areTwins(Operation *inner, Operation *outer) {
  if (inner == outer || inner->getName() != outer->getName() ||
      inner->getNumOperands() != outer->getNumOperands() ||
      outer->getBlock() != scan->getBlock() || outer->isBeforeInBlock(scan))
    return false;
  for (auto [a, b] : llvm::zip(inner->getOperands(), outer->getOperands()))
    if (!areTwins(a, b))
      return false;
  if (auto program = dyn_cast<RowwiseOp>(inner))
    return !matchBodies(program, cast<RowwiseOp>(outer)).empty();
  if (inner->getNumResults() != outer->getNumResults() ||
      inner->getAttrDictionary() != outer->getAttrDictionary())
    return false;
  for (auto [a, b] : llvm::zip(inner->getRegions(), outer->getRegions()))
    if (!OperationEquivalence::isRegionEquivalentTo(
            &a, &b, OperationEquivalence::IgnoreLocations))
      return false;
  return true;
}

std::optional<int64_t> KeptSteps::getBytes(Value inner) {
  auto type = cast<RankedTensorType>(inner.getType());
  int64_t steps =
      cast<RankedTensorType>(scan.getInputs().front().getType()).getDimSize(0);
  int64_t total = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape().drop_front())
    total = ShapedType::isDynamic(size) ? -1 : total * size;
  if (total < 0)
    return std::nullopt;
  if (!ShapedType::isDynamic(steps) && !type.isDynamicDim(0))
    return total * steps * type.getDimSize(0);
  if (rows <= 0)
    return std::nullopt;
  return total * rows;
}

void KeptSteps::find() {
  ofRows.insert(scan.getStateArgs().begin(), scan.getStateArgs().end());
  ofRows.insert(scan.getInputArgs().begin(), scan.getInputArgs().end());
  unsigned numStates = scan.getNumStates();
  auto yielded = scan.getYield().getValues();
  for (unsigned i = numStates; i < scan.getNumResults(); ++i)
    llvm::append_range(twins[yielded[i]], getRowsOf(scan.getResult(i)));
  for (auto [argument, input] :
       llvm::zip(scan.getInputArgs(), scan.getInputs()))
    llvm::append_range(twins[argument], getRowsOf(input));
  for (auto [argument, shared] :
       llvm::zip(scan.getSharedArgs(), scan.getShared()))
    twins[argument].push_back(shared);

  for (Operation &op :
       llvm::make_early_inc_range(scan.getBlock().without_terminator())) {
    if (!isa<RowwiseOp, MatmulOp, GatherOp>(op)) {
      if (llvm::any_of(op.getOperands(),
                       [&](Value v) { return ofRows.contains(v); }))
        ofRows.insert(op.getResults().begin(), op.getResults().end());
      continue;
    }
    llvm::SmallSetVector<Operation *, 4> found;
    for (Value operand : op.getOperands())
      for (Value twin : twins.lookup(operand))
        for (Operation *user : twin.getUsers())
          if (areTwins(&op, user))
            found.insert(user);
    bool isOfRows = llvm::any_of(op.getOperands(),
                                 [&](Value v) { return ofRows.contains(v); });
    if (isOfRows)
      ofRows.insert(op.getResults().begin(), op.getResults().end());
    if (found.empty())
      continue;
    // The same at every step: one for all, not one a step.
    if (!isOfRows) {
      for (Operation *outer : found) {
        auto program = dyn_cast<RowwiseOp>(op);
        if (program &&
            !llvm::equal(matchBodies(program, cast<RowwiseOp>(outer)),
                         program.getYield().getValues()))
          continue;
        for (auto [result, same] :
             llvm::zip_equal(op.getResults(), outer->getResults()))
          twins[result].push_back(same);
      }
      continue;
    }
    llvm::MapVector<Value, SmallVector<OpResult>> results;
    if (auto program = dyn_cast<RowwiseOp>(op)) {
      for (Operation *outer : found)
        addPrograms(program, cast<RowwiseOp>(outer), results);
    } else {
      for (Operation *outer : found)
        results[op.getResult(0)].push_back(outer->getResult(0));
    }
    for (auto &[result, outer] : results) {
      ofRows.insert(result);
      llvm::append_range(twins[result], outer);
      candidates.push_back(
          {result, outer, getBytes(result), getCost(result.getDefiningOp())});
    }
  }
}

/// Pairs results of `outer` with those of `inner`, which is replaced where it
/// keeps to itself what `outer` yields.
void KeptSteps::addPrograms(
    RowwiseOp &inner, RowwiseOp outer,
    llvm::MapVector<Value, SmallVector<OpResult>> &results) {
  SmallVector<Value> yielded = matchBodies(inner, outer);
  auto places = llvm::map_to_vector(yielded, [](Value) { return 0u; });
  for (unsigned i = 0; i < outer.getNumRowResults(); ++i) {
    auto find = [&] {
      auto rows =
          inner.getYield().getOperands().take_front(inner.getNumRowResults());
      return std::distance(rows.begin(), llvm::find(rows, yielded[i]));
    };
    places[i] = find();
    if (places[i] < inner.getNumRowResults())
      continue;
    // The results move to another op.
    unsigned numRows = inner.getNumRowResults();
    SmallVector<SmallVector<OpResult>> known;
    SmallVector<SmallVector<Value>> knownTwins;
    for (OpResult result : inner->getResults()) {
      known.push_back(results.lookup(result));
      knownTwins.push_back(twins.lookup(result));
      twins.erase(result);
    }
    results.clear();
    for (OpResult result : inner->getResults())
      ofRows.erase(result);
    inner = addRowResult(inner, yielded[i]);
    ofRows.insert(inner->result_begin(), inner->result_end());
    for (unsigned j = 0; j < known.size(); ++j) {
      Value moved = inner.getResult(j < numRows ? j : j + 1);
      if (!known[j].empty())
        results[moved] = known[j];
      if (!knownTwins[j].empty())
        twins[moved] = knownTwins[j];
    }
  }
  for (unsigned i = 0; i < outer.getNumRowResults(); ++i)
    results[inner.getResult(places[i])].push_back(outer->getResult(i));
}

int64_t KeptSteps::keep(int64_t limit) {
  SmallVector<Candidate *> order;
  for (Candidate &candidate : candidates)
    order.push_back(&candidate);
  // Candidates stand in one array: their addresses are the order of the body.
  llvm::sort(order, [](Candidate *a, Candidate *b) {
    return a->cost != b->cost ? a->cost > b->cost : a < b;
  });
  llvm::SmallDenseSet<Value> kept;
  int64_t taken = 0;
  for (Candidate *candidate : order) {
    std::optional<int64_t> bytes = candidate->bytes;
    if (limit >= 0 && (!bytes || *bytes > limit - taken))
      continue;
    taken += bytes.value_or(0);
    kept.insert(candidate->inner);
  }
  // What only feeds results that are kept is not needed after all.
  llvm::SmallDenseSet<Operation *> dead;
  for (Candidate &candidate : llvm::reverse(candidates)) {
    auto isNeeded = [&](OpResult outer) {
      return llvm::any_of(outer.getUsers(), [&](Operation *user) {
        return !dead.contains(user);
      });
    };
    bool needed = llvm::any_of(candidate.outer, isNeeded);
    if (!needed && kept.erase(candidate.inner))
      taken -= candidate.bytes.value_or(0);
    for (OpResult outer : candidate.outer)
      if (llvm::all_of(outer.getOwner()->getResults(), [&](OpResult r) {
            auto it = llvm::find_if(candidates, [&](Candidate &c) {
              return llvm::is_contained(c.outer, r);
            });
            return it != candidates.end() &&
                   (kept.contains(it->inner) || !isNeeded(r));
          }))
        dead.insert(outer.getOwner());
  }
  SmallVector<Candidate *> chosen;
  for (Candidate &candidate : candidates) {
    Operation *inner = candidate.inner.getDefiningOp();
    if (kept.contains(candidate.inner)) {
      chosen.push_back(&candidate);
      if (candidate.bytes)
        remarkFused(inner, "keep-steps")
            << remark::add("kept for all steps, {0} bytes, instead of computed "
                           "again",
                           *candidate.bytes);
      else
        remarkFused(inner, "keep-steps")
            << "kept for all steps instead of computed again";
    } else if (!dead.contains(candidate.outer.front().getOwner())) {
      if (candidate.bytes)
        remarkNotFused(inner, "keep-steps")
            << remark::add("computed again after the loop: {0} bytes do not "
                           "fit into what is left of {1}",
                           *candidate.bytes, limit);
      else
        remarkNotFused(inner, "keep-steps")
            << "computed again after the loop: there is a limit, and its size "
               "is not known";
    }
  }
  if (!chosen.empty())
    rewrite(chosen);
  return taken;
}

void KeptSteps::rewrite(ArrayRef<Candidate *> kept) {
  ImplicitLocOpBuilder b(scan.getLoc(), scan);
  SmallVector<Type> types(scan.getResultTypes());
  SmallVector<Value> extra;
  SmallVector<unsigned> places;
  int64_t steps =
      cast<RankedTensorType>(scan.getInputs().front().getType()).getDimSize(0);
  OperandRange yielded = scan.getYield().getValues();
  for (Candidate *candidate : kept) {
    unsigned stacked = scan.getNumStates();
    while (stacked < yielded.size() && yielded[stacked] != candidate->inner)
      ++stacked;
    if (stacked < yielded.size()) {
      places.push_back(stacked);
      continue;
    }
    places.push_back(types.size());
    auto type = cast<RankedTensorType>(candidate->inner.getType());
    SmallVector<int64_t> shape = {steps};
    llvm::append_range(shape, type.getShape());
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    extra.push_back(candidate->inner);
  }
  auto keeping =
      ScanOp::create(b, types, scan.getInit(), scan.getInputs(),
                     scan.getShared(), scan.getTruncate(), scan.getReverse());
  keeping.getBody().takeBody(scan.getBody());
  keeping.getYield()->insertOperands(keeping.getYield().getNumOperands(),
                                     extra);
  unsigned first = scan.getNumResults();
  for (auto [i, candidate] : llvm::enumerate(kept)) {
    Value stack = keeping.getResult(places[i]);
    auto rank = cast<RankedTensorType>(stack.getType()).getRank();
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    for (int64_t d = 2; d < rank; ++d)
      groups.push_back({d});
    Value rowsOfAll = tensor::CollapseShapeOp::create(b, stack, groups);
    for (OpResult outer : candidate->outer) {
      Value same = rowsOfAll;
      if (same.getType() != outer.getType())
        same = tensor::CastOp::create(b, outer.getType(), same);
      outer.replaceAllUsesWith(same);
    }
  }
  scan->replaceAllUsesWith(keeping.getResults().take_front(first));
  scan.erase();
}

namespace {
struct KeepStepsPass : geo::impl::GeoKeepStepsBase<KeepStepsPass> {
  using GeoKeepStepsBase::GeoKeepStepsBase;

  void runOnOperation() override {
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp scan) { scans.push_back(scan); });
    int64_t left = limit;
    for (ScanOp scan : scans) {
      KeptSteps steps(scan, rows);
      steps.find();
      int64_t taken = steps.keep(left);
      if (limit >= 0)
        left -= taken;
    }
  }
};
} // namespace
