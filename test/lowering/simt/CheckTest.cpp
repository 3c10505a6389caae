// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the check of the simt machine reports, and what it does not.
#include "test/lowering/simt/KernelHarness.h"

using namespace geo::test;

namespace {

/// `blocks` blocks of `threads` threads run `body`, with the thread's number %t
/// and %i in the grid, the buffers %x and %y and %s, 128 numbers of workgroup
/// memory.
std::string kernel(const std::string &body, int blocks = 1, int threads = 64) {
  std::string text = R"mlir(
gpu.module @kernels {
  gpu.func @kernel(%x: memref<?xf32>, %y: memref<?xf32>)
      workgroup(%s : memref<128xf32, #gpu.address_space<workgroup>>,
                %r : memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %d = gpu.block_dim x
    %first = arith.muli %b, %d : index
    %i = arith.addi %first, %t : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %next0 = arith.addi %t, %c1 : index
    %next = arith.remui %next0, %d : index
    BODY
    gpu.return
  }
}
func.func @run(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %blocks = arith.constant BLOCKS : index
  %threads = arith.constant THREADS : index
  gpu.launch_func @kernels::@kernel blocks in (%blocks, %c1, %c1)
      threads in (%threads, %c1, %c1)
      args(%x : memref<?xf32>, %y : memref<?xf32>)
  return
}
)mlir";
  text = replaceAll(text, "BODY", body);
  text = replaceAll(text, "BLOCKS", std::to_string(blocks));
  text = replaceAll(text, "THREADS", std::to_string(threads));
  return replaceAll(text, "SHARED", "#gpu.address_space<workgroup>");
}

std::string messagesOf(const std::string &text, int64_t size = 64) {
  Kernels kernels(text, /*check=*/true);
  EXPECT_TRUE(kernels) << kernels.errors << text;
  Array<float> x({size}, 1.0f), y({size}, 2.0f);
  if (kernels)
    kernels("run", x, y);
  return takeMessages();
}

void expectReport(const std::string &text, const std::string &want,
                  int64_t size = 64) {
  std::string messages = messagesOf(text, size);
  EXPECT_NE(messages.find(want), std::string::npos) << messages << text;
}

TEST(CheckTest, ReportsAMissingBarrier) {
  std::string exchange = R"mlir(
    memref.store %one, %s[%t] : memref<128xf32, SHARED>
    BARRIER
    %v = memref.load %s[%next] : memref<128xf32, SHARED>
    memref.store %v, %y[%i] : memref<?xf32>)mlir";
  EXPECT_EQ(messagesOf(kernel(replaceAll(exchange, "BARRIER", "gpu.barrier"))),
            "");
  // The last thread reads what the first wrote; the others find nothing.
  std::string bad = kernel(replaceAll(exchange, "BARRIER", ""));
  expectReport(bad, "thread (63, 0, 0), memref.load at test.mlir:");
  expectReport(bad, "expects a barrier after the write by thread 0, but got a "
                    "read of the same bytes of shared memory");
  expectReport(bad, "expects bytes that were written, but got a read of shared "
                    "memory that nobody wrote");
}

TEST(CheckTest, ReportsAWriteAfterARead) {
  expectReport(kernel(R"mlir(
    memref.store %one, %s[%t] : memref<128xf32, SHARED>
    gpu.barrier
    %v = memref.load %s[%next] : memref<128xf32, SHARED>
    memref.store %v, %s[%t] : memref<128xf32, SHARED>)mlir"),
               "expects a barrier after the read by thread ");
}

TEST(CheckTest, ReportsThreadsThatWriteTheSame) {
  expectReport(kernel("memref.store %one, %y[%c0] : memref<?xf32>"),
               "expects a barrier after the write by thread 0, but got a write "
               "of the same bytes of global memory");
}

