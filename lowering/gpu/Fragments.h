// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products on tensor cores of f32 matrices in workgroup memory.
#ifndef GEOC_LOWERING_GPU_FRAGMENTS_H
#define GEOC_LOWERING_GPU_FRAGMENTS_H

#include "lowering/cpu/Gen.h"
#include <array>

namespace geo {

/// How factors of f32 products are rounded, by accuracy: three products of
/// tf32 parts (22 bits of each factor), one of tf32 (11 bits), or one of bf16
/// (8 bits). Sums are f32 always.
enum class ProductMath { tf32x3, tf32, bf16 };

namespace device {

using cpu::Gen;
using cpu::Values;
using mlir::Value;
using mlir::ValueRange;

/// One lane's share of C[16, 8] += A[16, 8] B[8, 8] (mma.sync.m16n8k8 of the
/// PTX ISA). With g = lane / 4 and q = lane % 4 a lane holds
///   A: (g, q), (g + 8, q), (g, q + 4), (g + 8, q + 4)
///   B: (q, g), (q + 4, g)
///   C: (g, 2q), (g, 2q + 1), (g + 8, 2q), (g + 8, 2q + 1).
/// bf16 operands hold two neighbours along k in a register; both factors take
/// q and q + 4 for them, which only permutes the terms of the sum.
class Fragments {
public:
  /// `lane` of the warp, an index.
  Fragments(Gen &g, ProductMath math, Value lane);

  /// A factor, split and packed for the tensor cores.
  struct Factor {
    llvm::SmallVector<Value, 2> parts;
  };
  using LoadFn = llvm::function_ref<Value(Value major, Value k)>;
  /// A of rows [row, row + 16): load(i, k) with i and k at most 15 and 7 above.
  Factor loadA(Value row, Value k, LoadFn load);
  /// B of columns [column, column + 8): load(j, k).
  Factor loadB(Value column, Value k, LoadFn load);

  /// The same by ldmatrix, where k runs along the rows of a buffer
  /// [.., major, k] in workgroup memory whose rows are multiples of 16 bytes
  /// apart; `at` are its leading indices.
  Factor loadA(Value row, Value k, Value buffer, ValueRange at);
  /// B of columns [column, column + 16): two factors of eight.
  std::array<Factor, 2> loadTwoB(Value column, Value k, Value buffer,
                                 ValueRange at);

  /// c + a b.
  Value multiply(const Factor &a, const Factor &b, Value c);
  Value zero();

  /// body(i, j, part): the part of C at row `row` + i, column `column` + j.
  void forEach(Value row, Value column, Value c,
               llvm::function_ref<void(Value i, Value j, Value x)> body);

private:
  /// Four tiles of 8 rows and 4 elements, whose rows start at (major, k) for
  /// the lanes in turn; a lane gets element (g, q) of each.
  Values loadTiles(Value major, Value k, Value buffer, ValueRange at);
  Factor split(ValueRange numbers);
  /// vector<nx1xf32>.
  Value pack(ValueRange numbers);
  Value multiplyParts(Value a, Value b, Value c);

  Gen &g;
  const ProductMath math;
  Value lane, group, quad;
};

} // namespace device
} // namespace geo

#endif // GEOC_LOWERING_GPU_FRAGMENTS_H
