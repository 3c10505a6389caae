// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.matmul, geo.gather, geo.scatter_add and geo.scan as loops.
#include "lowering/loops/LoopsEmitter.h"
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace geo;

static Type elementOf(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType();
}

LogicalResult LoopsEmitter::emitMatmul(ImplicitLocOpBuilder &b, MatmulOp op,
                                       ValueRange operands, Value out) {
  Type f64 = b.getF64Type();
  Value a = operands[0], c = operands[1];
  auto load = [&](Value matrix, bool transposed, Value row, Value column) {
    SmallVector<Value> indices = {row, column};
    if (transposed)
      std::swap(indices[0], indices[1]);
    return convertFloat(b, emitLoad(b, matrix, indices), f64);
  };
  Value k = dimOf(b, a, op.getTransposeA() ? 0 : 1);
  emitForAll(b, out, [&](ValueRange ij) {
    auto sum = emitFor(b, k, constantFloat(b, f64, 0.0),
                       [&](Value p, ValueRange carried) -> SmallVector<Value> {
                         Value x = load(a, op.getTransposeA(), ij[0], p);
                         Value y = load(c, op.getTransposeB(), p, ij[1]);
                         Value xy = arith::MulFOp::create(b, x, y);
                         return {arith::AddFOp::create(b, carried[0], xy)};
                       });
    emitStore(b, convertFloat(b, sum[0], elementOf(out)), out, ij);
  });
  return success();
}

/// The id at `i`, as an index.
static Value loadId(ImplicitLocOpBuilder &b, Value ids, Value i) {
  return arith::IndexCastOp::create(b, b.getIndexType(), emitLoad(b, ids, i));
}

LogicalResult LoopsEmitter::emitGather(ImplicitLocOpBuilder &b, GatherOp op,
                                       ValueRange operands, Value out) {
  emitFor(b, dimOf(b, out, 0), [&](Value i) {
    Value id = loadId(b, operands[1], i);
    emitFor(b, dimOf(b, out, 1), [&](Value j) {
      emitStore(b, emitLoad(b, operands[0], {id, j}), out, {i, j});
    });
  });
  return success();
}

LogicalResult LoopsEmitter::emitScatterAdd(ImplicitLocOpBuilder &b,
                                           ScatterAddOp op, ValueRange operands,
                                           Value out) {
  Type f64 = b.getF64Type();
  auto outType = cast<MemRefType>(out.getType());
  SmallVector<Value> dynamic;
  if (outType.isDynamicDim(0))
    dynamic.push_back(dimOf(b, out, 0));
  Value sums = memref::AllocOp::create(
      b, MemRefType::get(outType.getShape(), f64), dynamic);
  emitZero(b, sums);
  emitFor(b, dimOf(b, operands[0], 0), [&](Value i) {
    Value id = loadId(b, operands[1], i);
    emitFor(b, dimOf(b, out, 1), [&](Value j) {
      Value row = convertFloat(b, emitLoad(b, operands[0], {i, j}), f64);
      Value sum = arith::AddFOp::create(b, emitLoad(b, sums, {id, j}), row);
      emitStore(b, sum, sums, {id, j});
    });
  });
  emitForAll(b, out, [&](ValueRange ij) {
    emitStore(b, convertFloat(b, emitLoad(b, sums, ij), elementOf(out)), out,
              ij);
  });
  memref::DeallocOp::create(b, sums);
  return success();
}

/// Copies `from` [R, w] or [R] into the columns of `to` from `offset` on, or
/// with `isExtract` out of the columns of `from`.
static void copyColumns(ImplicitLocOpBuilder &b, Value from, Value to,
                        int64_t offset, bool isExtract) {
  emitForAll(b, isExtract ? to : from, [&](ValueRange at) {
    Value first = constantIndex(b, offset);
    Value column =
        at.size() == 1 ? first : arith::AddIOp::create(b, at[1], first);
    SmallVector<Value> block(at), whole = {at[0], column};
    Value x = emitLoad(b, from, isExtract ? whole : block);
    emitStore(b, convertFloat(b, x, elementOf(to)), to,
              isExtract ? block : whole);
  });
}

