// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies, atomics and approximate instructions.
#include "test/lowering/simt/KernelHarness.h"

using namespace geo::test;

namespace {

/// The kernel with other words for its wait.
std::string pipeline(const std::string &wait) {
  std::string text = readInput("pipeline.mlir");
  return replaceAll(text, "nvgpu.device_async_wait %h {numGroups = 1 : i32}",
                    wait);
}

struct Sums {
  Array<float> x{{5, 32, 4}}, y{{32}};
  Sums() { fill(x, -1, 1, 9); }
  float want(int64_t row) {
    float sum = 0;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t k = 0; k < (row == 31 ? 3 : 4); ++k)
        sum += x(i, row, k);
    return sum;
  }
};

TEST(CopyTest, CopiesArriveAtTheWait) {
  for (bool check : {false, true}) {
    Kernels kernels(
        pipeline("nvgpu.device_async_wait %h {numGroups = 1 : i32}"), check);
    ASSERT_TRUE(kernels) << kernels.errors;
    Sums sums;
    // What lies in global memory beyond a row of three must not be read.
    for (int64_t i = 0; i < 5; ++i)
      sums.x(i, 31, 3) = 1000;
    kernels("run", sums.x, sums.y);
    EXPECT_EQ(takeMessages(), "");
    for (int64_t row = 0; row < 32; ++row)
      EXPECT_EQ(sums.y(row), sums.want(row));
  }
}

TEST(CopyTest, WithoutAWaitNothingHasArrived) {
  for (const char *wait :
       {"", "nvgpu.device_async_wait %h {numGroups = 2 : i32}"}) {
    Kernels kernels(pipeline(wait));
    ASSERT_TRUE(kernels) << kernels.errors;
    Sums sums;
    kernels("run", sums.x, sums.y);
    takeMessages();
    EXPECT_TRUE(std::isnan(sums.y(0)));
  }
}

TEST(CopyTest, ProductThroughLdmatrix) {
  for (bool check : {false, true}) {
    Kernels kernels(readInput("product.mlir"), check);
    ASSERT_TRUE(kernels) << kernels.errors;
    Array<float> a({45, 20}), b({13, 20}), c({45, 13}, NAN);
    std::mt19937 random(3);
    for (Array<float> *x : {&a, &b})
      for (float &v : x->data)
        v = static_cast<float>(random() % 17) - 8;
    kernels("run", a, b, c);
    EXPECT_EQ(takeMessages(), "");
    for (int64_t i = 0; i < 45; ++i)
      for (int64_t j = 0; j < 13; ++j) {
        float want = 0;
        for (int64_t q = 0; q < 20; ++q)
          want += a(i, q) * b(j, q);
        EXPECT_EQ(c(i, j), want);
      }
  }
}

TEST(CopyTest, AddressesAreMultiplesOfTheSize) {
  std::string text =
      pipeline("nvgpu.device_async_wait %h {numGroups = 1 : i32}");
  Kernels kernels(
      replaceAll(text, "%s[%c0, %t, %c0], 4", "%s[%c0, %t, %c1], 4"));
  ASSERT_TRUE(kernels) << kernels.errors;
  Sums sums;
  kernels("run", sums.x, sums.y);
  EXPECT_NE(takeMessages().find("expects addresses that are multiples of 16 "
                                "bytes, but got"),
            std::string::npos);
}

/// A histogram: every thread adds one to a bin.
const char *histogram = R"mlir(
gpu.module @kernels {
  gpu.func @count(%bin: memref<?xi32>, %n: memref<4xi32>) kernel {
    %one = arith.constant 1 : i32
    %t = gpu.thread_id x
    %b = memref.load %bin[%t] : memref<?xi32>
    %i = arith.index_cast %b : i32 to index
    %old = memref.atomic_rmw addi %one, %n[%i] : (i32, memref<4xi32>) -> i32
    gpu.return
  }
}
func.func @run(%bin: memref<?xi32>, %n: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %threads = memref.dim %bin, %c0 : memref<?xi32>
  gpu.launch_func @kernels::@count blocks in (%c1, %c1, %c1)
      threads in (%threads, %c1, %c1)
      args(%bin : memref<?xi32>, %n : memref<4xi32>)
  return
}
)mlir";

TEST(CopyTest, AtomicsAddUp) {
  for (bool check : {false, true}) {
    Kernels kernels(histogram, check);
    ASSERT_TRUE(kernels) << kernels.errors;
    Array<int32_t> bin({100}), n({4});
    for (int i = 0; i < 100; ++i)
      bin(i) = i * i % 4;
    kernels("run", bin, n);
    EXPECT_EQ(takeMessages(), "");
    EXPECT_EQ(n.data, (std::vector<int32_t>{50, 50, 0, 0}));
  }
}

/// y = f(x) for one number of type TYPE; the op OP gives %r.
std::string function(const std::string &type, const std::string &op) {
  std::string text = R"mlir(
gpu.module @kernels {
  gpu.func @f(%x: TYPE, %y: memref<1xTYPE>) kernel {
    %c0 = arith.constant 0 : index
    OP
    memref.store %r, %y[%c0] : memref<1xTYPE>
    gpu.return
  }
}
func.func @run(%x: TYPE, %y: memref<1xTYPE>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@f blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%x : TYPE, %y : memref<1xTYPE>)
  return
}
)mlir";
  return replaceAll(replaceAll(text, "OP", op), "TYPE", type);
}

template <class T> T evaluate(const char *type, const char *op, T x) {
  Kernels kernels(function(type, op));
  EXPECT_TRUE(kernels) << kernels.errors;
  Array<T> y({1});
  if (kernels)
    kernels("run", x, y);
  return y(0);
}

TEST(CopyTest, ApproximateInstructionsKeepTheIsasBits) {
  double third = evaluate<double>(
      "f64",
      R"(%r = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.d"(%x) : (f64) -> f64)",
      3.0);
  EXPECT_NE(third, 1.0 / 3);
  EXPECT_NEAR(third, 1.0 / 3, 0x1p-21);
  EXPECT_EQ(evaluate<float>("f32", "%r = nvvm.rcp.approx.ftz.f %x : f32", 3.0f),
            1.0f / 3);
}

TEST(CopyTest, AnUnknownIntrinsicIsAnError) {
  Kernels kernels(function(
      "f64",
      R"(%r = llvm.call_intrinsic "llvm.nvvm.saturate.d"(%x) : (f64) -> f64)"));
  EXPECT_FALSE(kernels);
  EXPECT_NE(kernels.errors.find("expects an intrinsic that the simt target "
                                "knows, but got llvm.nvvm.saturate.d"),
            std::string::npos)
      << kernels.errors;
}

} // namespace
