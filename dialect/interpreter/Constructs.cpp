// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constructs but for pair programs, as their descriptions in
// GeoConstructs.td say.
#include "dialect/interpreter/Detail.h"

using namespace mlir;
using namespace geo;
using namespace geo::interpreter;

FailureOr<int64_t> interpreter::getId(Operation *op, const Datum &ids,
                                      int64_t i, int64_t count) {
  auto id = static_cast<int64_t>(ids.data[i]);
  if (id < 0 || id >= count)
    return op->emitOpError("expects ids in [0, ")
           << count << "), but got " << id << " at " << i;
  return id;
}

LogicalResult interpreter::expectEqual(Operation *op, StringRef what,
                                       int64_t want, int64_t got) {
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
