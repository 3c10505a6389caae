// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and row programs on a table, or on what was gathered of it.
#include "dialect/Geo.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"
#include "passes/Remarks.h"

using namespace mlir;

namespace geo {
#define GEN_PASS_DEF_GEOMOVEGATHERS
#include "passes/Passes.h.inc"
} // namespace geo

using namespace geo;

static int64_t getNumRows(Value v) {
  return cast<RankedTensorType>(v.getType()).getDimSize(0);
}

static RankedTensorType withRows(Type type, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[0] = rows;
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// `op` on other rows; `map` holds its operands.
static Operation *cloneOnRows(OpBuilder &b, Operation *op, IRMapping &map,
                              int64_t rows) {
  Operation *clone = b.clone(*op, map);
  for (Value result : clone->getResults())
    result.setType(withRows(result.getType(), rows));
  return clone;
}

namespace {

class Movement {
public:
  /// `batchRows` ids are gathered where shapes do not tell; 0: unknown.
  explicit Movement(int64_t batchRows) : batchRows(batchRows) {}

  /// Where a table has fewer rows than were gathered: matmul(gather(E)) becomes
  /// gather(matmul(E)), through row programs on the gathered rows.
  void toTable(MatmulOp product);
  /// Where it has more: gather(f(E)) becomes f(gather(E)). False where nothing
  /// moved.
  bool toRows(GatherOp gather);

private:
  int64_t getNumIds(Value ids) {
    int64_t known = getNumRows(ids);
    return ShapedType::isDynamic(known) ? batchRows : known;
  }
  /// Fills `chain` with the programs between gathers of one `ids` and `v`.
  bool findChain(Value v, Value &ids, int64_t &tableRows,
                 llvm::SetVector<Operation *> &chain);

  int64_t batchRows;
  /// What remarks have been about.
  llvm::DenseSet<Operation *> mentioned;
};

} // namespace

bool Movement::findChain(Value v, Value &ids, int64_t &tableRows,
                         llvm::SetVector<Operation *> &chain) {
  Operation *op = v.getDefiningOp();
  if (!op || chain.contains(op))
    return op;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    int64_t rows = getNumRows(gather.getTable());
    if (ids && (ids != gather.getIds() || rows != tableRows))
      return false;
    ids = gather.getIds();
    tableRows = rows;
    chain.insert(op);
    return !ShapedType::isDynamic(rows);
  }
  auto program = dyn_cast<RowwiseOp>(op);
  if (!program || program.getNumSums() != 0)
    return false;
  for (Value row : program.getRows())
    if (!findChain(row, ids, tableRows, chain))
      return false;
  chain.insert(op);
  return true;
}

void Movement::toTable(MatmulOp product) {
  Value ids;
  int64_t tableRows = 0;
  llvm::SetVector<Operation *> chain;
  if (product.getTransposeA() ||
      !findChain(product.getA(), ids, tableRows, chain))
    return;
  int64_t numIds = getNumIds(ids);
  if (numIds <= tableRows) {
    if (numIds > 0)
      remarkNotFused(product, "move-gathers") << remark::add(
          "stays on gathered rows: {0} of a table of {1}", numIds, tableRows);
    return;
  }
  // A program that something else reads would be computed for both.
  for (Operation *op : chain)
    if (isa<RowwiseOp>(op) &&
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return user != product && !chain.contains(user);
        })) {
      remarkNotFused(product, "move-gathers")
          << "stays on gathered rows: something else reads a program of them";
      return;
    }
  OpBuilder b(product);
  IRMapping map;
  for (Operation *op : chain) {
    if (auto gather = dyn_cast<GatherOp>(op))
      map.map(gather.getResult(), gather.getTable());
    else
      cloneOnRows(b, op, map, tableRows);
  }
  Operation *onTable = cloneOnRows(b, product, map, tableRows);
  remarkFused(product, "move-gathers") << remark::add(
      "moved to the {0} rows of the table, from {1}", tableRows, numIds);
  auto gathered = GatherOp::create(b, product.getLoc(), product.getType(),
                                   onTable->getResult(0), ids);
  product.replaceAllUsesWith(gathered.getResult());
  product.erase();
}

bool Movement::toRows(GatherOp gather) {
  Operation *op = gather.getTable().getDefiningOp();
  Value ids = gather.getIds();
  int64_t numIds = getNumIds(ids), tableRows = getNumRows(gather.getTable());
  if (!op || numIds <= 0 || ShapedType::isDynamic(tableRows) ||
      numIds >= tableRows)
    return false;
  SmallVector<Value> rows;
  if (auto product = dyn_cast<MatmulOp>(op);
      product && !product.getTransposeA())
    rows.push_back(product.getA());
  else if (auto program = dyn_cast<RowwiseOp>(op);
           program && program.getNumSums() == 0)
    llvm::append_range(rows, program.getRows());
  // Numbers cannot be gathered.
  if (rows.empty() || llvm::any_of(rows, [](Value v) {
        return cast<RankedTensorType>(v.getType()).getRank() != 2;
      }))
    return false;
  if (llvm::any_of(op->getUsers(), [&](Operation *user) {
        auto other = dyn_cast<GatherOp>(user);
        return !other || other.getIds() != ids ||
               other->getBlock() != gather->getBlock();
      })) {
    if (mentioned.insert(op).second)
      remarkNotFused(op, "move-gathers")
          << "stays on the table: not only these ids read it";
    return false;
  }
  SmallVector<GatherOp> readers;
  for (Operation *user : op->getUsers())
    readers.push_back(cast<GatherOp>(user));
  // Where ids and all shared operands are known: at the first reader.
  GatherOp first = gather;
  for (GatherOp reader : readers)
    if (reader->isBeforeInBlock(first))
      first = reader;
  OpBuilder b(first);
  int64_t count = getNumRows(ids);
  IRMapping map;
  for (Value row : llvm::SmallSetVector<Value, 4>(rows.begin(), rows.end()))
    map.map(row, GatherOp::create(b, gather.getLoc(),
                                  withRows(row.getType(), count), row, ids)
                     .getResult());
  remarkFused(op, "move-gathers")
      << remark::add("moved from the {0} rows of the table to {1} gathered "
                     "rows",
                     tableRows, numIds);
  Operation *onRows = cloneOnRows(b, op, map, count);
  for (GatherOp reader : readers) {
    auto result = cast<OpResult>(reader.getTable());
    reader.replaceAllUsesWith(onRows->getResult(result.getResultNumber()));
    reader.erase();
  }
  op->erase();
  return true;
}

namespace {
struct MoveGathersPass : geo::impl::GeoMoveGathersBase<MoveGathersPass> {
  using GeoMoveGathersBase::GeoMoveGathersBase;

  void runOnOperation() override {
    // `rows` is about the batches of training.
    llvm::DenseSet<StringAttr> trained;
    getOperation()->walk(
        [&](GradientOp op) { trained.insert(op.getCalleeAttr().getAttr()); });
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Movement movement(trained.contains(function.getNameAttr()) ? rows : 0);
      SmallVector<MatmulOp> products;
      function.walk([&](MatmulOp op) { products.push_back(op); });
      for (MatmulOp product : products)
        movement.toTable(product);
      auto moveOne = [&](GatherOp op) {
        // Not what the above has left behind.
        return !op->use_empty() && movement.toRows(op) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      };
      while (function.walk(moveOne).wasInterrupted())
        ;
    }
  }
};
} // namespace
