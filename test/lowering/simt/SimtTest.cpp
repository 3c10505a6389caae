// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels written by hand, on the simt machine.
#include "test/lowering/simt/KernelHarness.h"

using namespace geo::test;

namespace {

/// y = a x + y, one element a thread, the last block partly beyond the end.
const char *axpy = R"mlir(
gpu.module @kernels {
  gpu.func @axpy(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32) kernel {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %t = gpu.thread_id x
    %base = arith.muli %b, %d : index
    %i = arith.addi %base, %t : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      %xi = memref.load %x[%i] : memref<?xf32>
      %yi = memref.load %y[%i] : memref<?xf32>
      %p = arith.mulf %xi, %a : f32
      %s = arith.addf %p, %yi : f32
      memref.store %s, %y[%i] : memref<?xf32>
    }
    gpu.return
  }
}
func.func @run(%x: memref<?xf32>, %y: memref<?xf32>, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c64 : index
  gpu.launch_func @kernels::@axpy blocks in (%blocks, %c1, %c1)
      threads in (%c64, %c1, %c1)
      args(%x : memref<?xf32>, %y : memref<?xf32>, %a : f32)
  return
}
)mlir";

TEST(SimtTest, RunsThreadsOfBlocksWithATail) {
  for (bool check : {false, true}) {
    Kernels kernels(axpy, check);
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

/// The sum of a row of 300 numbers by 96 threads: partial sums, a butterfly in
/// every warp, workgroup memory between them.
const char *rowSum = R"mlir(
gpu.module @kernels {
  gpu.func @row_sum(%x: memref<?x300xf64>, %sums: memref<?xf64>)
      workgroup(%partial : memref<3xf64, #gpu.address_space<workgroup>>)
      kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c96 = arith.constant 96 : index
    %c300 = arith.constant 300 : index
    %zero = arith.constant 0.0 : f64
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %row = gpu.block_id x
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %mine = scf.for %j = %t to %c300 step %c96 iter_args(%s = %zero) -> f64 {
      %v = memref.load %x[%row, %j] : memref<?x300xf64>
      %n = arith.addf %s, %v : f64
      scf.yield %n : f64
    }
    %i5 = arith.constant 5 : i32
    %i0 = arith.constant 0 : i32
    %total = scf.for %k = %i0 to %i5 step %i1 iter_args(%s = %mine) -> f64 : i32 {
      %offset = arith.shli %i1, %k : i32
      %o, %ok = gpu.shuffle xor %s, %offset, %i32 : f64
      %n = arith.addf %s, %o : f64
      scf.yield %n : f64
    }
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      memref.store %total, %partial[%warp]
          : memref<3xf64, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %leader = arith.cmpi eq, %t, %c0 : index
    scf.if %leader {
      %sum = scf.for %w = %c0 to %c3 step %c1 iter_args(%s = %zero) -> f64 {
        %v = memref.load %partial[%w]
            : memref<3xf64, #gpu.address_space<workgroup>>
        %n = arith.addf %s, %v : f64
        scf.yield %n : f64
      }
      memref.store %sum, %sums[%row] : memref<?xf64>
    }
    gpu.return
  }
}
func.func @run(%x: memref<?x300xf64>, %sums: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %n = memref.dim %x, %c0 : memref<?x300xf64>
  gpu.launch_func @kernels::@row_sum blocks in (%n, %c1, %c1)
      threads in (%c96, %c1, %c1)
      args(%x : memref<?x300xf64>, %sums : memref<?xf64>)
  return
}
)mlir";

TEST(SimtTest, SumsOverABlock) {
  for (bool check : {false, true}) {
    Kernels kernels(rowSum, check);
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

/// 32 x 32 tiles through workgroup memory, a block of 32 x 8 threads, sizes
/// that are no multiples; the tile lies in dynamic memory.
const char *transpose = R"mlir(
gpu.module @kernels {
  gpu.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %bytes = gpu.dynamic_shared_memory
        : memref<?xi8, #gpu.address_space<workgroup>>
    %tile = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
        to memref<32x33xf32, #gpu.address_space<workgroup>>
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %cols = memref.dim %x, %c1 : memref<?x?xf32>
    %top = arith.muli %by, %c32 : index
    %left = arith.muli %bx, %c32 : index
    scf.for %k = %ty to %c32 step %c8 {
      %i = arith.addi %top, %k : index
      %j = arith.addi %left, %tx : index
      %a = arith.cmpi ult, %i, %rows : index
      %b = arith.cmpi ult, %j, %cols : index
      %in = arith.andi %a, %b : i1
      scf.if %in {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        memref.store %v, %tile[%k, %tx]
            : memref<32x33xf32, #gpu.address_space<workgroup>>
      }
    }
    gpu.barrier
    scf.for %k = %ty to %c32 step %c8 {
      %i = arith.addi %left, %k : index
      %j = arith.addi %top, %tx : index
      %a = arith.cmpi ult, %i, %cols : index
      %b = arith.cmpi ult, %j, %rows : index
      %in = arith.andi %a, %b : i1
      scf.if %in {
        %v = memref.load %tile[%tx, %k]
            : memref<32x33xf32, #gpu.address_space<workgroup>>
        memref.store %v, %y[%i, %j] : memref<?x?xf32>
      }
    }
    gpu.return
  }
}
func.func @run(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %cols = memref.dim %x, %c1 : memref<?x?xf32>
  %bx = arith.ceildivui %cols, %c32 : index
  %by = arith.ceildivui %rows, %c32 : index
  %shared = arith.constant 4224 : i32
  gpu.launch_func @kernels::@transpose blocks in (%bx, %by, %c1)
      threads in (%c32, %c8, %c1) dynamic_shared_memory_size %shared
      args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
  return
}
)mlir";

TEST(SimtTest, TransposesThroughSharedMemory) {
  for (bool check : {false, true}) {
    Kernels kernels(transpose, check);
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
  Kernels kernels(axpy);
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
