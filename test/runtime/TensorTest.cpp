// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Tensor.h"

#include "runtime/Symbols.h"
#include "runtime/Threads.h"

#include <limits>

#include <gtest/gtest.h>

using namespace geo::rt;

TEST(Tensor, IsZeroedAndAligned) {
  for (DType type : {DType::F32, DType::F64, DType::I32, DType::I64}) {
    {
      Tensor dirty(type, {3, 5});
      std::fill_n(static_cast<char *>(dirty.raw()), dirty.byteSize(), 1);
    }
    Tensor t(type, {3, 5}); // reuses the block above
    EXPECT_EQ(t.numElements(), 15);
    EXPECT_EQ(t.byteSize(), 15 * byteSize(type));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % 64, 0u);
    for (size_t i = 0; i < t.byteSize(); ++i)
      ASSERT_EQ(static_cast<char *>(t.raw())[i], 0);
  }
}

TEST(Tensor, ScalarAndEmpty) {
  Tensor s = Tensor::scalar(2.5);
  EXPECT_EQ(s.rank(), 0);
  EXPECT_EQ(s.numElements(), 1);
  EXPECT_EQ(*s.data<double>(), 2.5);
  Tensor none(DType::F32, {4, 0});
  EXPECT_EQ(none.numElements(), 0);
  EXPECT_EQ(none.clone().shape(), none.shape());
  EXPECT_EQ(Tensor().numElements(), 0);
}

TEST(Tensor, CloneIsDeep) {
  Tensor a(DType::I32, {2});
  a.data<int32_t>()[1] = 7;
  Tensor b = a.clone();
  a.data<int32_t>()[1] = 8;
  EXPECT_EQ(b.data<int32_t>()[1], 7);
}

TEST(Tensor, RefusesImpossibleShapes) {
  int64_t big = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(Tensor::create(DType::F32, {-1}));
  EXPECT_FALSE(Tensor::create(DType::F32, {big}));
  EXPECT_FALSE(Tensor::create(DType::I64, {big / 2, big / 2}));
  EXPECT_FALSE(Tensor::create(DType::I64, {0, big, big}));
  EXPECT_FALSE(Tensor::create(DType::F32, {int64_t(1) << 50}));
  EXPECT_EQ(Tensor::create(DType::F32, {2, -1}).message(),
            "tensor: expects sizes of 0 or more, but got shape [2, -1]");
}

namespace {
template <unsigned rank> struct Descriptor {
  float *base, *aligned;
  int64_t offset, sizes[rank], strides[rank];
};
struct Descriptor0 {
  float *base, *aligned;
  int64_t offset;
};
} // namespace

TEST(MemRef, MatchesTheAbi) {
  Tensor t(DType::F32, {2, 3, 4, 5});
  MemRef ref(t);
  auto *d = static_cast<Descriptor<4> *>(ref.descriptor());
  EXPECT_EQ(d->base, t.data<float>());
  EXPECT_EQ(d->aligned, t.data<float>());
  EXPECT_EQ(d->offset, 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(d->sizes[i], t.dim(i));
    EXPECT_EQ(d->strides[i], (std::vector<int64_t>{60, 20, 5, 1})[i]);
    EXPECT_EQ(ref.size(i), d->sizes[i]);
    EXPECT_EQ(ref.stride(i), d->strides[i]);
  }
  EXPECT_EQ(*static_cast<void **>(ref.packed()), ref.descriptor());
}

TEST(MemRef, LowRanks) {
  Tensor scalar = Tensor::scalar(1.0f), row(DType::F32, {7});
  MemRef r0(scalar), r1(row);
  EXPECT_EQ(static_cast<Descriptor0 *>(r0.descriptor())->aligned,
            scalar.data<float>());
  auto *d = static_cast<Descriptor<1> *>(r1.descriptor());
  EXPECT_EQ(d->sizes[0], 7);
  EXPECT_EQ(d->strides[0], 1);
  std::vector<void *> fields;
  r0.appendFields(fields);
  EXPECT_EQ(fields.size(), 3u);
  r1.appendFields(fields);
  ASSERT_EQ(fields.size(), 8u);
  EXPECT_EQ(*static_cast<float **>(fields[4]), row.data<float>());
  EXPECT_EQ(*static_cast<int64_t *>(fields[6]), 7);
}

TEST(MemRef, ReadsWhatACalleeFilled) {
  float values[4] = {0, 1, 2, 3};
  MemRef result(1);
  auto *d = static_cast<Descriptor<1> *>(result.descriptor());
  *d = {values, values, 2, {2}, {1}};
  EXPECT_EQ(*static_cast<float *>(result.data(sizeof(float))), 2);
  EXPECT_EQ(result.base(), values);
}

TEST(Threads, SetAndRestore) {
  int byDefault = numThreads();
  EXPECT_GE(byDefault, 1);
  setNumThreads(3);
  EXPECT_EQ(numThreads(), 3);
  EXPECT_EQ(geo_rt_num_threads(), 3);
  setNumThreads(0);
  EXPECT_EQ(numThreads(), byDefault);
}

TEST(Symbols, AreCallable) {
  bool found = false;
  for (const RuntimeSymbol &symbol : runtimeSymbols())
    if (symbol.name == "geo_rt_num_threads") {
      found = true;
      EXPECT_EQ(reinterpret_cast<int64_t (*)()>(symbol.address)(),
                numThreads());
    }
  EXPECT_TRUE(found);
}
