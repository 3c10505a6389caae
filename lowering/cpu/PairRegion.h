// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region of a pair program, value by value.
#ifndef GEOC_LOWERING_CPU_PAIRREGION_H
#define GEOC_LOWERING_CPU_PAIRREGION_H

#include "dialect/Geo.h"
#include "lowering/cpu/Gen.h"

namespace geo::cpu {

/// Emits values of a region on vectors when they are asked for, each once. A
/// value that is first asked for inside of a loop or branch must not be used
/// outside of it.
class PairRegion {
public:
  /// Arguments may be null that nothing asked for needs.
  PairRegion(Gen &g, mlir::Block &block, ValueRange arguments, int64_t lanes);

  /// Of a value of the block.
  Value get(Value v);
  /// Of what the block yields at `i`.
  Value getYielded(unsigned i) {
    return get(block.getTerminator()->getOperand(i));
  }
  void set(Value v, Value emitted) { known[v] = emitted; }

private:
  Gen &g;
  mlir::Block &block;
  const int64_t lanes;
  llvm::DenseMap<Value, Value> known;
};

/// Values of `block` that a first visit of a pair, for the yielded value 0,
/// should keep for a second one, for the yielded values `wanted`: expensive
/// ones that both need, and those of the first `numGrams` arguments from which
/// the second computes the rest again.
llvm::SmallVector<Value> findKept(mlir::Block &block, unsigned numGrams,
                                  llvm::ArrayRef<unsigned> wanted);

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_PAIRREGION_H
