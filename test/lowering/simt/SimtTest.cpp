// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels written by hand, on the simt machine.
#include "test/lowering/simt/KernelHarness.h"

using namespace geo::test;

namespace {

TEST(SimtTest, RunsThreadsOfBlocksWithATail) {
  for (bool check : {false, true}) {
    Kernels kernels(readInput("axpy.mlir"), check);
    ASSERT_TRUE(kernels) << kernels.errors;
    for (int64_t n : {1, 63, 64, 1000}) {
      Array<float> x({n}), y({n});
      fill(x, -1, 1, 1);
      fill(y, -1, 1, 2);
      Array<float> want = y;
      float a = 1.5f;
      kernels("run", x, y, a);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_EQ(y(i), x(i) * a + want(i));
      EXPECT_EQ(takeMessages(), "");
    }
  }
}

TEST(SimtTest, SumsOverABlock) {
  for (bool check : {false, true}) {
    Kernels kernels(readInput("row_sum.mlir"), check);
    ASSERT_TRUE(kernels) << kernels.errors;
    Array<double> x({17, 300}), sums({17});
    fill(x, -1, 1, 3);
    kernels("run", x, sums);
    for (int64_t i = 0; i < 17; ++i) {
      double want = 0;
      for (int64_t j = 0; j < 300; ++j)
        want += x(i, j);
      EXPECT_NEAR(sums(i), want, 1e-12);
    }
    EXPECT_EQ(takeMessages(), "");
  }
}

TEST(SimtTest, TransposesThroughSharedMemory) {
  for (bool check : {false, true}) {
    Kernels kernels(readInput("transpose.mlir"), check);
    ASSERT_TRUE(kernels) << kernels.errors;
    Array<float> x({70, 45}), y({45, 70});
    fill(x, -1, 1, 3);
    kernels("run", x, y);
    for (int64_t i = 0; i < 70; ++i)
      for (int64_t j = 0; j < 45; ++j)
        EXPECT_EQ(y(j, i), x(i, j));
    EXPECT_EQ(takeMessages(), "");
  }
}

/// One block of %n threads runs `body` with the lane's number %t, which leaves
/// its %result to be stored.
std::string oneBlock(const std::string &body) {
  return R"mlir(
gpu.module @kernels {
  gpu.func @kernel(%out: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %t32 = arith.index_cast %t : index to i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = arith.constant 32 : i32
)mlir" + body +
         R"mlir(
    memref.store %result, %out[%t] : memref<?xi32>
    gpu.return
  }
}
func.func @run(%out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?xi32>
  gpu.launch_func @kernels::@kernel blocks in (%c1, %c1, %c1)
      threads in (%n, %c1, %c1) args(%out : memref<?xi32>)
  return
}
)mlir";
}

std::vector<int32_t> runOneBlock(const std::string &body, int64_t threads) {
  Kernels kernels(oneBlock(body));
  EXPECT_TRUE(kernels) << kernels.errors;
  Array<int32_t> out({threads}, -1);
  if (kernels)
    kernels("run", out);
  return out.data;
}

TEST(SimtTest, ShufflesTakeFromTheLanesThatTheyName) {
  struct {
    const char *mode;
    int offset;
    int (*source)(int lane);
    bool (*valid)(int lane);
  } cases[] = {
      {"xor", 5, [](int l) { return l ^ 5; }, [](int l) { return true; }},
      {"idx", 7, [](int l) { return 7; }, [](int l) { return true; }},
      {"up", 3, [](int l) { return l < 3 ? l : l - 3; },
       [](int l) { return l >= 3; }},
      {"down", 3, [](int l) { return l < 29 ? l + 3 : l; },
       [](int l) { return l < 29; }},
  };
  for (auto &c : cases) {
    auto got = runOneBlock(std::string(R"mlir(
      %o = arith.constant )mlir") +
                               std::to_string(c.offset) + R"mlir( : i32
      %r, %ok = gpu.shuffle )mlir" +
                               c.mode + R"mlir( %t32, %o, %w : i32
      %k = arith.extui %ok : i1 to i32
      %c1000 = arith.constant 1000 : i32
      %s = arith.muli %k, %c1000 : i32
      %result = arith.addi %r, %s : i32)mlir",
                           64);
    for (int t = 0; t < 64; ++t)
      EXPECT_EQ(got[t], (t & 32) + c.source(t % 32) + 1000 * c.valid(t % 32))
          << c.mode << ' ' << t;
    EXPECT_EQ(takeMessages(), "");
  }
}

TEST(SimtTest, ReportsABarrierThatAThreadDoesNotReach) {
  runOneBlock(R"mlir(
    %odd = arith.cmpi eq, %t, %c1 : index
    scf.if %odd {
    } else {
      gpu.barrier
    }
    %result = arith.constant 1 : i32)mlir",
              40);
  std::string messages = takeMessages();
  EXPECT_NE(messages.find("kernel kernel, block (0, 0, 0), thread (0, 0, 0), "
                          "gpu.barrier at test.mlir:"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("expects all threads of the block to come here, but "
                          "got thread 1, which exited"),
            std::string::npos)
      << messages;
}

TEST(SimtTest, ReportsThreadsAtTwoBarriers) {
  runOneBlock(R"mlir(
    %half = arith.constant 32 : index
    %low = arith.cmpi ult, %t, %half : index
    scf.if %low {
      gpu.barrier
    } else {
      gpu.barrier
    }
    %result = arith.constant 1 : i32)mlir",
              64);
  std::string messages = takeMessages();
  EXPECT_NE(messages.find("expects all threads of a block to meet at one "
                          "barrier, but got some that wait at gpu.barrier at"),
            std::string::npos)
      << messages;
}

TEST(SimtTest, ReportsAShuffleThatALaneDoesNotReach) {
  runOneBlock(R"mlir(
    %last = arith.constant 31 : index
    %rest = arith.cmpi ult, %t, %last : index
    %i1 = arith.constant 1 : i32
    %result = scf.if %rest -> i32 {
      %r, %ok = gpu.shuffle xor %t32, %i1, %w : i32
      scf.yield %r : i32
    } else {
      gpu.barrier
      scf.yield %i1 : i32
    })mlir",
              32);
  std::string messages = takeMessages();
  EXPECT_NE(messages.find("expects all lanes of the warp to come here, but got "
                          "thread 31, which waits at gpu.barrier"),
            std::string::npos)
      << messages;
}

TEST(SimtTest, ReportsAWidthThatLeavesLanesUndefined) {
  runOneBlock(R"mlir(
    %i1 = arith.constant 1 : i32
    %w16 = arith.constant 16 : i32
    %result, %ok = gpu.shuffle xor %t32, %i1, %w16 : i32)mlir",
              32);
  std::string messages = takeMessages();
  EXPECT_NE(messages.find("expects width 32, but got 16"), std::string::npos)
      << messages;
}

TEST(SimtTest, AFailureSkipsWhatFollowsUntilItIsTaken) {
  Kernels kernels(readInput("axpy.mlir"));
  ASSERT_TRUE(kernels) << kernels.errors;
  Array<float> none({0}), x({4}, 1.0f), y({4}, 2.0f);
  float a = 1;
  kernels("run", none, none, a); // no blocks
  kernels("run", x, y, a);
  EXPECT_EQ(y(0), 2.0f);
  EXPECT_NE(takeMessages().find("expects 1 to 2147483647 blocks in dimension "
                                "x, but got 0"),
            std::string::npos);
  kernels("run", x, y, a);
  EXPECT_EQ(y(0), 3.0f);
}

} // namespace