LogicalResult LoopsEmitter::emitColumns(ImplicitLocOpBuilder &b, ColumnsOp op,
                                        Value x, Value out) {
  copyColumns(b, x, out, op.getOffset(), /*isExtract=*/true);
  return success();
}

LogicalResult LoopsEmitter::emitConcatColumns(ImplicitLocOpBuilder &b,
                                              ConcatColumnsOp op,
                                              ValueRange pieces, Value out) {
  auto zero = [&](int64_t from, int64_t to) {
    if (from == to)
      return;
    emitFor(b, dimOf(b, out, 0), [&](Value i) {
      emitFor(b, constantIndex(b, to - from), [&](Value j) {
        j = arith::AddIOp::create(b, j, constantIndex(b, from));
        emitStore(b, constantFloat(b, elementOf(out), 0.0), out, {i, j});
      });
    });
  };
  int64_t end = 0;
  for (auto [piece, offset, value] :
       llvm::zip_equal(pieces, op.getOffsets(), op.getPieces())) {
    zero(end, offset);
    if (piece)
      copyColumns(b, piece, out, offset, /*isExtract=*/false);
    end = offset + ConcatColumnsOp::getWidth(value);
  }
  zero(end, op.getType().getDimSize(1));
  return success();
}

//===----------------------------------------------------------------------===//
// geo.scan
//===----------------------------------------------------------------------===//

/// The states stand in the buffers of the final states; every step writes into
/// `next` and is copied back.
LogicalResult LoopsEmitter::emitScan(ImplicitLocOpBuilder &b, ScanOp op,
                                     ValueRange operands, ValueRange outs,
                                     StepFn emitStep) {
  unsigned numStates = op.getNumStates(), numInputs = op.getInputs().size();
  ValueRange states = outs.take_front(numStates);
  SmallVector<Value> next;
  for (unsigned s = 0; s < numStates; ++s) {
    auto type = cast<MemRefType>(states[s].getType());
    SmallVector<Value> dynamic;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        dynamic.push_back(dimOf(b, states[s], i));
    next.push_back(memref::AllocOp::create(b, type, dynamic));
    if (isa<MemRefType>(operands[s].getType()))
      emitCopy(b, operands[s], states[s]);
    else
      emitStore(b, operands[s], states[s]);
  }
  if (failed(allocateStep(b, operands)))
    return failure();
  Value steps = dimOf(b, operands[numStates], 0);
  LogicalResult emitted = success();
  emitFor(b, steps, [&](Value index) {
    Value t = index;
    if (op.getReverse()) {
      Value last = arith::SubIOp::create(b, steps, constantIndex(b, 1));
      t = arith::SubIOp::create(b, last, index);
    }
    SmallVector<Value> arguments, stepOuts(next);
    for (unsigned s = 0; s < numStates; ++s)
      arguments.push_back(isa<MemRefType>(operands[s].getType())
                              ? states[s]
                              : emitLoad(b, states[s]));
    for (Value input : operands.slice(numStates, numInputs))
      arguments.push_back(emitSlice(b, input, t));
    llvm::append_range(arguments, operands.drop_front(numStates + numInputs));
    for (Value stacked : outs.drop_front(numStates))
      stepOuts.push_back(emitSlice(b, stacked, t));
    emitted = emitStep(b, arguments, stepOuts);
    if (failed(emitted))
      return;
    for (auto [from, to] : llvm::zip(next, states))
      emitCopy(b, from, to);
    if (!op.getReverse() || op.getTruncate() == 0)
      return;
    // The adjoint of detaching the state that enters step t.
    Value zero = constantIndex(b, 0);
    Value phase =
        arith::RemUIOp::create(b, t, constantIndex(b, op.getTruncate()));
    Value isStart =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, phase, zero);
    Value isLater =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, t, zero);
    auto cut = scf::IfOp::create(b, arith::AndIOp::create(b, isStart, isLater),
                                 /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cut.thenBlock());
    for (Value state : states)
      emitZero(b, state);
  });
  releaseStep(b);
  for (Value buffer : next)
    memref::DeallocOp::create(b, buffer);
  return emitted;
}
