// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/BlockConstructs.h"
#include "lowering/gpu/GroupStrips.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

BlockConstructs::BlockConstructs(Gen &g, Workgroup &memory, Value count,
                                 int64_t maxRows)
    : g(g), memory(memory), count(count),
      thread(gpu::ThreadIdOp::create(g.b, gpu::Dimension::x)),
      maxRows(maxRows) {}

Value BlockConstructs::allocate(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (!shape.empty() && ShapedType::isDynamic(shape[0]))
    shape[0] = maxRows;
  return memory.allocate(shape, type.getElementType());
}

void BlockConstructs::forBlock(int64_t width,
                               function_ref<void(Value, Value)> body) {
  g.forLoop(thread, g.mul(count, width), g.idx(threads), [&](Value at) {
    body(g.div(at, g.idx(width)), g.rem(at, g.idx(width)));
  });
}

void BlockConstructs::forElements(Value memref,
                                  function_ref<void(ValueRange)> body) {
  auto type = cast<MemRefType>(memref.getType());
  assert(type.getRank() <= 2 && "a tensor of rows");
  if (type.getRank() == 0)
    return g.ifThen(g.equal(thread, g.idx(0)), [&] { body({}); });
  forBlock(type.getRank() == 2 ? type.getDimSize(1) : 1, [&](Value i, Value j) {
    Values at = {i, j};
    body(ArrayRef(at).take_front(type.getRank()));
  });
}

//===----------------------------------------------------------------------===//
// Row programs
//===----------------------------------------------------------------------===//

