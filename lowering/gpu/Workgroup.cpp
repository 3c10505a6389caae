// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/Workgroup.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;
using cpu::Gen;

static Attribute getSpace(Gen &g) {
  return gpu::AddressSpaceAttr::get(g.b.getContext(),
                                    gpu::AddressSpace::Workgroup);
}

int64_t device::getBytes(ArrayRef<int64_t> shape, Type element) {
  return llvm::product_of(shape) * (element.getIntOrFloatBitWidth() / 8);
}

int64_t Workgroup::reserve(int64_t size) {
  int64_t at = bytes;
  bytes += llvm::alignTo(size, 16);
  return at;
}

Value Workgroup::allocate(ArrayRef<int64_t> shape, Type element) {
  return view(reserve(device::getBytes(shape, element)), shape, element);
}

Value Workgroup::view(int64_t at, ArrayRef<int64_t> shape, Type element) {
  if (!memory)
    memory = gpu::DynamicSharedMemoryOp::create(
        g.b, MemRefType::get({ShapedType::kDynamic}, g.b.getI8Type(),
                             MemRefLayoutAttrInterface(), getSpace(g)));
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), getSpace(g));
  return memref::ViewOp::create(g.b, type, memory, g.idx(at), ValueRange());
}

void device::emitBarrier(Gen &g) { gpu::BarrierOp::create(g.b); }

Value device::loadFour(Gen &g, Value memref, ValueRange at, VectorType type) {
  auto load = vector::LoadOp::create(g.b, type, memref, at);
  load.setAlignment(16);
  return load;
}

void device::storeFour(Gen &g, Value x, Value memref, ValueRange at) {
  auto store = vector::StoreOp::create(g.b, x, memref, at);
  store.setAlignment(16);
}

int64_t device::getCopyWidth(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t width = 16 / bytes;
  auto [strides, offset] = type.getStridesAndOffset();
  auto divides = [&](int64_t n) {
    return !ShapedType::isDynamic(n) && n % width == 0;
  };
  while (width > 1 && !(divides(strides[0]) && divides(offset)))
    width /= 2;
  return width;
}

Value device::emitStageRows(Gen &g, Value from, Value to, Value stage,
                            Value thread, int64_t threads, int64_t rows,
                            int64_t columns, Value column,
                            function_ref<Value(Value)> rowOf, Value end,
                            function_ref<Value(Value)> exists) {
  int64_t width = getCopyWidth(from), pieces = columns / width;
  Value length = end ? end : g.dim(from, 1);
  Value none = g.idx(0), whole = g.idx(width);
  auto tokenType = nvgpu::DeviceAsyncTokenType::get(g.b.getContext());
  cpu::Values tokens;
  for (int64_t first = 0; first < rows * pieces; first += threads) {
    Value piece = g.add(thread, first);
    Value r = g.div(piece, g.idx(pieces));
    Value c = g.mul(g.rem(piece, g.idx(pieces)), width);
    Value at = g.add(column, c);
    // A row may end inside of a piece, and before it.
    Value isInside = g.less(at, length);
    if (exists)
      isInside = g.both(isInside, exists(r));
    Value count = g.select(isInside, g.min(g.sub(length, at), whole), none);
    Value start = g.select(isInside, at, none);
    bool bypasses = width * Gen::elementOf(from).getIntOrFloatBitWidth() == 128;
    tokens.push_back(nvgpu::DeviceAsyncCopyOp::create(
        g.b, tokenType, to, ValueRange{stage, r, c}, from,
        ValueRange{rowOf(r), start}, g.b.getIndexAttr(width), count,
        bypasses ? g.b.getUnitAttr() : UnitAttr()));
  }
  return nvgpu::DeviceAsyncCreateGroupOp::create(g.b, tokenType, tokens);
}

void device::emitWaitAll(Gen &g) {
  auto tokenType = nvgpu::DeviceAsyncTokenType::get(g.b.getContext());
  Value token =
      nvgpu::DeviceAsyncCreateGroupOp::create(g.b, tokenType, ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(g.b, token, g.b.getI32IntegerAttr(0));
}
