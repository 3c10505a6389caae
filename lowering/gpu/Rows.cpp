// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are moved: gathers, scatters, columns, copies.
#include "lowering/LoopUtils.h"
#include "lowering/gpu/Constructs.h"
#include "lowering/gpu/Workgroup.h"

using namespace mlir;
using namespace geo;
using namespace geo::device;

Value device::emitShuffleXor(Gen &g, Value x, int64_t offset) {
  auto shuffle = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(g.b, word, static_cast<int32_t>(offset),
                                  /*width=*/32, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (x.getType().isF32())
    return shuffle(x);
  // A lane hands on 32 bits at a time.
  Value words =
      vector::BitCastOp::create(g.b, Gen::vectorOf(2, g.i32()),
                                g.broadcast(x, Gen::vectorOf(1, x.getType())));
  Value other = words;
  for (int64_t half = 0; half < 2; ++half)
    other = g.insert(shuffle(g.extract(words, half)), other, half);
  return g.extract(
      vector::BitCastOp::create(g.b, Gen::vectorOf(1, x.getType()), other), 0);
}

void device::emitTotal(KernelBuilder &kernels, Gen &host, StringRef name,
                       Value partial, Value count, Value out,
                       function_ref<Value(Gen &, Value, Value)> term) {
  constexpr int64_t threads = 256;
  kernels.launch(
      host, name, {host.idx(1), host.idx(1), host.idx(1)}, threads,
      {partial, out, count}, [&](Gen &g, ValueRange args) {
        Value t = gpu::ThreadIdOp::create(g.b, gpu::Dimension::x);
        Value sum =
            g.forLoop(t, args[2], g.idx(threads), g.zero(g.f64()),
                      [&](Value i, ValueRange carried) {
                        return Values{g.fadd(carried[0], term(g, args[0], i))};
                      })[0];
        Workgroup memory(g);
        Value parts = memory.allocate({threads}, g.f64());
        g.store(sum, parts, t);
        for (int64_t half = threads / 2; half > 0; half /= 2) {
          emitBarrier(g);
          g.ifThen(g.less(t, g.idx(half)), [&] {
            Value other = g.load(parts, g.add(t, half));
            g.store(g.fadd(g.load(parts, t), other), parts, t);
          });
        }
        g.ifThen(g.equal(t, g.idx(0)), [&] {
          Value total = g.load(parts, t);
          g.store(g.convert(total, Gen::elementOf(args[1])), args[1]);
        });
        return memory.getBytes();
      });
}

/// Elements of a row that a thread moves at once, where both sides allow it.
static int64_t chooseWidth(Value from, Value to, int64_t length) {
  int64_t width = std::min(getCopyWidth(from), getCopyWidth(to));
  while (length % width)
    width /= 2;
  return width;
}

static Value load(Gen &g, Value memref, ValueRange at, int64_t width) {
  if (width == 1)
    return g.load(memref, at);
  Type element = Gen::elementOf(memref);
  auto load =
      vector::LoadOp::create(g.b, Gen::vectorOf(width, element), memref, at);
  load.setAlignment(width * element.getIntOrFloatBitWidth() / 8);
  return load;
}

static void store(Gen &g, Value x, Value memref, ValueRange at) {
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return g.store(x, memref, at);
  auto store = vector::StoreOp::create(g.b, x, memref, at);
  store.setAlignment(type.getNumElements() * type.getElementTypeBitWidth() / 8);
}

static Value loadId(Gen &g, Value ids, Value i) {
  return arith::IndexCastOp::create(g.b, g.index(), g.load(ids, i));
}

LogicalResult device::emitGather(KernelBuilder &kernels,
                                 ImplicitLocOpBuilder &b, ValueRange operands,
                                 Value out) {
  Gen host(b);
  int64_t length = cast<MemRefType>(out.getType()).getDimSize(1);
  int64_t width = chooseWidth(operands[0], out, length);
  int64_t pieces = length / width;
  kernels.launchForEach(
      host, "gather", host.mul(host.dim(out, 0), pieces),
      {operands[0], operands[1], out}, [&](Gen &g, ValueRange args, Value at) {
        Value i = g.div(at, g.idx(pieces));
        Value j = g.mul(g.rem(at, g.idx(pieces)), width);
        Value id = loadId(g, args[1], i);
        store(g, load(g, args[0], {id, j}, width), args[2], {i, j});
      });
  return success();
}

/// A warp owns a row of the result. It looks through the ids, 32 at a time, and
/// only where one of them is its row, through these in order.
LogicalResult device::emitScatterAdd(KernelBuilder &kernels,
                                     ImplicitLocOpBuilder &b,
                                     ValueRange operands, Value out) {
  constexpr int64_t warpSize = 32, warps = 8;
  Gen host(b);
  Value one = host.idx(1);
  kernels.launch(
      host, "scatter_add",
      {host.ceilDiv(host.dim(out, 0), host.idx(warps)), one, one},
      warps * warpSize, {operands[0], operands[1], out},
      [&](Gen &g, ValueRange args) -> int64_t {
        Value rows = args[0], ids = args[1], out = args[2];
        Value thread = gpu::ThreadIdOp::create(g.b, gpu::Dimension::x);
        Value block = gpu::BlockIdOp::create(g.b, gpu::Dimension::x);
        Value lane = g.rem(thread, g.idx(warpSize));
        Value v = g.add(g.mul(block, warps), g.div(thread, g.idx(warpSize)));
        Value count = g.dim(ids, 0), last = g.sub(count, g.idx(1));
        Value length = g.dim(out, 1), exists = g.less(v, g.dim(out, 0));
        auto forColumns = [&](function_ref<void(Value)> body) {
          g.forLoop(lane, length, g.idx(warpSize), body);
        };
        g.ifThen(exists, [&] {
          forColumns([&](Value j) {
            g.store(g.zero(Gen::elementOf(out)), out, {v, j});
          });
        });
        auto isMine = [&](Value i) {
          Value id = loadId(g, ids, g.min(i, last));
          return g.both(g.both(g.less(i, count), exists), g.equal(id, v));
        };
        g.forLoop(g.idx(0), count, g.idx(warpSize), [&](Value base) {
          Value any =
              arith::ExtUIOp::create(g.b, g.i32(), isMine(g.add(base, lane)));
          for (int32_t offset = warpSize / 2; offset > 0; offset /= 2) {
            Value other = gpu::ShuffleOp::create(g.b, any, offset, /*width=*/32,
                                                 gpu::ShuffleMode::XOR)
                              .getShuffleResult();
            any = arith::OrIOp::create(g.b, any, other);
          }
          Value isAny = arith::CmpIOp::create(g.b, arith::CmpIPredicate::ne,
                                              any, g.zero(g.i32()));
          g.ifThen(isAny, [&] {
            g.forLoop(base, g.min(g.add(base, warpSize), count), g.idx(1),
                      [&](Value i) {
                        g.ifThen(isMine(i), [&] {
                          forColumns([&](Value j) {
                            Value sum = g.fadd(g.load(out, {v, j}),
                                               g.load(rows, {i, j}));
                            g.store(sum, out, {v, j});
                          });
                        });
                      });
          });
        });
        return 0;
      });
  return success();
}

/// body(i, j) for all elements of a [rows, width] block.
static void forBlock(KernelBuilder &kernels, Gen &host, StringRef name,
                     Value rows, int64_t width, ValueRange operands,
                     function_ref<void(Gen &, ValueRange, Value, Value)> body) {
  kernels.launchForEach(host, name, host.mul(rows, width), operands,
                        [&](Gen &g, ValueRange args, Value at) {
                          body(g, args, g.div(at, g.idx(width)),
                               g.rem(at, g.idx(width)));
                        });
}

Values device::getIndices(Value memref, Value i, Value j) {
  Values at = {i};
  if (cast<MemRefType>(memref.getType()).getRank() == 2)
    at.push_back(j);
  return at;
}

LogicalResult device::emitColumns(KernelBuilder &kernels,
                                  ImplicitLocOpBuilder &b, ColumnsOp op,
                                  Value x, Value out) {
  Gen host(b);
  auto offset = static_cast<int64_t>(op.getOffset());
  forBlock(kernels, host, "columns", host.dim(x, 0), op.getWidth(), {x, out},
           [&](Gen &g, ValueRange args, Value i, Value j) {
             g.store(g.convert(g.load(args[0], {i, g.add(j, offset)}),
                               Gen::elementOf(args[1])),
                     args[1], getIndices(args[1], i, j));
           });
  return success();
}

LogicalResult device::emitConcatColumns(KernelBuilder &kernels,
                                        ImplicitLocOpBuilder &b,
                                        ConcatColumnsOp op, ValueRange pieces,
                                        Value out) {
  Gen host(b);
  auto zero = [&](int64_t from, int64_t to) {
    if (from < to)
      forBlock(kernels, host, "zero_columns", host.dim(out, 0), to - from, out,
               [&](Gen &g, ValueRange args, Value i, Value j) {
                 g.store(g.zero(Gen::elementOf(args[0])), args[0],
                         {i, g.add(j, from)});
               });
  };
  int64_t end = 0;
  for (auto [piece, offset, value] :
       llvm::zip_equal(pieces, op.getOffsets(), op.getPieces())) {
    zero(end, offset);
    int64_t width = ConcatColumnsOp::getWidth(value), first = offset;
    if (piece)
      forBlock(kernels, host, "concat_columns", host.dim(out, 0), width,
               {piece, out}, [&](Gen &g, ValueRange args, Value i, Value j) {
                 Value x = g.load(args[0], getIndices(args[0], i, j));
                 g.store(g.convert(x, Gen::elementOf(args[1])), args[1],
                         {i, g.add(j, first)});
               });
    end = offset + width;
  }
  zero(end, op.getType().getDimSize(1));
  return success();
}

/// body for every element of `memref`, by its indices.
static void
forElements(KernelBuilder &kernels, Gen &host, StringRef name, Value memref,
            ValueRange operands,
            function_ref<void(Gen &, ValueRange, ValueRange)> body) {
  auto type = cast<MemRefType>(memref.getType());
  Value count = host.idx(1);
  for (int64_t i = 0; i < type.getRank(); ++i)
    count = host.mul(count, host.dim(memref, i));
  kernels.launchForEach(host, name, count, operands,
                        [&](Gen &g, ValueRange args, Value at) {
                          Values indices(type.getRank());
                          for (int64_t i = type.getRank(); i-- > 0;) {
                            Value size = g.dim(args[0], i);
                            indices[i] = i ? g.rem(at, size) : at;
                            if (i)
                              at = g.div(at, size);
                          }
                          body(g, args, indices);
                        });
}

void device::emitCopy(KernelBuilder &kernels, ImplicitLocOpBuilder &b,
                      Value from, Value to) {
  Gen host(b);
  forElements(kernels, host, "copy", to, {to, from},
              [](Gen &g, ValueRange args, ValueRange at) {
                g.store(g.load(args[1], at), args[0], at);
              });
}

void device::emitFill(KernelBuilder &kernels, ImplicitLocOpBuilder &b,
                      Value memref, Value number) {
  Gen host(b);
  forElements(kernels, host, "fill", memref, {memref, number},
              [](Gen &g, ValueRange args, ValueRange at) {
                g.store(args[1], args[0], at);
              });
}

void device::emitElements(KernelBuilder &kernels, ImplicitLocOpBuilder &b,
                          ValueRange numbers, Value memref) {
  Gen host(b);
  Values operands = {memref};
  operands.append(numbers.begin(), numbers.end());
  kernels.launchOnce(host, "elements", operands, [](Gen &g, ValueRange args) {
    geo::emitElements(g.b, args.drop_front(), args[0]);
  });
}

LogicalResult device::emitConstant(KernelBuilder &kernels,
                                   ImplicitLocOpBuilder &b,
                                   arith::ConstantOp op, Value memref) {
  // A kernel holds a store for each of different elements.
  constexpr int64_t maxElements = 4096;
  auto value = cast<DenseElementsAttr>(op.getValue());
  if (value.isSplat()) {
    emitFill(kernels, b, memref,
             arith::ConstantOp::create(b, value.getSplatValue<TypedAttr>()));
    return success();
  }
  if (value.getNumElements() > maxElements)
    return op.emitOpError("expects equal elements or at most ")
           << maxElements << " on a GPU (larger tables can be arguments), but "
           << "got " << value.getNumElements();
  Gen host(b);
  kernels.launchOnce(host, "constant", memref, [&](Gen &g, ValueRange args) {
    Values numbers;
    for (auto number : value.getValues<TypedAttr>())
      numbers.push_back(arith::ConstantOp::create(g.b, number));
    geo::emitElements(g.b, numbers, args[0]);
  });
  return success();
}
