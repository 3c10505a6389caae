// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shorthands to build scf, memref, arith and vector ops. Indices carry no-wrap
// flags; floats may contract into fused multiply-adds and nothing else.
#ifndef GEOC_LOWERING_CPU_GEN_H
#define GEOC_LOWERING_CPU_GEN_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace geo::cpu {

using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using mlir::VectorType;
using Values = llvm::SmallVector<Value>;

class Gen {
public:
  explicit Gen(mlir::ImplicitLocOpBuilder &b) : b(b) {}
  mlir::ImplicitLocOpBuilder &b;

  Type f32() { return b.getF32Type(); }
  Type f64() { return b.getF64Type(); }
  Type i32() { return b.getI32Type(); }
  Type index() { return b.getIndexType(); }
  static Type elementOf(Value v);
  static VectorType vectorOf(int64_t lanes, Type element) {
    return VectorType::get({lanes}, element);
  }
  /// `like` with another element type: a vector for a vector.
  static Type withElement(Type like, Type element);

  // Constants: of `type`, a number or a vector of equal ones.
  Value idx(int64_t value);
  Value real(Type type, double value);
  Value integer(Type type, int64_t value);
  Value zero(Type type);
  /// <0, 1, .., lanes-1> of i32.
  Value lanes(int64_t count);

  // Index arithmetic, folded.
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value rem(Value x, Value y);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value ceilDiv(Value x, Value y) { return div(add(x, sub(y, idx(1))), y); }
  Value add(Value x, int64_t y) { return add(x, idx(y)); }
  Value mul(Value x, int64_t y) { return mul(x, idx(y)); }
  Value less(Value x, Value y);
  Value lessEqual(Value x, Value y);
  Value equal(Value x, Value y);
  Value both(Value x, Value y);

  // Floats.
  Value fadd(Value x, Value y);
  Value fsub(Value x, Value y);
  Value fmul(Value x, Value y);
  Value fdiv(Value x, Value y);
  Value fneg(Value x);
  /// x * y + z, fused on vectors.
  Value fma(Value x, Value y, Value z);
  Value sqrt(Value x);
  Value flt(Value x, Value y);
  Value select(Value condition, Value x, Value y);
  /// One instruction each; the second operand where unordered.
  Value fmin(Value x, Value y) { return select(flt(x, y), x, y); }
  Value fmax(Value x, Value y) { return select(flt(y, x), x, y); }
  /// Between float types of one shape.
  Value convert(Value x, Type element);
  Value bitcast(Value x, Type type);

  // Vectors.
  Value broadcast(Value x, Type type);
  Value sum(Value vector);
  Value anyLane(Value mask);
  /// Lanes [first, first + count).
  Value piece(Value vector, int64_t first, int64_t count);
  Value extract(Value vector, int64_t lane);
  Value insert(Value x, Value vector, int64_t lane);
  /// Lane l is set iff l < count (an index, which may be negative).
  Value maskBelow(Value count, int64_t lanes);

  // Memory.
  Value dim(Value memref, unsigned i);
  Value load(Value memref, ValueRange at = {});
  void store(Value x, Value memref, ValueRange at = {});
  Value loadVector(Value memref, ValueRange at, VectorType type);
  Value loadMasked(Value memref, ValueRange at, VectorType type, Value mask);
  /// Stores a vector (a number where `x` is one).
  void storeVector(Value x, Value memref, ValueRange at);
  void storeMasked(Value x, Value memref, ValueRange at, Value mask);
  /// Masked where there is a mask, and converted where the memref has another
  /// float type.
  Value loadPart(Value memref, ValueRange at, VectorType type, Value mask) {
    auto stored = llvm::cast<VectorType>(withElement(type, elementOf(memref)));
    Value x = mask ? loadMasked(memref, at, stored, mask)
                   : loadVector(memref, at, stored);
    return stored == type ? x : convert(x, type.getElementType());
  }
  void storePart(Value x, Value memref, ValueRange at, Value mask) {
    if (elementOf(x) != elementOf(memref))
      x = convert(x, elementOf(memref));
    if (mask)
      storeMasked(x, memref, at, mask);
    else
      storeVector(x, memref, at);
  }
  /// A row-major buffer, 64-byte aligned; sizes of kDynamic come from `sizes`.
  Value alloc(llvm::ArrayRef<int64_t> shape, Type element,
              ValueRange sizes = {});
  void dealloc(Value memref);
  /// [offset, offset + size) of dimension `dimension`.
  Value window(Value memref, unsigned dimension, Value offset, Value size);
  /// memref[index, ...] without the leading dimension.
  Value slice(Value memref, Value index);

  // Control.
  Values forLoop(Value lower, Value upper, Value step, ValueRange init,
                 llvm::function_ref<Values(Value i, ValueRange carried)> body);
  void forLoop(Value lower, Value upper, Value step,
               llvm::function_ref<void(Value i)> body);
  void forLoop(Value upper, llvm::function_ref<void(Value i)> body) {
    forLoop(idx(0), upper, idx(1), body);
  }
  /// Strips of `lanes` over [0, length): body(j, width) in a loop, then once
  /// for the narrower rest if `length` is not a multiple.
  void forStrips(int64_t length, int64_t lanes,
                 llvm::function_ref<void(Value j, int64_t width)> body);
  /// body(j, mask) over [lower, upper) by vectors of `lanes`; a last, partial
  /// one has a mask, the others none.
  void forMasked(Value lower, Value upper, int64_t lanes,
                 llvm::function_ref<void(Value j, Value mask)> body);
  void ifThen(Value condition, llvm::function_ref<void()> then);
  Values ifElse(Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  void ifElseDo(Value condition, llvm::function_ref<void()> then,
                llvm::function_ref<void()> otherwise);
  /// body(tid) on `count` threads.
  void parallel(Value count, llvm::function_ref<void(Value tid)> body);

  /// Sets all of a dense row-major buffer to zero; `lanes` per store.
  void fillZero(Value memref, int64_t lanes);
};

} // namespace geo::cpu

#endif // GEOC_LOWERING_CPU_GEN_H