TEST(CheckTest, ReportsBlocksThatDependOnEachOther) {
  std::string text = kernel(R"mlir(
    memref.store %one, %y[%i] : memref<?xf32>
    %down = arith.subi %i, %t : index
    %v = memref.load %y[WHERE] : memref<?xf32>)mlir",
                            4, 16);
  EXPECT_EQ(messagesOf(replaceAll(text, "WHERE", "%i")), "");
  // The first block's first number is no other block's business.
  expectReport(replaceAll(text, "WHERE", "%c0"),
               "block (1, 0, 0), thread (0, 0, 0), memref.load at");
  expectReport(replaceAll(text, "WHERE", "%c0"),
               "expects the blocks of a launch to be independent, but got a "
               "read of bytes with a write in another block");
  // A write of what another block, and this one too, has read.
  expectReport(kernel(R"mlir(
    %v = memref.load %x[%t] : memref<?xf32>
    gpu.barrier
    %w = memref.load %x[%t] : memref<?xf32>
    gpu.barrier
    %last = arith.cmpi eq, %b, %c1 : index
    scf.if %last {
      memref.store %w, %x[%t] : memref<?xf32>
    })mlir",
                      2, 16),
               "expects the blocks of a launch to be independent, but got a "
               "write of bytes with a read in another block");
}

TEST(CheckTest, LaunchesAreOrdered) {
  Kernels kernels(kernel(R"mlir(
    %v = memref.load %x[%next] : memref<?xf32>
    gpu.barrier
    memref.store %v, %x[%i] : memref<?xf32>)mlir"),
                  true);
  ASSERT_TRUE(kernels) << kernels.errors;
  Array<float> x({64}, 1.0f), y({64});
  kernels("run", x, y);
  kernels("run", x, y);
  EXPECT_EQ(takeMessages(), "");
}

TEST(CheckTest, ReportsWhatIsOutside) {
  const char *outside = "expects indices inside of the memref, but got one "
                        "outside";
  expectReport(kernel("memref.store %one, %y[%i] : memref<?xf32>"), outside,
               63);
  expectReport(kernel(R"mlir(
    %bad = arith.addi %t, %c64 : index
    %bad2 = arith.addi %bad, %c1 : index
    memref.store %one, %s[%bad2] : memref<128xf32, SHARED>)mlir"),
               outside);
  expectReport(kernel(R"mlir(
    %v = arith.constant dense<1.0> : vector<4xf32>
    %is0 = arith.cmpi eq, %t, %c0 : index
    scf.if %is0 {
      %c62 = arith.constant 62 : index
      vector.store %v, %y[%c62] : memref<?xf32>, vector<4xf32>
    })mlir"),
               "expects indices inside of the memref, but got elements past "
               "its last dimension");
  // Views hide the bounds of the memref, not those of the buffer.
  expectReport(kernel(R"mlir(
    %big = memref.reinterpret_cast %s to offset: [0], sizes: [129], strides: [1]
        : memref<128xf32, SHARED> to memref<129xf32, SHARED>
    %bad = arith.addi %t, %c64 : index
    %bad2 = arith.addi %bad, %c1 : index
    memref.store %one, %big[%bad2] : memref<129xf32, SHARED>)mlir"),
               "expects an address inside of a buffer of the kernel, but got "
               "one that is 4 bytes outside of the nearest");
}

TEST(CheckTest, MaskedElementsMayBeOutside) {
  std::string text = kernel(R"mlir(
    %start = arith.muli %t, %c2 : index
    %n = arith.constant 5 : index
    %left0 = arith.subi %n, %start : index
    %left = arith.maxsi %left0, %c0 : index
    %wide = arith.addi %left, EXTRA : index
    %m = vector.create_mask %wide : vector<2xi1>
    %v = arith.constant dense<1.0> : vector<2xf32>
    vector.maskedstore %y[%start], %m, %v
        : memref<?xf32>, vector<2xi1>, vector<2xf32>)mlir",
                            1, 3);
  EXPECT_EQ(messagesOf(replaceAll(text, "EXTRA", "%c0"), 5), "");
  expectReport(replaceAll(text, "EXTRA", "%c1"),
               "expects indices inside of the memref, but got elements past "
               "its last dimension",
               5);
}

