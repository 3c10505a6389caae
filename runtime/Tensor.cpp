// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tensor.h"

#include "runtime/Allocator.h"

#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace geo::rt {

size_t byteSize(DType type) {
  return type == DType::F32 || type == DType::I32 ? 4 : 8;
}

const char *name(DType type) {
  switch (type) {
  case DType::F32:
    return "F32";
  case DType::F64:
    return "F64";
  case DType::I32:
    return "I32";
  case DType::I64:
    return "I64";
  }
  return "?";
}

std::string shapeText(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Expected<size_t> denseBytes(DType type, const std::vector<int64_t> &shape) {
  auto bytes = int64_t(byteSize(type));
  bool empty = false, fits = true;
  for (int64_t size : shape) {
    if (size < 0)
      return expects("tensor", "sizes of 0 or more",
                     "shape " + shapeText(shape));
    empty |= size == 0;
    // A size of 0 elsewhere does not excuse a product out of range.
    if (size > 0)
      fits &= !__builtin_mul_overflow(bytes, size, &bytes);
  }
  if (!fits)
    return expects("tensor", "a size below 2^63 bytes",
                   "shape " + shapeText(shape));
  return empty ? size_t(0) : size_t(bytes);
}

void Tensor::Free::operator()(void *pointer) const { poolFree(pointer); }

Expected<Tensor> Tensor::create(DType type, std::vector<int64_t> shape) {
  auto bytes = denseBytes(type, shape);
  if (!bytes)
    return bytes.status();
  Tensor t;
  t.memory.reset(poolAllocate(*bytes));
  if (!t.memory)
    return expects("tensor", fmt::format("{} bytes of memory", *bytes),
                   "none for shape " + shapeText(shape));
  t.type = type;
  t.sizes = std::move(shape);
  t.elements = int64_t(*bytes / rt::byteSize(type));
  t.fillZero();
  return t;
}

Tensor::Tensor(DType type, std::vector<int64_t> shape)
    : type(type), sizes(std::move(shape)) {
  auto bytes = denseBytes(type, sizes);
  assert(bytes && "shapes from outside go through Tensor::create");
  elements = int64_t(*bytes / rt::byteSize(type));
  memory.reset(_mlir_memref_to_llvm_alloc(*bytes));
  fillZero();
}

void Tensor::fillZero() {
  if (elements)
    std::memset(memory.get(), 0, byteSize());
}

Tensor Tensor::clone() const {
  Tensor copy(type, sizes);
  if (elements)
    std::memcpy(copy.raw(), raw(), byteSize());
  return copy;
}

MemRef::MemRef(void *data, const std::vector<int64_t> &shape)
    : rank(unsigned(shape.size())) {
  assert(rank <= maxRank && "memref of too high a rank");
  words[0] = words[1] = reinterpret_cast<int64_t>(data);
  int64_t stride = 1;
  for (unsigned i = rank; i-- > 0;) {
    words[3 + i] = shape[i];
    words[3 + rank + i] = stride;
    stride *= shape[i];
  }
}

MemRef::MemRef(Tensor &tensor) : MemRef(tensor.raw(), tensor.shape()) {}

void MemRef::appendFields(std::vector<void *> &arguments) {
  for (unsigned i = 0; i < 3 + 2 * rank; ++i)
    arguments.push_back(&words[i]);
}

} // namespace geo::rt
