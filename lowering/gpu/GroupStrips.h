// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row programs as strips over some lanes of a warp.
#ifndef GEOC_LOWERING_GPU_GROUPSTRIPS_H
#define GEOC_LOWERING_GPU_GROUPSTRIPS_H

#include "lowering/cpu/Strips.h"
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Workgroup.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace geo::device {

/// How rows lie on the lanes of warps.
struct RowLayout {
  static constexpr int64_t threads = 256, warpSize = 32;
  explicit RowLayout(RowwiseOp op) : length(op.getRowLength()) {
    width = length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : 1;
    lanes =
        std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(std::max<int64_t>(
                                        1, llvm::divideCeil(length, width))));
  }
  int64_t rowsOfWarp() const { return warpSize / lanes; }
  int64_t rowsOfBlock() const { return threads / lanes; }

  int64_t length;
  int64_t width; ///< elements that a lane has at a time
  int64_t lanes; ///< of one row
};

/// Strips of one row on the lanes of a group. Every lane ends up with the
/// results of reductions, and computes the numbers.
class GroupStrips : public cpu::Strips {
public:
  /// Bytes of workgroup memory for vectors that rows keep.
  static constexpr int64_t keptBytes = 32768;

  GroupStrips(Gen &g, RowwiseOp op, const RowLayout &layout, Value lane)
      : Strips(g, op, layout.width), layout(layout), lane(lane) {
    int64_t bytes = 0;
    for (Value v : kept)
      bytes += layout.rowsOfBlock() *
               getBytes(layout.length, mlir::getElementTypeOrSelf(v.getType()));
    // Programs that would keep more compute it again.
    if (bytes > keptBytes)
      kept.clear();
  }

  /// Whether the row of the group exists. One that does not repeats the last
  /// and writes nothing.
  void setExists(Value v) { exists = v; }

protected:
  Values emitStrips(llvm::ArrayRef<mlir::Operation *> reductions,
                    StripFn emitStrip) override {
    int64_t step = layout.lanes * layout.width;
    int64_t whole = layout.length / step * step;
    Value first = g.mul(lane, layout.width);
    Values carried = initial(reductions, layout.width);
    if (whole)
      carried =
          g.forLoop(g.idx(0), g.idx(whole), g.idx(step), carried,
                    [&](Value base, ValueRange c) {
                      return emitStrip(g.add(base, first), layout.width, c);
                    });
    if (whole < layout.length) {
      Value j = g.add(first, whole);
      Value isInside = g.less(j, g.idx(layout.length));
      carried = g.ifElse(
          isInside, [&] { return emitStrip(j, layout.width, carried); },
          [&] { return carried; });
    }
    Values totals;
    for (auto [reduction, c] : llvm::zip_equal(reductions, carried))
      totals.push_back(finish(reduction, c));
    return totals;
  }

  /// A butterfly: the same order of additions in every lane.
  Value finish(mlir::Operation *reduction, Value carried) override {
    Value x = Strips::finish(reduction, carried);
    for (int64_t offset = layout.lanes / 2; offset > 0; offset /= 2) {
      Value y = emitShuffleXor(g, x, offset);
      x = isMaximum(reduction) ? mlir::arith::MaximumFOp::create(g.b, x, y)
                               : g.fadd(x, y);
    }
    return x;
  }

  Value loadVector(Value memref, ValueRange at,
                   mlir::VectorType type) override {
    auto load = mlir::vector::LoadOp::create(g.b, type, memref, at);
    load.setAlignment(getAlignment(memref, type));
    return load;
  }
  void storeVector(Value x, Value out, ValueRange at) override {
    g.ifThen(exists, [&] {
      auto store = mlir::vector::StoreOp::create(g.b, x, out, at);
      store.setAlignment(
          getAlignment(out, llvm::cast<mlir::VectorType>(x.getType())));
    });
  }
  void storeNumber(Value x, Value out, Value at) override {
    g.ifThen(g.both(exists, g.equal(lane, g.idx(0))),
             [&] { g.store(x, out, at); });
  }
  Value addNumber(Value sum, Value x) override {
    return g.select(exists, g.fadd(sum, x), sum);
  }

private:
  /// Bytes that the address of a strip is a multiple of; at most 16.
  static int64_t getAlignment(Value memref, mlir::VectorType type) {
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    bool isRow = llvm::cast<mlir::MemRefType>(memref.getType()).getRank() > 1;
    int64_t width = isRow
                        ? std::min(getCopyWidth(memref), type.getNumElements())
                        : type.getNumElements();
    return std::min<int64_t>(16, width * bytes);
  }

  const RowLayout layout;
  Value lane, exists;
};

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_GROUPSTRIPS_H
