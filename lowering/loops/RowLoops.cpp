// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.rowwise: one loop over d for every op of the region.
#include "lowering/LoopUtils.h"
#include "lowering/loops/LoopsEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;

namespace {

/// A row: elements of a buffer behind leading indices, or one number for all.
struct Row {
  Value buffer;
  SmallVector<Value> leading;
  Value splat;

  Value load(ImplicitLocOpBuilder &b, Value j) const {
    if (splat)
      return splat;
    SmallVector<Value> indices(leading.begin(), leading.end());
    indices.push_back(j);
    return emitLoad(b, buffer, indices);
  }
};

/// Emits a row program; its intermediate rows are buffers.
class RowProgram {
public:
  RowProgram(ImplicitLocOpBuilder &b, RowwiseOp op) : b(b), op(op) {}

  /// Allocates the intermediate rows and the sums.
  void allocate();
  void bindArguments(Value i, ValueRange operands);
  void emitBody();
  /// Writes results of row `i` and adds to the sums.
  void emitYield(Value i, ValueRange outs);
  void finishSums(ValueRange outs);
  void release() {
    for (Value buffer : buffers)
      memref::DeallocOp::create(b, buffer);
  }

private:
  Value allocateRow(int64_t size, Type element) {
    return buffers.emplace_back(
        memref::AllocOp::create(b, MemRefType::get({size}, element)));
  }
  static Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }
  Value end(Value row) {
    return constantIndex(b, cast<VectorType>(row.getType()).getDimSize(0));
  }
  void emitElementwise(Operation *inner);
  /// sum over j of term(j), in f64.
  Value emitSum(Value row, llvm::function_ref<Value(Value j)> term);
  Value emitCompensatedSum(Value row, llvm::function_ref<Value(Value j)> term);
  void emitReduction(vector::ReductionOp reduction);

  ImplicitLocOpBuilder &b;
  RowwiseOp op;
  SmallVector<Value> buffers;
  /// Storage of the rows that ops compute.
  DenseMap<Value, Value> storage;
  SmallVector<Value> sums;
  DenseMap<Value, Row> rows;
  DenseMap<Value, Value> numbers;
};

void RowProgram::allocate() {
  for (Operation &inner : op.getBlock())
    for (Value v : inner.getResults())
      if (auto type = dyn_cast<VectorType>(v.getType()))
        if (!isa<DetachOp, vector::BroadcastOp>(inner))
          storage[v] = allocateRow(type.getDimSize(0), type.getElementType());
  Type f64 = b.getF64Type();
  for (Value v : op.getResults().drop_front(op.getNumRowResults())) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    sums.push_back(allocateRow(type ? type.getDimSize(0) : 1, f64));
    emitZero(b, sums.back());
  }
}

void RowProgram::bindArguments(Value i, ValueRange operands) {
  for (auto [index, argument] : llvm::enumerate(op.getBlock().getArguments())) {
    bool isRow = index < op.getRows().size();
    Value operand = operands[index];
    if (isa<VectorType>(argument.getType())) {
      Row row{operand, {}, nullptr};
      if (isRow)
        row.leading.push_back(i);
      rows[argument] = row;
    } else {
      numbers[argument] = isRow ? emitLoad(b, operand, i) : operand;
    }
  }
}

void RowProgram::emitElementwise(Operation *inner) {
  auto create = [&](llvm::function_ref<Value(Value)> operand) {
    OperationState state(inner->getLoc(), inner->getName());
    for (Value v : inner->getOperands())
      state.addOperands(operand(v));
    state.addTypes(elementOf(inner->getResult(0)));
    state.addAttributes(inner->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = inner->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  };
  Value result = inner->getResult(0);
  if (!isa<VectorType>(result.getType())) {
    numbers[result] = create([&](Value v) { return numbers.lookup(v); });
    return;
  }
  emitFor(b, end(result), [&](Value j) {
    Value element = create([&](Value v) {
      return isa<VectorType>(v.getType()) ? rows[v].load(b, j)
                                          : numbers.lookup(v);
    });
    emitStore(b, element, storage.lookup(result), j);
  });
  rows[result] = Row{storage.lookup(result), {}, nullptr};
}

/// A sum with what its roundings lost (Knuth's two-sum): beside the rim of a
/// ball, 1 - c|x|^2 takes the last digits of |x|^2.
Value RowProgram::emitCompensatedSum(Value row,
                                     llvm::function_ref<Value(Value)> term) {
  Value zero = constantFloat(b, b.getF64Type(), 0.0);
  auto add = [&](Value x, Value y) { return arith::AddFOp::create(b, x, y); };
  auto sub = [&](Value x, Value y) { return arith::SubFOp::create(b, x, y); };
  SmallVector<Value> sums =
      emitFor(b, end(row), SmallVector<Value>{zero, zero},
              [&](Value j, ValueRange carried) -> SmallVector<Value> {
                Value sum = carried[0], x = term(j);
                Value next = add(sum, x), taken = sub(next, sum);
                Value lost = add(sub(sum, sub(next, taken)), sub(x, taken));
                return {next, add(carried[1], lost)};
              });
  // Infinite terms leave NaN there.
  Value lost = sums[1];
  Value isNumber =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, lost, lost);
  return add(sums[0], arith::SelectOp::create(b, isNumber, lost, zero));
}

