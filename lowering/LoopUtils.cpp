// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/LoopUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

Value geo::constantIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value geo::constantFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value geo::convertFloat(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

Value geo::dimOf(ImplicitLocOpBuilder &b, Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return constantIndex(b, type.getDimSize(dim));
  return memref::DimOp::create(b, memref, dim);
}

void geo::emitFor(ImplicitLocOpBuilder &b, Value end,
                  llvm::function_ref<void(Value)> body) {
  emitFor(b, end, {}, [&](Value i, ValueRange) -> SmallVector<Value> {
    body(i);
    return {};
  });
}

SmallVector<Value>
geo::emitFor(ImplicitLocOpBuilder &b, Value end, ValueRange init,
             llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, constantIndex(b, 0), end,
                                 constantIndex(b, 1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

void geo::emitForAll(ImplicitLocOpBuilder &b, Value memref,
                     llvm::function_ref<void(ValueRange)> body) {
  SmallVector<Value> indices;
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  std::function<void()> nest = [&] {
    int64_t dim = indices.size();
    if (dim == rank)
      return body(indices);
    emitFor(b, dimOf(b, memref, dim), [&](Value i) {
      indices.push_back(i);
      nest();
      indices.pop_back();
    });
  };
  nest();
}

void geo::emitCopy(ImplicitLocOpBuilder &b, Value from, Value to) {
  emitForAll(b, to, [&](ValueRange indices) {
    emitStore(b, emitLoad(b, from, indices), to, indices);
  });
}

void geo::emitFill(ImplicitLocOpBuilder &b, Value memref, Value number) {
  emitForAll(b, memref, [&](ValueRange indices) {
    emitStore(b, number, memref, indices);
  });
}

void geo::emitElements(ImplicitLocOpBuilder &b, ValueRange numbers,
                       Value memref) {
  ArrayRef<int64_t> shape = cast<MemRefType>(memref.getType()).getShape();
  for (auto [i, number] : llvm::enumerate(numbers)) {
    SmallVector<Value> indices(shape.size());
    int64_t rest = i;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      indices[dim] = constantIndex(b, rest % shape[dim]);
      rest /= shape[dim];
    }
    emitStore(b, number, memref, indices);
  }
}

void geo::emitZero(ImplicitLocOpBuilder &b, Value memref) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  emitFill(b, memref, arith::ConstantOp::create(b, b.getZeroAttr(element)));
}

Value geo::emitLoad(ImplicitLocOpBuilder &b, Value memref, ValueRange indices) {
  return memref::LoadOp::create(b, memref, indices);
}

void geo::emitStore(ImplicitLocOpBuilder &b, Value number, Value memref,
                    ValueRange indices) {
  memref::StoreOp::create(b, number, memref, indices);
}

Value geo::emitSlice(ImplicitLocOpBuilder &b, Value memref, Value index) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1)};
  offsets[0] = index;
  for (int64_t i = 1; i < type.getRank(); ++i)
    sizes.push_back(getAsOpFoldResult(dimOf(b, memref, i)));
  auto slice = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, cast<MemRefType>(slice), memref, offsets,
                                   sizes, strides);
}

void geo::declareRuntime(ImplicitLocOpBuilder &b, ModuleOp module,
                         StringRef name, TypeRange arguments,
                         TypeRange results) {
  if (module.lookupSymbol(name))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  func::FuncOp::create(b, name, b.getFunctionType(arguments, results))
      .setPrivate();
}

Value geo::emitStackBuffer(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                           Type element) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.getInsertionBlock();
  while (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  b.setInsertionPointToStart(block);
  return memref::AllocaOp::create(b, MemRefType::get(shape, element));
}
