// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.rowwise as kernels: strips of a row over some lanes of a warp.
#include "lowering/cpu/Strips.h"
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Workgroup.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

namespace {

constexpr int64_t threads = 256, warpSize = 32;
/// Bytes of workgroup memory for vectors that a row keeps; programs that would
/// keep more compute them again.
constexpr int64_t keptBytes = 32768;
/// Blocks of a program with sums, each of which has partial results.
constexpr int64_t blocksOfSums = 64;

/// How rows lie on the lanes of warps.
struct Layout {
  explicit Layout(RowwiseOp op) : length(op.getRowLength()) {
    width = length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : 1;
    lanes = std::min<int64_t>(
        warpSize, llvm::PowerOf2Ceil(llvm::divideCeil(length, width)));
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
  GroupStrips(Gen &g, RowwiseOp op, const Layout &layout, Value lane)
      : Strips(g, op, layout.width), layout(layout), lane(lane) {
    int64_t bytes = 0;
    for (Value v : kept)
      bytes +=
          layout.rowsOfBlock() *
          device::getBytes(layout.length, getElementTypeOrSelf(v.getType()));
    if (bytes > keptBytes)
      kept.clear();
  }

  /// Whether the row of the group exists. One that does not repeats the last
  /// and writes nothing.
  void setExists(Value v) { exists = v; }

protected:
  Values emitStrips(ArrayRef<Operation *> reductions,
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
  Value finish(Operation *reduction, Value carried) override {
    Value x = Strips::finish(reduction, carried);
    for (int64_t offset = layout.lanes / 2; offset > 0; offset /= 2) {
      Value y = emitShuffleXor(g, x, offset);
      x = isMaximum(reduction) ? arith::MaximumFOp::create(g.b, x, y)
                               : g.fadd(x, y);
    }
    return x;
  }

  Value loadVector(Value memref, ValueRange at, VectorType type) override {
    auto load = vector::LoadOp::create(g.b, type, memref, at);
    load.setAlignment(getAlignment(memref, type));
    return load;
  }
  void storeVector(Value x, Value out, ValueRange at) override {
    g.ifThen(exists, [&] {
      auto store = vector::StoreOp::create(g.b, x, out, at);
      store.setAlignment(getAlignment(out, cast<VectorType>(x.getType())));
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
  static int64_t getAlignment(Value memref, VectorType type) {
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    bool isRow = cast<MemRefType>(memref.getType()).getRank() > 1;
    int64_t width = isRow
                        ? std::min(getCopyWidth(memref), type.getNumElements())
                        : type.getNumElements();
    return std::min<int64_t>(16, width * bytes);
  }

  const Layout layout;
  Value lane, exists;
};

} // namespace

LogicalResult device::emitRowwise(KernelBuilder &kernels,
                                  ImplicitLocOpBuilder &b, RowwiseOp op,
                                  ValueRange operands, ValueRange outs) {
  Gen host(b);
  Layout layout(op);
  unsigned numRowResults = op.getNumRowResults();
  bool hasSums = op.getNumSums() != 0;
  Value rows = host.dim(operands[0], 0);
  Value blocks = host.ceilDiv(rows, host.idx(layout.rowsOfBlock()));
  if (hasSums)
    blocks = host.min(blocks, host.idx(blocksOfSums));
  blocks = host.max(blocks, host.idx(1));

  // 1. Partial sums of every group.
  Value groups = host.mul(blocks, layout.rowsOfBlock());
  Values partials;
  for (unsigned i = numRowResults; i < op->getNumResults(); ++i) {
    SmallVector<int64_t> shape = {ShapedType::kDynamic};
    if (auto type = dyn_cast<RankedTensorType>(op->getResult(i).getType()))
      shape.push_back(type.getDimSize(0));
    partials.push_back(kernels.allocate(host, shape, host.f64(), groups));
  }

  // 2. The rows.
  Values all(operands);
  all.append(outs.begin(), outs.begin() + numRowResults);
  all.append(partials);
  kernels.launch(
      host, "rowwise", {blocks, host.idx(1), host.idx(1)}, threads, all,
      [&](Gen &g, ValueRange args) {
        ValueRange memory = args.take_front(operands.size());
        Values rowOuts(args.slice(operands.size(), numRowResults));
        ValueRange partials = args.drop_front(operands.size() + numRowResults);
        Value thread = gpu::ThreadIdOp::create(g.b, gpu::Dimension::x);
        Value block = gpu::BlockIdOp::create(g.b, gpu::Dimension::x);
        Value lane = g.rem(thread, g.idx(layout.lanes));
        Value groupOfBlock = g.div(thread, g.idx(layout.lanes));
        Value group = g.add(g.mul(block, layout.rowsOfBlock()), groupOfBlock);
        GroupStrips strips(g, op, layout, lane);
        Workgroup workgroup(g);
        Values scratch;
        for (Value v : strips.getKept())
          scratch.push_back(
              g.slice(workgroup.allocate({layout.rowsOfBlock(), layout.length},
                                         getElementTypeOrSelf(v.getType())),
                      groupOfBlock));
        Values init;
        for (Value partial : partials) {
          if (cast<MemRefType>(partial.getType()).getRank() == 1) {
            init.push_back(g.zero(g.f64()));
            rowOuts.push_back(Value()); // emitRow returns it
            continue;
          }
          Value mine = g.slice(partial, group);
          // Each lane those that it will add to.
          g.forLoop(g.mul(lane, layout.width), g.idx(layout.length),
                    g.idx(layout.lanes * layout.width), [&](Value j) {
                      for (int64_t l = 0; l < layout.width; ++l)
                        g.store(g.zero(g.f64()), mine, g.add(j, l));
                    });
          rowOuts.push_back(mine);
        }
        // All lanes of a warp go through the loop together.
        Value rows = g.dim(memory[0], 0), last = g.sub(rows, g.idx(1));
        Value firstOfWarp = g.mul(g.div(group, g.idx(layout.rowsOfWarp())),
                                  layout.rowsOfWarp());
        Value ofWarp = g.sub(group, firstOfWarp);
        Value step =
            g.mul(gpu::GridDimOp::create(g.b, gpu::Dimension::x).getResult(),
                  layout.rowsOfBlock());
        Values totals =
            g.forLoop(firstOfWarp, rows, step, init,
                      [&](Value first, ValueRange carried) {
                        Value row = g.add(first, ofWarp);
                        strips.setExists(g.less(row, rows));
                        return strips.emitRow(g.min(row, last), memory, rowOuts,
                                              scratch, carried);
                      });
        unsigned next = 0;
        for (Value partial : partials)
          if (cast<MemRefType>(partial.getType()).getRank() == 1) {
            Value total = totals[next++];
            g.ifThen(g.equal(lane, g.idx(0)),
                     [&] { g.store(total, partial, group); });
          }
        return workgroup.getBytes();
      });

  // 3. The groups' sums, in order.
  for (auto [partial, out] :
       llvm::zip_equal(partials, outs.drop_front(numRowResults))) {
    if (cast<MemRefType>(partial.getType()).getRank() == 1)
      emitTotal(
          kernels, host, "rowwise_sum", partial, groups, out,
          [](Gen &g, Value partial, Value i) { return g.load(partial, i); });
    else
      kernels.launchForEach(
          host, "rowwise_sums", host.idx(layout.length), {partial, out},
          [](Gen &g, ValueRange args, Value j) {
            Value sum = g.forLoop(
                g.idx(0), g.dim(args[0], 0), g.idx(1), g.zero(g.f64()),
                [&](Value i, ValueRange carried) {
                  return Values{g.fadd(carried[0], g.load(args[0], {i, j}))};
                })[0];
            g.store(g.convert(sum, Gen::elementOf(args[1])), args[1], j);
          });
    kernels.release(host, partial);
  }
  return success();
}
