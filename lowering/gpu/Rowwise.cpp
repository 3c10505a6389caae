// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.rowwise as kernels: strips of a row over some lanes of a warp.
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/GroupStrips.h"
#include "lowering/gpu/Workgroup.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

namespace {

constexpr int64_t threads = RowLayout::threads;
/// Blocks of a program with sums, each of which has partial results.
constexpr int64_t blocksOfSums = 64;

} // namespace

LogicalResult device::emitRowwise(KernelBuilder &kernels,
                                  ImplicitLocOpBuilder &b, RowwiseOp op,
                                  ValueRange operands, ValueRange outs) {
  Gen host(b);
  RowLayout layout(op);
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