TEST(CheckTest, ReportsReadsOfAFreshBuffer) {
  std::string text = R"mlir(
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<?xf32>
    memref.store %v, %y[%t] : memref<?xf32>
    gpu.return
  }
}
func.func @run(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %z = memref.alloc(%n) : memref<?xf32>
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1)
      threads in (%n, %c1, %c1) args(FROM : memref<?xf32>, %z : memref<?xf32>)
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1)
      threads in (%n, %c1, %c1) args(%z : memref<?xf32>, %y : memref<?xf32>)
  memref.dealloc %z : memref<?xf32>
  return
}
)mlir";
  EXPECT_EQ(messagesOf(replaceAll(text, "FROM", "%x")), "");
  expectReport(replaceAll(text, "FROM", "%z"),
               "expects bytes that were written, but got a read of global "
               "memory that nobody wrote");
}

TEST(CheckTest, ReportsACopyThatNobodyWaitsFor) {
  std::string text = kernel(R"mlir(
    %a = nvgpu.device_async_copy %x[%t], %s[%t], 1
        : memref<?xf32> to memref<128xf32, SHARED>
    %g = nvgpu.device_async_create_group %a
    nvgpu.device_async_wait %g {numGroups = GROUPS : i32}
    BARRIER
    %v = memref.load %s[%next] : memref<128xf32, SHARED>
    memref.store %v, %y[%i] : memref<?xf32>)mlir");
  std::string right = replaceAll(text, "BARRIER", "gpu.barrier");
  EXPECT_EQ(messagesOf(replaceAll(right, "GROUPS", "0")), "");
  expectReport(replaceAll(right, "GROUPS", "1"),
               "expects a wait for the copy that is on its way to these bytes, "
               "but got a read");
  expectReport(replaceAll(replaceAll(text, "GROUPS", "0"), "BARRIER", ""),
               "expects a barrier after the write by thread 0");
}

TEST(CheckTest, ReportsCopiesIntoWhatOthersRead) {
  expectReport(kernel(R"mlir(
    memref.store %one, %s[%t] : memref<128xf32, SHARED>
    gpu.barrier
    %v = memref.load %s[%next] : memref<128xf32, SHARED>
    %a = nvgpu.device_async_copy %x[%t], %s[%t], 1
        : memref<?xf32> to memref<128xf32, SHARED>
    %g = nvgpu.device_async_create_group %a
    nvgpu.device_async_wait %g)mlir"),
               "expects a barrier after the read by thread ");
}

TEST(CheckTest, ReportsPromisesAboutAlignmentThatDoNotHold) {
  std::string text = kernel(R"mlir(
    %start = arith.muli %t, %c2 : index
    %v = vector.load %x[%start] {alignment = BYTES : i64}
        : memref<?xf32>, vector<2xf32>)mlir",
                            1, 16);
  EXPECT_EQ(messagesOf(replaceAll(text, "BYTES", "8")), "");
  expectReport(replaceAll(text, "BYTES", "16"),
               "expects an address that is a multiple of 16 bytes, but got one "
               "that is 8 past");
}

TEST(CheckTest, AtomicsDoNotRaceWithEachOther) {
  std::string add = R"mlir(
    %o = memref.atomic_rmw addf %one, %y[%c0] : (f32, memref<?xf32>) -> f32)mlir";
  EXPECT_EQ(messagesOf(kernel(add, 4, 16)), "");
  expectReport(kernel(add + "\n%v = memref.load %y[%c0] : memref<?xf32>"),
               "expects a barrier after the atomic by");
}

TEST(CheckTest, MemoryOfAThreadIsItsOwn) {
  EXPECT_EQ(messagesOf(kernel(R"mlir(
    %p = memref.alloca() : memref<4xf32>
    memref.store %one, %p[%c2] : memref<4xf32>
    %v = memref.load %p[%c2] : memref<4xf32>
    memref.store %v, %y[%i] : memref<?xf32>)mlir")),
            "");
}

TEST(CheckTest, CountsAFindingOfManyThreadsOnce) {
  Kernels kernels(kernel("memref.store %one, %y[%c0] : memref<?xf32>"), true);
  ASSERT_TRUE(kernels) << kernels.errors;
  Array<float> x({64}), y({64});
  kernels("run", x, y);
  EXPECT_EQ(geo::rt::simt::reportCount(), 2 * 63); // two granules each
  auto reports = geo::rt::simt::takeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].count, 2 * 63);
  EXPECT_EQ(geo::rt::simt::reportCount(), 0);
}

} // namespace