Value RowProgram::emitSum(Value row, llvm::function_ref<Value(Value)> term) {
  Value zero = constantFloat(b, b.getF64Type(), 0.0);
  return emitFor(b, end(row), zero,
                 [&](Value j, ValueRange carried) -> SmallVector<Value> {
                   return {arith::AddFOp::create(b, carried[0], term(j))};
                 })[0];
}

void RowProgram::emitReduction(vector::ReductionOp reduction) {
  Value source = reduction.getVector(), result = reduction.getResult();
  Row row = rows[source];
  if (reduction.getKind() == vector::CombiningKind::ADD) {
    Value sum = emitSum(source, [&](Value j) {
      return convertFloat(b, row.load(b, j), b.getF64Type());
    });
    numbers[result] = convertFloat(b, sum, result.getType());
    return;
  }
  Value first = row.load(b, constantIndex(b, 0));
  numbers[result] = emitFor(
      b, end(source), first,
      [&](Value j, ValueRange carried) -> SmallVector<Value> {
        return {arith::MaximumFOp::create(b, carried[0], row.load(b, j))};
      })[0];
}

void RowProgram::emitBody() {
  Type f64 = b.getF64Type();
  for (Operation &inner : op.getBlock().without_terminator()) {
    b.setLoc(inner.getLoc());
    llvm::TypeSwitch<Operation *>(&inner)
        .Case([&](DotOp dot) {
          Row x = rows[dot.getX()], y = rows[dot.getY()];
          numbers[dot] = emitCompensatedSum(dot.getX(), [&](Value j) -> Value {
            return arith::MulFOp::create(b, convertFloat(b, x.load(b, j), f64),
                                         convertFloat(b, y.load(b, j), f64));
          });
        })
        .Case([&](ScaleOp scale) {
          Row x = rows[scale.getX()];
          Value out = storage.lookup(scale);
          emitFor(b, end(scale), [&](Value j) {
            Value wide = convertFloat(b, x.load(b, j), f64);
            Value y =
                arith::MulFOp::create(b, numbers.lookup(scale.getS()), wide);
            emitStore(b, convertFloat(b, y, elementOf(scale)), out, j);
          });
          rows[scale] = Row{out, {}, nullptr};
        })
        .Case([&](vector::ReductionOp reduction) { emitReduction(reduction); })
        .Case([&](vector::BroadcastOp broadcast) {
          Value source = broadcast.getSource();
          rows[broadcast] = isa<VectorType>(source.getType())
                                ? rows[source]
                                : Row{nullptr, {}, numbers.lookup(source)};
        })
        .Case([&](DetachOp detach) {
          if (isa<VectorType>(detach.getType()))
            rows[detach] = Row(rows[detach.getX()]); // a copy: [] may rehash
          else
            numbers[detach] = numbers.lookup(detach.getX());
        })
        .Case([&](arith::ConstantOp constant) {
          auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
          if (!dense) {
            numbers[constant] = b.clone(*constant)->getResult(0);
            return;
          }
          Value out = storage.lookup(constant);
          for (auto [j, value] : llvm::enumerate(dense.getValues<TypedAttr>()))
            emitStore(b, arith::ConstantOp::create(b, value), out,
                      constantIndex(b, j));
          rows[constant] = Row{out, {}, nullptr};
        })
        .Default([&](Operation *inner) { emitElementwise(inner); });
  }
  b.setLoc(op.getLoc());
}

void RowProgram::emitYield(Value i, ValueRange outs) {
  Type f64 = b.getF64Type();
  unsigned numRows = op.getNumRowResults();
  for (auto [index, v] : llvm::enumerate(op.getYield().getValues())) {
    bool isSum = index >= numRows;
    Value out = isSum ? sums[index - numRows] : outs[index];
    auto add = [&](Value number, Value j) {
      Value sum = arith::AddFOp::create(b, emitLoad(b, out, j),
                                        convertFloat(b, number, f64));
      emitStore(b, sum, out, j);
    };
    if (!isa<VectorType>(v.getType())) {
      Value number = numbers.lookup(v);
      if (isSum)
        add(number, constantIndex(b, 0));
      else
        emitStore(b, number, out, i);
      continue;
    }
    Row row = rows[v];
    emitFor(b, end(v), [&](Value j) {
      if (isSum)
        add(row.load(b, j), j);
      else
        emitStore(b, row.load(b, j), out, {i, j});
    });
  }
}

void RowProgram::finishSums(ValueRange outs) {
  for (auto [sum, out] :
       llvm::zip(sums, outs.drop_front(op.getNumRowResults())))
    emitForAll(b, out, [&, sum = sum, out = out](ValueRange indices) {
      SmallVector<Value> from(indices);
      if (from.empty())
        from.push_back(constantIndex(b, 0));
      Type type = cast<MemRefType>(out.getType()).getElementType();
      emitStore(b, convertFloat(b, emitLoad(b, sum, from), type), out, indices);
    });
}

} // namespace

LogicalResult LoopsEmitter::emitRowwise(ImplicitLocOpBuilder &b, RowwiseOp op,
                                        ValueRange operands, ValueRange outs) {
  RowProgram program(b, op);
  program.allocate();
  emitFor(b, dimOf(b, operands[0], 0), [&](Value i) {
    program.bindArguments(i, operands);
    program.emitBody();
    program.emitYield(i, outs);
  });
  program.finishSums(outs);
  program.release();
  return success();
}