LogicalResult BlockConstructs::emitRowwise(RowwiseOp op, ValueRange operands,
                                           ValueRange outs) {
  RowLayout layout(op);
  Value group = g.div(thread, g.idx(layout.lanes));
  GroupStrips strips(g, op, layout, g.rem(thread, g.idx(layout.lanes)));
  Values scratch;
  for (Value v : strips.getKept())
    scratch.push_back(
        g.slice(memory.allocate({layout.rowsOfBlock(), layout.length},
                                getElementTypeOrSelf(v.getType())),
                group));
  // All lanes of a warp go through the loop together.
  Value ofWarp = g.rem(group, g.idx(layout.rowsOfWarp()));
  Value last = g.sub(count, g.idx(1));
  g.forLoop(g.sub(group, ofWarp), count, g.idx(layout.rowsOfBlock()),
            [&](Value first) {
              Value row = g.add(first, ofWarp);
              strips.setExists(g.less(row, count));
              strips.emitRow(g.min(row, last), operands, outs, scratch, {});
            });
  emitBarrier(g);
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t BlockConstructs::stageWeight(Value weight, bool isTransposed,
                                     int64_t bytes) {
  auto type = cast<MemRefType>(weight.getType());
  Value &staged = weights[{weight, unsigned(isTransposed)}];
  if (staged || !type.hasStaticShape())
    return 0;
  int64_t terms = type.getDimSize(isTransposed),
          width = type.getDimSize(!isTransposed);
  int64_t needed = device::getBytes({terms, width}, type.getElementType());
  if (needed > bytes)
    return 0;
  staged = memory.allocate({terms, width}, type.getElementType());
  g.forLoop(thread, g.idx(terms * width), g.idx(threads), [&](Value at) {
    // Neighbours of memory by neighbouring threads.
    int64_t inner = type.getDimSize(1);
    Value r = g.div(at, g.idx(inner)), c = g.rem(at, g.idx(inner));
    Values to = {r, c};
    if (isTransposed)
      std::swap(to[0], to[1]);
    g.store(g.load(weight, {r, c}), staged, to);
  });
  return needed;
}

/// A thread for each column and range of the sum, and all rows; then the ranges
/// in order.
LogicalResult BlockConstructs::emitMatmul(MatmulOp op, ValueRange operands,
                                          Value out) {
  if (op.getTransposeA())
    return op.emitOpError("expects rows at its left inside of geo.scan, but "
                          "got a transposed operand");
  bool isTransposed = op.getTransposeB();
  Value a = operands[0], b = operands[1];
  auto outType = cast<MemRefType>(out.getType());
  Type element = outType.getElementType();
  int64_t width = outType.getDimSize(1);
  if (ShapedType::isDynamic(width))
    return op.emitOpError("expects a right operand of known size inside of "
                          "geo.scan on a GPU, but got ")
           << op.getB().getType();
  if (Value staged = weights.lookup({b, unsigned(isTransposed)})) {
    b = staged;
    isTransposed = false;
  }
  int64_t parts = 1;
  while (2 * parts * llvm::alignTo(width, 32) <= threads)
    parts *= 2;
  int64_t ofPart = threads / parts;
  Value part = g.div(thread, g.idx(ofPart));
  Value terms = g.dim(a, 1);
  Value each = g.ceilDiv(terms, g.idx(parts));
  Value k0 = g.min(g.mul(part, each), terms),
        k1 = g.min(g.add(k0, each), terms);
  Value partial;
  if (parts > 1)
    partial = memory.allocate({parts, maxRows, width}, element);
  Value last = g.sub(count, g.idx(1));
  g.forLoop(
      g.rem(thread, g.idx(ofPart)), g.idx(width), g.idx(ofPart), [&](Value j) {
        Values sums(maxRows, g.zero(element));
        sums =
            g.forLoop(k0, k1, g.idx(1), sums, [&](Value k, ValueRange carried) {
              Value y = isTransposed ? g.load(b, {j, k}) : g.load(b, {k, j});
              Values next;
              for (int64_t r = 0; r < maxRows; ++r) {
                Value x = g.load(a, {g.min(g.idx(r), last), k});
                next.push_back(g.fadd(carried[r], g.fmul(x, y)));
              }
              return next;
            });
        for (int64_t r = 0; r < maxRows; ++r) {
          if (partial)
            g.store(sums[r], partial, {part, g.idx(r), j});
          else
            g.ifThen(g.less(g.idx(r), count),
                     [&] { g.store(sums[r], out, {g.idx(r), j}); });
        }
      });
  emitBarrier(g);
  if (!partial)
    return success();
  forBlock(width, [&](Value i, Value j) {
    Value sum = g.load(partial, {g.idx(0), i, j});
    for (int64_t p = 1; p < parts; ++p)
      sum = g.fadd(sum, g.load(partial, {g.idx(p), i, j}));
    g.store(sum, out, {i, j});
  });
  emitBarrier(g);
  return success();
}

//===----------------------------------------------------------------------===//
// Rows that are moved
//===----------------------------------------------------------------------===//

void BlockConstructs::emitGather(Value table, Value ids, Value out) {
  forBlock(
      cast<MemRefType>(out.getType()).getDimSize(1), [&](Value i, Value j) {
        Value id = arith::IndexCastOp::create(g.b, g.index(), g.load(ids, i));
        g.store(g.load(table, {id, j}), out, {i, j});
      });
  emitBarrier(g);
}

void BlockConstructs::emitColumns(ColumnsOp op, Value x, Value out) {
  auto offset = static_cast<int64_t>(op.getOffset());
  forBlock(op.getWidth(), [&](Value i, Value j) {
    g.store(g.convert(g.load(x, {i, g.add(j, offset)}), Gen::elementOf(out)),
            out, getIndices(out, i, j));
  });
  emitBarrier(g);
}

void BlockConstructs::emitConcatColumns(ConcatColumnsOp op, ValueRange pieces,
                                        Value out) {
  auto zero = [&](int64_t from, int64_t to) {
    if (from < to)
      forBlock(to - from, [&](Value i, Value j) {
        g.store(g.zero(Gen::elementOf(out)), out, {i, g.add(j, from)});
      });
  };
  int64_t end = 0;
  for (auto [piece, offset, value] :
       llvm::zip_equal(pieces, op.getOffsets(), op.getPieces())) {
    zero(end, offset);
    int64_t width = ConcatColumnsOp::getWidth(value), first = offset;
    if (Value from = piece)
      forBlock(width, [&](Value i, Value j) {
        Value x = g.load(from, getIndices(from, i, j));
        g.store(g.convert(x, Gen::elementOf(out)), out, {i, g.add(j, first)});
      });
    end = offset + width;
  }
  zero(end, op.getType().getDimSize(1));
  emitBarrier(g);
}

void BlockConstructs::emitCopy(Value from, Value to) {
  forElements(to, [&](ValueRange at) { g.store(g.load(from, at), to, at); });
  emitBarrier(g);
}

void BlockConstructs::emitZero(Value memref) {
  forElements(memref, [&](ValueRange at) {
    g.store(g.zero(Gen::elementOf(memref)), memref, at);
  });
  emitBarrier(g);
}

void BlockConstructs::emitFill(TypedAttr number, Value memref) {
  Value x = arith::ConstantOp::create(g.b, number);
  forElements(memref, [&](ValueRange at) { g.store(x, memref, at); });
  emitBarrier(g);
}

void BlockConstructs::storeNumber(Value number, Value out) {
  g.ifThen(g.equal(thread, g.idx(0)), [&] { g.store(number, out); });
  emitBarrier(g);
}
