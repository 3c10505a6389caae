// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise_grad on a device: partial results in a fixed order.
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Pairwise.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

/// The sum over splits of partial[split, at...].
static Value addUp(Gen &g, Value partial, ValueRange at) {
  Value zero = g.zero(Gen::elementOf(partial));
  return g.forLoop(g.idx(0), g.dim(partial, 0), g.idx(1), zero,
                   [&](Value s, ValueRange carried) {
                     Values indices = {s};
                     indices.append(at.begin(), at.end());
                     return Values{
                         g.fadd(carried[0], g.load(partial, indices))};
                   })[0];
}

/// The gradient by a tensor, from products sum a y: 2 (x sum a - sum a y) for
/// differences; where these are in f64, from sum a (y - x).
void PairLaunch::combineTensor(unsigned k, Value product, Value coefficientSum,
                               bool ownsX, Value out) {
  Value tensor = ownsX ? pair.xs[k] : pair.ys[k];
  int64_t d = cast<MemRefType>(tensor.getType()).getDimSize(1);
  Values operands = {tensor, product, out};
  if (coefficientSum)
    operands.push_back(coefficientSum);
  bool isDifference = pair.isDifference(k);
  kernels.launchForEach(
      host, name("combine"), host.mul(host.dim(tensor, 0), d), operands,
      [&](Gen &g, ValueRange args, Value at) {
        Value i = g.div(at, g.idx(d)), p = g.rem(at, g.idx(d));
        Value sum = addUp(g, args[1], {i, p});
        Type element = sum.getType();
        if (args.size() > 3) {
          Value a = g.convert(addUp(g, args[3], i), element);
          Value x = g.convert(g.load(args[0], {i, p}), element);
          sum = g.fmul(g.real(element, 2.0), g.fsub(g.fmul(a, x), sum));
        } else if (isDifference) {
          sum = g.fmul(g.real(element, -2.0), sum);
        }
        g.store(g.convert(sum, Gen::elementOf(args[2])), args[2], {i, p});
      });
}

void PairLaunch::combineRows(Value partial, Value count, Value out) {
  kernels.launchForEach(
      host, name("combine"), count, {partial, out},
      [](Gen &g, ValueRange args, Value i) {
        g.store(g.convert(addUp(g, args[0], i), Gen::elementOf(args[1])),
                args[1], i);
      });
}

void PairLaunch::combineAll(Value partial, Value count, Value out) {
  emitTotal(
      kernels, host, name("combine"), partial, count, out,
      [](Gen &g, Value partial, Value i) { return addUp(g, partial, i); });
}

LogicalResult device::emitPairwiseGrad(KernelBuilder &kernels,
                                       ImplicitLocOpBuilder &b,
                                       PairwiseGradOp op, ValueRange operands,
                                       ValueRange outs) {
  Gen host(b);
  PairLaunch launch(kernels, host, op, operands);
  RowSums sums;
  Value cotangentSums;
  switch (op.getReducer()) {
  case Reducer::none:
    break;
  case Reducer::softmax:
    sums = launch.splitLse(launch.pair.lse);
    cotangentSums = launch.emitCotangentSums(launch.pair.cotangent);
    break;
  case Reducer::nll:
    sums = op.isFused()
               ? launch.emitRowSums(outs.drop_back().back(), outs.back())
               : launch.emitRowSums(Value(), Value());
    break;
  }
  for (bool ownsX : {true, false})
    launch.emitGradients(op, ownsX, sums, cotangentSums, outs);
  launch.release(sums);
  if (cotangentSums)
    kernels.release(host, cotangentSums);
  launch.finish();
  return success();
}
