// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Allocator.h"

#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace geo::rt;

TEST(Allocator, AlignsEverySize) {
  for (size_t alignment : {1, 8, 64, 128, 4096, 65536})
    for (size_t size = 0; size < 3000000; size = size * 3 / 2 + 1) {
      void *p = _mlir_memref_to_llvm_aligned_alloc(alignment, size);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(p) %
                    std::max(alignment, poolAlignment),
                0u);
      std::memset(p, 0xA5, size); // the sanitizer preset sees overruns
      _mlir_memref_to_llvm_free(p);
    }
}

TEST(Allocator, BlocksDoNotOverlap) {
  std::vector<std::pair<unsigned char *, size_t>> blocks;
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < 200; ++i) {
      size_t size = i * i * 7 % 150000;
      auto *p = static_cast<unsigned char *>(
          _mlir_memref_to_llvm_aligned_alloc(i % 3 ? 64 : 1024, size));
      std::memset(p, int(i), size);
      blocks.emplace_back(p, size);
    }
    for (size_t i = 0; i < blocks.size(); ++i)
      for (size_t k = 0; k < blocks[i].second; ++k)
        ASSERT_EQ(blocks[i].first[k], (unsigned char)(i));
    for (auto &[p, size] : blocks)
      _mlir_memref_to_llvm_free(p);
    blocks.clear();
  }
}

TEST(Allocator, SecondRoundTakesNothingFromTheSystem) {
  auto round = [] {
    std::vector<void *> blocks;
    for (size_t size : {100, 5000, 70000, 3000000, 9000000, 70000, 100})
      blocks.push_back(_mlir_memref_to_llvm_alloc(size));
    for (void *p : blocks)
      _mlir_memref_to_llvm_free(p);
    return poolStatistics();
  };
  PoolStatistics first = round(), second = round();
  EXPECT_EQ(second.systemCalls, first.systemCalls);
  EXPECT_EQ(second.reservedBytes, first.reservedBytes);
}

TEST(Allocator, SecondRoundTouchesNoFreshPages) {
  auto faults = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  auto round = [&] {
    long before = faults();
    for (size_t size : {size_t(300) << 10, size_t(3) << 20, size_t(20) << 20}) {
      void *p = _mlir_memref_to_llvm_alloc(size);
      std::memset(p, 1, size);
      _mlir_memref_to_llvm_free(p);
    }
    return faults() - before;
  };
  releasePoolCache();
  long first = round(), second = round();
  EXPECT_GT(first, 5);
  EXPECT_LE(second, first / 10);
}

TEST(Allocator, Statistics) {
  PoolStatistics before = poolStatistics();
  resetPoolPeak();
  void *a = _mlir_memref_to_llvm_alloc(1000);
  void *b = _mlir_memref_to_llvm_alloc(500);
  _mlir_memref_to_llvm_free(a);
  PoolStatistics now = poolStatistics();
  EXPECT_EQ(now.currentBytes, before.currentBytes + 500);
  EXPECT_EQ(now.peakBytes, before.currentBytes + 1500);
  resetPoolPeak();
  EXPECT_EQ(poolStatistics().peakBytes, before.currentBytes + 500);
  _mlir_memref_to_llvm_free(b);
  EXPECT_EQ(poolStatistics().currentBytes, before.currentBytes);
  releasePoolCache();
  EXPECT_LE(poolStatistics().reservedBytes, now.reservedBytes);
}

TEST(Allocator, Threads) {
  PoolStatistics before = poolStatistics();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 5000; ++i) {
        size_t size = size_t(i * 37 % 4000) + sizeof(int);
        void *p = _mlir_memref_to_llvm_alloc(size);
        std::memcpy(p, &t, sizeof(t));
        std::this_thread::yield();
        int seen;
        std::memcpy(&seen, p, sizeof(seen));
        ASSERT_EQ(seen, t);
        _mlir_memref_to_llvm_free(p);
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(poolStatistics().currentBytes, before.currentBytes);
}

TEST(Allocator, ImpossibleSizes) {
  EXPECT_EQ(poolAllocate(SIZE_MAX), nullptr);
  EXPECT_EQ(poolAllocate(SIZE_MAX - 100, 4096), nullptr);
  EXPECT_EQ(poolAllocate(size_t(1) << 60), nullptr);
  EXPECT_EQ(poolAllocate(16, size_t(1) << 60), nullptr);
  _mlir_memref_to_llvm_free(nullptr);
}

TEST(AllocatorDeathTest, OutOfMemoryAndDoubleFree) {
  EXPECT_EXIT(_mlir_memref_to_llvm_alloc(SIZE_MAX), testing::ExitedWithCode(2),
              "more bytes of memory, but got none");
  EXPECT_DEATH(
      {
        void *p = _mlir_memref_to_llvm_alloc(10);
        _mlir_memref_to_llvm_free(p);
        _mlir_memref_to_llvm_free(p);
      },
      "free expects a block in use");
}
