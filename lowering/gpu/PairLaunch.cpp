// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What surrounds the tiles of pairs: launches, norms, and the order in which
// partial results are combined.
#include "lowering/gpu/PairBackward.h"
#include "lowering/gpu/Pairwise.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;
using cpu::PairOperands;

template <class Op>
static std::function<PairOperands(ValueRange)> groupBy(Op op) {
  return [op](ValueRange operands) { return PairOperands(op, operands); };
}

PairLaunch::PairLaunch(KernelBuilder &kernels, Gen &host, PairwiseOp op,
                       ValueRange operands)
    : PairLaunch(kernels, host, PairOperands(op, operands), groupBy(op),
                 operands, op.getReducer(), "pairwise") {}

PairLaunch::PairLaunch(KernelBuilder &kernels, Gen &host, PairwiseGradOp op,
                       ValueRange operands)
    : PairLaunch(kernels, host, PairOperands(op, operands), groupBy(op),
                 operands, op.getReducer(), "pairwise_grad") {}

PairLaunch::PairLaunch(KernelBuilder &kernels, Gen &host, PairOperands pair,
                       std::function<PairOperands(ValueRange)> group,
                       ValueRange operands, Reducer reducer, StringRef prefix)
    : pair(std::move(pair)), kernels(kernels), host(host), prefix(prefix),
      reducer(reducer), group(std::move(group)), operands(operands),
      numOperands(operands.size()) {
  rows = host.dim(this->pair.xs[0], 0);
  columns = host.dim(this->pair.ys[0], 0);
  for (auto [k, kind] : llvm::enumerate(this->pair.kinds)) {
    bool needsNorms = kind == GramKind::sqdiff && !this->pair.math.isF64();
    xNorms.push_back(needsNorms ? emitNorms(this->pair.xs[k]) : Value());
    yNorms.push_back(needsNorms ? emitNorms(this->pair.ys[k]) : Value());
  }
  for (const Values &norms : {xNorms, yNorms})
    for (Value norm : norms)
      if (norm)
        this->operands.push_back(norm);
}

void PairLaunch::finish() {
  for (Value norm : ArrayRef(operands).drop_front(numOperands))
    kernels.release(host, norm);
}

void PairLaunch::release(const RowSums &sums) {
  for (Value buffer : {sums.maxima, sums.tails, sums.lseHigh, sums.lseLow,
                       sums.targetLogits, sums.share})
    if (buffer)
      kernels.release(host, buffer);
}

Value PairLaunch::make(ValueRange sizes) {
  SmallVector<int64_t> shape(sizes.size(), ShapedType::kDynamic);
  return kernels.allocate(host, shape, host.f64(), sizes);
}

Value PairLaunch::emitNorms(Value tensor) {
  Value count = host.dim(tensor, 0), norms = make(count);
  kernels.launchForEach(
      host, name("norms"), count, {tensor, norms},
      [](Gen &g, ValueRange args, Value i) {
        Value sum =
            g.forLoop(g.idx(0), g.dim(args[0], 1), g.idx(1), g.zero(g.f64()),
                      [&](Value p, ValueRange carried) {
                        Value x = g.convert(g.load(args[0], {i, p}), g.f64());
                        return Values{g.fadd(carried[0], g.fmul(x, x))};
                      })[0];
        g.store(sum, args[1], i);
      });
  return norms;
}

Value PairLaunch::countSplits(Value ownTiles, Value otherTiles) {
  Value wanted = host.idx(kernels.target().blocks);
  Value splits = host.ceilDiv(wanted, host.max(ownTiles, host.idx(1)));
  return host.max(host.min(splits, otherTiles), host.idx(1));
}

