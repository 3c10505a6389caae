// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of column blocks, rows over threads.
#include "lowering/cpu/Columns.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

static void forRows(Work &work, Gen &g, Value like,
                    function_ref<void(Value)> body) {
  work.onThreads(g, [&](Value tid, Value count) {
    auto [lower, upper] =
        Work::getPart(g, work.getRows(g, like), 1, tid, count);
    g.forLoop(lower, upper, g.idx(1), body);
  });
}

/// One row of a block: `width` elements of `from` at `fromColumn` into `to` at
/// `toColumn`, of which one may be a tensor of numbers.
static void copyRow(Work &work, Gen &g, Value from, int64_t fromColumn,
                    Value to, int64_t toColumn, Value row, int64_t width) {
  auto at = [&](Value memref, int64_t column, Value j) {
    Values indices = {row};
    if (cast<MemRefType>(memref.getType()).getRank() == 2)
      indices.push_back(g.add(j, g.idx(column)));
    return indices;
  };
  Type element = Gen::elementOf(to);
  if (width == 1) {
    Value x = g.load(from, at(from, fromColumn, g.idx(0)));
    g.store(g.convert(x, element), to, at(to, toColumn, g.idx(0)));
    return;
  }
  g.forStrips(width, work.target.lanes, [&](Value j, int64_t lanes) {
    Value x = g.loadVector(from, at(from, fromColumn, j),
                           Gen::vectorOf(lanes, element));
    g.storeVector(x, to, at(to, toColumn, j));
  });
}

LogicalResult geo::cpu::emitColumns(Work &work, Gen &g, ColumnsOp op, Value x,
                                    Value out) {
  auto offset = static_cast<int64_t>(op.getOffset());
  forRows(work, g, x, [&](Value row) {
    copyRow(work, g, x, offset, out, 0, row, op.getWidth());
  });
  return success();
}

LogicalResult geo::cpu::emitConcatColumns(Work &work, Gen &g,
                                          ConcatColumnsOp op, ValueRange pieces,
                                          Value out) {
  Type element = Gen::elementOf(out);
  int64_t covered = 0;
  bool isEmpty = true;
  for (auto [piece, value] : llvm::zip_equal(pieces, op.getPieces())) {
    covered += ConcatColumnsOp::getWidth(value);
    isEmpty &= !piece;
  }
  if (isEmpty && covered == op.getType().getDimSize(1))
    return success(); // everything is in its place
  forRows(work, g, out, [&](Value row) {
    auto zero = [&](int64_t from, int64_t to) {
      g.forStrips(to - from, work.target.lanes, [&](Value j, int64_t lanes) {
        g.storeVector(g.zero(Gen::vectorOf(lanes, element)), out,
                      {row, g.add(j, g.idx(from))});
      });
    };
    int64_t end = 0;
    for (auto [piece, offset, value] :
         llvm::zip_equal(pieces, op.getOffsets(), op.getPieces())) {
      zero(end, offset);
      int64_t width = ConcatColumnsOp::getWidth(value);
      if (piece)
        copyRow(work, g, piece, 0, out, offset, row, width);
      end = offset + width;
    }
    zero(end, op.getType().getDimSize(1));
  });
  return success();
}
