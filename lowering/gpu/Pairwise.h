// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.pairwise and geo.pairwise_grad as kernels. Nothing of the size rows x
// columns is stored but a result.
#ifndef GEOC_LOWERING_GPU_PAIRWISE_H
#define GEOC_LOWERING_GPU_PAIRWISE_H

#include "lowering/gpu/KernelBuilder.h"
#include "lowering/gpu/PairSums.h"
#include "lowering/gpu/PairTile.h"

namespace geo::device {

/// Per row of the x's, in f64: the largest logit, and log of the sum of all
/// relative to it, which make lse; that in two parts, the first of as many
/// digits as the program's numbers have. Of nll also the target's logit, and
/// the share of the other columns (1 - p of the target).
struct RowSums {
  Value maxima, tails, lseHigh, lseLow, targetLogits, share;
};

/// The launches of one op. Every block of a kernel owns a tile of rows of one
/// side and goes through one of some ranges (splits) of the other's tiles.
class PairLaunch {
public:
  PairLaunch(KernelBuilder &kernels, Gen &host, PairwiseOp op,
             ValueRange operands);
  PairLaunch(KernelBuilder &kernels, Gen &host, PairwiseGradOp op,
             ValueRange operands);

  /// Sums over the columns. nll: the losses, too. lse and losses are [rows] of
  /// f64 and may be null.
  RowSums emitRowSums(Value losses, Value lse);
  /// The two parts of an lse that is there already.
  RowSums splitLse(Value lse);
  /// The table of logits, or of their logarithmic probabilities.
  void emitTable(Value table, const RowSums *sums);
  /// [rows]: the sums of the cotangents' rows.
  Value emitCotangentSums(Value table);
  /// The gradients by one side, into the op's results `outs`.
  void emitGradients(PairwiseGradOp op, bool ownsX, const RowSums &sums,
                     Value cotangentSums, ValueRange outs);

  void release(const RowSums &sums);
  /// Frees what all launches share.
  void finish();

  const cpu::PairOperands pair;

private:
  using BodyFn = llvm::function_ref<void(Gen &, PairTile &, ValueRange more)>;
  PairLaunch(KernelBuilder &kernels, Gen &host, cpu::PairOperands pair,
             std::function<cpu::PairOperands(ValueRange)> group,
             ValueRange operands, Reducer reducer, llvm::StringRef prefix);
  bool isNll() const { return reducer == Reducer::nll; }
  std::string name(llvm::StringRef part) const {
    return (prefix + "_" + part).str();
  }
  /// [sizes] of f64, on the device.
  Value make(ValueRange sizes);
  Value emitNorms(Value tensor);
  /// How many blocks share the tiles of one own tile.
  Value countSplits(Value ownTiles, Value otherTiles);
  static Value countTiles(Gen &g, Value rows) {
    return g.ceilDiv(rows, g.idx(PairTile::rows));
  }
  /// A kernel of ownTiles x splits x parts blocks; the body's `more` are
  /// `more` there.
  void launch(llvm::StringRef part, bool ownsX, Value splits, int64_t parts,
              ValueRange more, BodyFn body);
  /// All tiles of the block's split.
  static Values forTiles(PairTile &tile, ValueRange carried,
                         llvm::function_ref<Values(ValueRange)> body);
  static Value getBlock(Gen &g, mlir::gpu::Dimension dimension) {
    return mlir::gpu::BlockIdOp::create(g.b, dimension);
  }
  void emitSums(Gen &g, PairTile &tile, ValueRange outs);
  void emitLoss(Gen &g, LogSum others, ValueRange buffers, ValueRange loss,
                Value i);
  void storeLse(Gen &g, Value max, Value tail, ValueRange buffers, Value i);
  void combineTensor(unsigned k, Value product, Value coefficientSum,
                     bool ownsX, Value out);
  void combineRows(Value partial, Value rows, Value out);
  void combineAll(Value partial, Value rows, Value out);

  KernelBuilder &kernels;
  Gen &host;
  const std::string prefix;
  const Reducer reducer;
  /// Makes the groups of a kernel's arguments.
  const std::function<cpu::PairOperands(ValueRange)> group;
  /// The op's operands, then norms of x's and y's.
  Values operands;
  unsigned numOperands;
  Values xNorms, yNorms;
  Value rows, columns;
};

mlir::LogicalResult emitPairwise(KernelBuilder &kernels,
                                 mlir::ImplicitLocOpBuilder &b, PairwiseOp op,
                                 ValueRange operands, ValueRange outs);
mlir::LogicalResult emitPairwiseGrad(KernelBuilder &kernels,
                                     mlir::ImplicitLocOpBuilder &b,
                                     PairwiseGradOp op, ValueRange operands,
                                     ValueRange outs);

} // namespace geo::device

#endif // GEOC_LOWERING_GPU_PAIRWISE_H