void PairLaunch::launch(StringRef part, bool ownsX, Value splits, int64_t parts,
                        ValueRange more, BodyFn body) {
  Values all(operands);
  all.append(more.begin(), more.end());
  // Not in the kernel: a division of 64 bits is a call there.
  all.push_back(host.ceilDiv(countTiles(host, ownsX ? columns : rows), splits));
  Value ownTiles = countTiles(host, ownsX ? rows : columns);
  kernels.launch(
      host, name(part), {ownTiles, splits, host.idx(parts)}, PairTile::threads,
      all, [&](Gen &g, ValueRange args) {
        PairOperands inside = group(args.take_front(numOperands));
        ValueRange norms = args.drop_front(numOperands).drop_back();
        auto takeNorms = [&](const Values &of) {
          Values taken;
          for (Value norm : of) {
            taken.push_back(norm ? norms.front() : Value());
            norms = norms.drop_front(norm ? 1 : 0);
          }
          return taken;
        };
        PairSide x{inside.xs, takeNorms(xNorms), inside.rowScalars};
        PairSide y{inside.ys, takeNorms(yNorms), inside.columnScalars};
        Workgroup memory(g);
        PairTile tile(g, memory, kernels.target().productMath, inside, x, y,
                      ownsX);
        tile.tilesPerSplit = args.back();
        Value first = g.mul(getBlock(g, gpu::Dimension::x), PairTile::rows);
        // There is one block where there are no rows.
        g.ifThen(g.less(first, tile.ownCount), [&] {
          tile.startRows(first);
          body(g, tile, norms);
        });
        return memory.getBytes();
      });
}

