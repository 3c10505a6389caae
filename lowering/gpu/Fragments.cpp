// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/Fragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

/// The bits of an f32 that a tf32 keeps; mma.sync ignores the others.
static constexpr int32_t tf32Bits = ~0x1fff;
/// Half of the last of them.
static constexpr int32_t tf32Half = 0x1000;

Fragments::Fragments(Gen &g, ProductMath math, Value lane)
    : g(g), math(math), lane(lane), group(g.div(lane, g.idx(4))),
      quad(g.rem(lane, g.idx(4))) {}

Fragments::Factor Fragments::loadA(Value row, Value k, LoadFn load) {
  Value i = g.add(row, group), p = g.add(k, quad);
  Value below = g.add(i, 8), later = g.add(p, 4);
  return split(
      {load(i, p), load(below, p), load(i, later), load(below, later)});
}

Fragments::Factor Fragments::loadB(Value column, Value k, LoadFn load) {
  Value j = g.add(column, group), p = g.add(k, quad);
  return split({load(j, p), load(j, g.add(p, 4))});
}

Values Fragments::loadTiles(Value major, Value k, Value buffer, ValueRange at) {
  Values indices(at);
  indices.append({g.add(major, g.rem(lane, g.idx(8))), k});
  Value tiles = nvgpu::LdMatrixOp::create(g.b, VectorType::get({4, 1}, g.f32()),
                                          buffer, indices,
                                          /*transpose=*/false, /*numTiles=*/4);
  Values numbers;
  for (int64_t i = 0; i < 4; ++i)
    numbers.push_back(
        vector::ExtractOp::create(g.b, tiles, ArrayRef<int64_t>{i, 0}));
  return numbers;
}

/// Rows 0 and 8 above at k, then at k + 4.
Fragments::Factor Fragments::loadA(Value row, Value k, Value buffer,
                                   ValueRange at) {
  Value tile = g.div(lane, g.idx(8));
  return split(loadTiles(g.add(row, g.mul(g.rem(tile, g.idx(2)), 8)),
                         g.add(k, g.mul(g.div(tile, g.idx(2)), 4)), buffer,
                         at));
}

/// Columns 0 above at k and k + 4, then 8 above.
std::array<Fragments::Factor, 2>
Fragments::loadTwoB(Value column, Value k, Value buffer, ValueRange at) {
  Value tile = g.div(lane, g.idx(8));
  Values numbers =
      loadTiles(g.add(column, g.mul(g.div(tile, g.idx(2)), 8)),
                g.add(k, g.mul(g.rem(tile, g.idx(2)), 4)), buffer, at);
  ArrayRef<Value> all(numbers);
  return {split(all.take_front(2)), split(all.drop_front(2))};
}

/// A vector of two dimensions, row by row.
static Value emitMatrix(Gen &g, ArrayRef<int64_t> shape, ValueRange numbers) {
  Value matrix = g.zero(VectorType::get(shape, g.f32()));
  for (auto [i, x] : llvm::enumerate(numbers)) {
    auto at = static_cast<int64_t>(i);
    matrix = vector::InsertOp::create(
        g.b, x, matrix, ArrayRef<int64_t>{at / shape[1], at % shape[1]});
  }
  return matrix;
}

Value Fragments::pack(ValueRange numbers) {
  return emitMatrix(g, {static_cast<int64_t>(numbers.size()), 1}, numbers);
}

Fragments::Factor Fragments::split(ValueRange numbers) {
  if (math == ProductMath::tf32)
    return {{pack(numbers)}};
  if (math == ProductMath::tf32x3) {
    Values high, low;
    for (Value x : numbers) {
      // To nearest: the rest then has either sign, and what its own rounding
      // loses does not add up. Where the rounding of a NaN overflows, the rest
      // is still one.
      Value bits = g.bitcast(x, g.i32());
      bits = arith::AddIOp::create(g.b, bits, g.integer(g.i32(), tf32Half));
      bits = arith::AndIOp::create(g.b, bits, g.integer(g.i32(), tf32Bits));
      high.push_back(g.bitcast(bits, g.f32()));
      low.push_back(g.fsub(x, high.back()));
    }
    return {{pack(high), pack(low)}};
  }
  // Registers of (row, k..k+1): the first half of the numbers has k = q, the
  // second q + 4.
  Factor factor;
  size_t half = numbers.size() / 2;
  Type bf16 = g.b.getBF16Type();
  for (size_t i = 0; i < half; ++i) {
    Value pair = vector::FromElementsOp::create(
        g.b, Gen::vectorOf(2, g.f32()),
        ValueRange{numbers[i], numbers[i + half]});
    pair = arith::TruncFOp::create(g.b, Gen::vectorOf(2, bf16), pair);
    factor.parts.push_back(LLVM::BitcastOp::create(g.b, g.i32(), pair));
  }
  return factor;
}

Value Fragments::zero() { return g.zero(VectorType::get({2, 2}, g.f32())); }

Value Fragments::multiplyParts(Value a, Value b, Value c) {
  return nvgpu::MmaSyncOp::create(g.b, a, b, c, ArrayRef<int64_t>{16, 8, 8},
                                  /*tf32Enabled=*/true);
}

Value Fragments::multiply(const Factor &a, const Factor &b, Value c) {
  if (math == ProductMath::tf32)
    return multiplyParts(a.parts[0], b.parts[0], c);
  if (math == ProductMath::tf32x3) {
    // Small terms first. The product of the low parts is below f32's last bit.
    c = multiplyParts(a.parts[1], b.parts[0], c);
    c = multiplyParts(a.parts[0], b.parts[1], c);
    return multiplyParts(a.parts[0], b.parts[0], c);
  }
  Values sums;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j)
      sums.push_back(
          vector::ExtractOp::create(g.b, c, ArrayRef<int64_t>{i, j}));
  auto result = LLVM::LLVMStructType::getLiteral(g.b.getContext(),
                                                 SmallVector<Type>(4, g.f32()));
  std::array<NVVM::MMATypes, 2> types = {NVVM::MMATypes::bf16,
                                         NVVM::MMATypes::bf16};
  std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row,
                                            NVVM::MMALayout::col};
  Value product = NVVM::MmaOp::create(g.b, result, a.parts, b.parts, sums,
                                      ArrayRef<int64_t>{16, 8, 8}, std::nullopt,
                                      std::nullopt, types, layouts);
  Values parts;
  for (int64_t i = 0; i < 4; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(g.b, product, i));
  return emitMatrix(g, {2, 2}, parts);
}

void Fragments::forEach(Value row, Value column, Value c,
                        function_ref<void(Value, Value, Value)> body) {
  Value first = g.add(column, g.mul(quad, 2));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 2; ++j)
      body(g.add(g.add(row, group), 8 * i), g.add(first, j),
           vector::ExtractOp::create(g.b, c, ArrayRef<int64_t>{i, j}));
}
