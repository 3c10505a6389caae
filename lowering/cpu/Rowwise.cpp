// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.rowwise: rows over threads, and sums in thread order.
#include "lowering/cpu/RowBlocks.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

namespace {
/// Sums over rows: one f64 partial per thread.
class Sums {
public:
  Sums(Gen &g, RowwiseOp op, Value count) : g(g), op(op), count(count) {
    for (unsigned i = op.getNumRowResults(); i < op->getNumResults(); ++i) {
      SmallVector<int64_t> shape = {ShapedType::kDynamic};
      if (auto type = dyn_cast<RankedTensorType>(op->getResult(i).getType()))
        shape.push_back(type.getDimSize(0));
      partials.push_back(g.alloc(shape, g.f64(), count));
    }
  }

  static bool isVector(Value partial) {
    return cast<MemRefType>(partial.getType()).getRank() == 2;
  }

  /// The part of thread `tid` of vector sums, zeroed; number sums have none.
  Values start(Value tid, int64_t lanes) {
    Values parts;
    for (Value partial : partials) {
      if (!isVector(partial)) {
        parts.push_back(partial);
        continue;
      }
      parts.push_back(g.slice(partial, tid));
      g.fillZero(parts.back(), lanes);
    }
    return parts;
  }

  void finish(Value tid, ValueRange numberSums) {
    for (Value partial : partials)
      if (!isVector(partial)) {
        g.store(numberSums.front(), partial, tid);
        numberSums = numberSums.drop_front();
      }
  }

  unsigned getNumNumbers() {
    return llvm::count_if(partials, [](Value p) { return !isVector(p); });
  }

  /// Adds the partials into the outs and frees them.
  void combine(ValueRange outs, int64_t lanes) {
    for (auto [partial, out] : llvm::zip_equal(partials, outs)) {
      if (isVector(partial)) {
        auto type = cast<MemRefType>(partial.getType());
        g.forStrips(
            type.getDimSize(1), lanes,
            [&, &partial = partial, &out = out](Value j, int64_t width) {
              VectorType wide = Gen::vectorOf(width, g.f64());
              Value total = addUp(g.zero(wide), [&](Value t) {
                return g.loadVector(partial, {t, j}, wide);
              });
              g.storeVector(g.convert(total, Gen::elementOf(out)), out, j);
            });
      } else {
        g.store(addUp(g.zero(g.f64()),
                      [&, &partial = partial](Value t) {
                        return g.load(partial, t);
                      }),
                out);
      }
      g.dealloc(partial);
    }
  }

private:
  Value addUp(Value zero, function_ref<Value(Value)> load) {
    return g.forLoop(g.idx(0), count, g.idx(1), zero,
                     [&](Value t, ValueRange c) {
                       return Values{g.fadd(c[0], load(t))};
                     })[0];
  }

  Gen &g;
  RowwiseOp op;
  Value count;
  Values partials;
};
} // namespace

LogicalResult geo::cpu::emitRowwise(Work &work, Gen &g, RowwiseOp op,
                                    ValueRange operands, ValueRange outs) {
  for (Operation &o : op.getBlock())
    if (auto constant = dyn_cast<arith::ConstantOp>(o))
      if (auto dense = dyn_cast<ElementsAttr>(constant.getValue());
          dense && !dense.isSplat())
        return o.emitOpError("expects a row of equal elements inside "
                             "geo.rowwise, but got ")
               << constant.getValue();
  int64_t lanes = work.target.lanes;
  unsigned numRowResults = op.getNumRowResults();
  bool hasSums = op.getNumSums() != 0;
  std::optional<Sums> sums;
  if (hasSums)
    sums.emplace(g, op, work.scan ? g.idx(1) : work.getThreadCount(g));
  bool inBlocks = RowBlocks::isWorthwhile(op);
  work.onThreads(g, [&](Value tid, Value count) {
    RowBlocks strips(g, op, lanes);
    Values scratch, buffers;
    for (Value kept : strips.getKept())
      scratch.push_back(work.makeBuffer(g, [&] {
        SmallVector<int64_t> shape = {strips.getRows(), op.getRowLength()};
        return g.alloc(ArrayRef(shape).drop_front(inBlocks ? 0 : 1),
                       getElementTypeOrSelf(kept.getType()));
      }));
    if (inBlocks)
      for (Type element : strips.getBufferTypes())
        buffers.push_back(work.makeBuffer(g, [&] {
          Value buffer = g.alloc({strips.getRows()}, element);
          g.fillZero(buffer, lanes);
          return buffer;
        }));
    Values rowOuts(outs.take_front(numRowResults)), init;
    if (hasSums) {
      rowOuts.append(sums->start(tid, lanes));
      Type partial =
          inBlocks ? Gen::vectorOf(strips.getRows(), g.f64()) : Type(g.f64());
      init.assign(sums->getNumNumbers(), g.zero(partial));
    }
    auto [lower, upper] =
        Work::getPart(g, work.getRows(g, operands[0]), 1, tid, count);
    Values totals;
    if (inBlocks) {
      strips.emitInvariants(operands);
      Value step = g.idx(strips.getRows());
      totals = g.forLoop(lower, upper, step, init,
                         [&, upper = upper](Value first, ValueRange c) {
                           return strips.emitBlock(
                               first, g.min(step, g.sub(upper, first)),
                               operands, rowOuts, scratch, buffers, c);
                         });
      for (Value &total : totals)
        total = g.sum(total);
    } else {
      totals =
          g.forLoop(lower, upper, g.idx(1), init, [&](Value row, ValueRange c) {
            return strips.emitRow(row, operands, rowOuts, scratch, c);
          });
    }
    if (hasSums)
      sums->finish(tid, totals);
  });
  if (hasSums)
    sums->combine(outs.drop_front(numRowResults), lanes);
  return success();
}