Values PairLaunch::forTiles(PairTile &tile, ValueRange carried,
                            function_ref<Values(ValueRange)> body) {
  Gen &g = tile.g;
  Value tiles = countTiles(g, tile.otherCount);
  Value lower = g.mul(getBlock(g, gpu::Dimension::y), tile.tilesPerSplit);
  Value upper = g.min(g.add(lower, tile.tilesPerSplit), tiles);
  return g.forLoop(lower, upper, g.idx(1), carried,
                   [&](Value t, ValueRange carried) {
                     tile.startTile(g.mul(t, PairTile::columns));
                     return body(carried);
                   });
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

RowSums PairLaunch::splitLse(Value lse) {
  RowSums sums;
  sums.lseHigh = make(rows);
  sums.lseLow = make(rows);
  kernels.launchForEach(
      host, name("lse"), rows, {lse, sums.lseHigh, sums.lseLow},
      [&](Gen &g, ValueRange args, Value i) {
        Value whole = g.load(args[0], i);
        Value high = g.convert(g.convert(whole, pair.math), g.f64());
        g.store(high, args[1], i);
        g.store(g.fsub(whole, high), args[2], i);
      });
  return sums;
}

Value PairLaunch::emitCotangentSums(Value table) {
  Value sums = make(rows);
  kernels.launchForEach(
      host, name("cotangents"), rows, {table, sums},
      [](Gen &g, ValueRange args, Value i) {
        Value sum =
            g.forLoop(g.idx(0), g.dim(args[0], 1), g.idx(1), g.zero(g.f64()),
                      [&](Value j, ValueRange carried) {
                        Value ct = g.convert(g.load(args[0], {i, j}), g.f64());
                        return Values{g.fadd(carried[0], ct)};
                      })[0];
        g.store(sum, args[1], i);
      });
  return sums;
}

/// Columns of a product that a block computes: a multiple of two warps' 16.
static int64_t chooseWidth(ValueRange tensors) {
  int64_t width = 0;
  for (Value tensor : tensors)
    width = std::max(width, cast<MemRefType>(tensor.getType()).getDimSize(1));
  return std::min<int64_t>(128, llvm::alignTo(std::max<int64_t>(width, 1), 32));
}

void PairLaunch::emitGradients(PairwiseGradOp op, bool ownsX,
                               const RowSums &sums, Value cotangentSums,
                               ValueRange outs) {
  unsigned numGrams = pair.numGrams();
  unsigned firstRow = numGrams, firstColumn = firstRow + pair.rowScalars.size(),
           firstShared = firstColumn + pair.columnScalars.size();
  ValueRange own = ownsX ? pair.xs : pair.ys;
  auto isRead = [&](unsigned result) {
    return !op->getResult(result).use_empty();
  };
  // 1. What has a use.
  SideGradients side{ownsX, {}, {}, chooseWidth(own)};
  SidePartials partials;
  SmallVector<Value> coefficientSums(numGrams);
  Value ownRows = ownsX ? rows : columns;
  Value ownTiles = countTiles(host, ownRows);
  Value splits =
      countSplits(ownTiles, countTiles(host, ownsX ? columns : rows));
  Value padded = host.mul(ownTiles, PairTile::rows);
  auto addSum = [&](unsigned a) {
    side.sums.push_back(a);
    partials.sums.push_back(make({splits, padded}));
    return partials.sums.back();
  };
  int64_t parts = 1;
  for (unsigned k = 0; k < numGrams; ++k) {
    side.tensors.push_back(isRead(ownsX ? k : numGrams + k));
    int64_t d = cast<MemRefType>(own[k].getType()).getDimSize(1);
    parts = std::max<int64_t>(parts, llvm::divideCeil(d, side.width));
    if (side.tensors[k] && pair.isDifference(k) && !pair.math.isF64())
      coefficientSums[k] = addSum(k);
  }
  unsigned numCoefficients = side.sums.size();
  for (unsigned a = firstRow; a < pair.block->getNumArguments(); ++a) {
    bool isColumn = a >= firstColumn && a < firstShared;
    if (isColumn != ownsX && isRead(a + numGrams))
      addSum(a);
  }
  if (side.sums.empty() && !llvm::is_contained(side.tensors, true))
    return;
  for (unsigned k = 0; k < numGrams; ++k)
    partials.products.push_back(
        side.tensors[k]
            ? kernels.allocate(
                  host, SmallVector<int64_t>(3, ShapedType::kDynamic),
                  pair.math, {splits, padded, host.idx(parts * side.width)})
            : Value());

  // 2. The kernel.
  LogitGradient gradient{reducer,     sums.lseHigh,
                         sums.lseLow, isNll() ? pair.cotangent : cotangentSums,
                         sums.share,  isNll() ? Value() : pair.cotangent};
  Values more;
  auto forMore = [](LogitGradient &gradient, SidePartials &partials,
                    function_ref<void(Value &)> body) {
    for (Value *v : {&gradient.lseHigh, &gradient.lseLow, &gradient.rowFactor,
                     &gradient.share, &gradient.table})
      if (*v)
        body(*v);
    for (Values *values : {&partials.products, &partials.sums})
      for (Value &v : *values)
        if (v)
          body(v);
  };
  forMore(gradient, partials, [&](Value &v) { more.push_back(v); });
  launch(ownsX ? "x" : "y", ownsX, splits, parts, more,
         [&](Gen &g, PairTile &tile, ValueRange more) {
           LogitGradient inside = gradient;
           SidePartials insidePartials = partials;
           forMore(inside, insidePartials, [&](Value &v) {
             v = more.front();
             more = more.drop_front();
           });
           PairBackward backward(tile, side, inside, insidePartials);
           backward.start(getBlock(g, gpu::Dimension::y),
                          getBlock(g, gpu::Dimension::z));
           backward.finish(
               forTiles(tile, backward.getInitial(), [&](ValueRange carried) {
                 return backward.emitTile(carried);
               }));
         });

  // 3. The splits, in order.
  for (unsigned k = 0; k < numGrams; ++k)
    if (side.tensors[k])
      combineTensor(k, partials.products[k], coefficientSums[k], ownsX,
                    outs[ownsX ? k : numGrams + k]);
  for (auto [q, a] : llvm::enumerate(side.sums)) {
    if (q < numCoefficients)
      continue;
    Value out = outs[a + numGrams];
    if (a >= firstShared)
      combineAll(partials.sums[q], ownRows, out);
    else
      combineRows(partials.sums[q], ownRows, out);
  }
  for (const Values &values : {partials.products, partials.sums})
    for (Value buffer : values)
      if (buffer)
        kernels.release(host, buffer);
}
