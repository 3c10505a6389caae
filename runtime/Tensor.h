// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_TENSOR_H
#define GEOC_RUNTIME_TENSOR_H

#include "runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace geo::rt {

enum class DType : uint8_t { F32, F64, I32, I64 };

size_t byteSize(DType type);
/// "F32", "F64", "I32" or "I64", as safetensors spells them.
const char *name(DType type);

template <typename T> struct DTypeOf;
template <> struct DTypeOf<float> {
  static constexpr DType value = DType::F32;
};
template <> struct DTypeOf<double> {
  static constexpr DType value = DType::F64;
};
template <> struct DTypeOf<int32_t> {
  static constexpr DType value = DType::I32;
};
template <> struct DTypeOf<int64_t> {
  static constexpr DType value = DType::I64;
};

/// Bytes of a dense tensor; an error if a size is negative or the product does
/// not fit in 63 bits.
Expected<size_t> denseBytes(DType type, const std::vector<int64_t> &shape);

/// "[2, 3]"; "[]" for a scalar.
std::string shapeText(const std::vector<int64_t> &shape);

/// A dense row-major tensor that owns its memory (64-byte aligned, from the
/// pool). Moves, never copies silently.
class Tensor {
public:
  /// No elements: F32 of shape [0].
  Tensor() = default;
  /// All elements zero. For shapes the program chose itself; ends the process
  /// when memory is short. Shapes from outside go through create().
  Tensor(DType type, std::vector<int64_t> shape);
  static Expected<Tensor> create(DType type, std::vector<int64_t> shape);
  /// A scalar (rank 0).
  template <typename T> static Tensor scalar(T value) {
    Tensor t(DTypeOf<T>::value, {});
    *t.data<T>() = value;
    return t;
  }

  Tensor clone() const;

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return sizes; }
  int64_t rank() const { return int64_t(sizes.size()); }
  int64_t dim(size_t i) const { return sizes[i]; }
  int64_t numElements() const { return elements; }
  size_t byteSize() const { return size_t(elements) * rt::byteSize(type); }

  void *raw() { return memory.get(); }
  const void *raw() const { return memory.get(); }
  template <typename T> T *data() {
    assert(type == DTypeOf<T>::value && "tensor read as another type");
    return static_cast<T *>(memory.get());
  }
  template <typename T> const T *data() const {
    assert(type == DTypeOf<T>::value && "tensor read as another type");
    return static_cast<const T *>(memory.get());
  }
  /// Element `i` of an F32 or F64 tensor.
  double number(int64_t i) const {
    return type == DType::F64 ? data<double>()[i] : double(data<float>()[i]);
  }
  void fillZero();

private:
  struct Free {
    void operator()(void *pointer) const;
  };
  DType type = DType::F32;
  std::vector<int64_t> sizes{0};
  int64_t elements = 0;
  std::unique_ptr<void, Free> memory;
};

/// The descriptor of MLIR's strided memrefs, for rank 0 to 4:
///   {void *base, void *aligned, int64 offset, int64 sizes[r], int64
///   strides[r]}
/// It refers to memory owned elsewhere.
class MemRef {
public:
  static constexpr unsigned maxRank = 4;

  /// Views all of `tensor`, whose rank must be at most maxRank.
  explicit MemRef(Tensor &tensor);
  /// Views dense row-major memory.
  MemRef(void *data, const std::vector<int64_t> &shape);
  /// Room for a descriptor that the callee fills (a function's result).
  explicit MemRef(unsigned rank) : rank(rank) { assert(rank <= maxRank); }

  /// The descriptor itself, what a C-interface function takes a pointer to.
  void *descriptor() { return words; }
  /// The entry of a packed `void **` for a C-interface function: the address
  /// of the pointer to the descriptor. Valid until this object moves.
  void *packed() {
    self = words;
    return &self;
  }
  /// Appends one entry for each field, what the packed form of a function
  /// without C interface takes.
  void appendFields(std::vector<void *> &arguments);

  void *base() const { return reinterpret_cast<void *>(words[0]); }
  /// Address of element [0, ..., 0]; `elementBytes` scales the offset.
  void *data(size_t elementBytes) const {
    return reinterpret_cast<char *>(words[1]) +
           words[2] * int64_t(elementBytes);
  }
  int64_t size(unsigned i) const { return words[3 + i]; }
  int64_t stride(unsigned i) const { return words[3 + rank + i]; }

private:
  // Pointers and sizes are 64 bits each, so the descriptor is an array.
  static_assert(sizeof(void *) == sizeof(int64_t));
  int64_t words[3 + 2 * maxRank] = {};
  unsigned rank;
  void *self = nullptr;
};

} // namespace geo::rt

#endif // GEOC_RUNTIME_TENSOR_H
