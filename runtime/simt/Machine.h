// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU on one thread of the host: blocks run one after the other, the threads
// of a block as fibers that take turns where they meet. A thread gets a stack
// of its own only when it waits, so kernels without barriers run as loops.
#ifndef GEOC_RUNTIME_SIMT_MACHINE_H
#define GEOC_RUNTIME_SIMT_MACHINE_H

#include "runtime/simt/Checker.h"
#include "runtime/simt/Copies.h"
#include "runtime/simt/Report.h"

#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace geo::rt::simt {

constexpr int warpSize = 32;
constexpr int maxThreads = 1024; ///< of a block
constexpr int maxWarps = maxThreads / warpSize;
/// Shared memory of a block, static and dynamic, of compute capability 9.0.
constexpr int64_t maxSharedBytes = 232448;
constexpr int64_t maxStaticBytes = 49152;

/// What a kernel reads of the machine: generated code knows this layout as an
/// array of 64-bit words (lowering/simt/Gen.h).
struct ThreadContext {
  int64_t thread[3], block[3], blockSize[3], gridSize[3];
  int64_t lane, warp;
  char *shared;         ///< static shared memory, then dynamic
  int64_t dynamicBytes; ///< of shared memory
};
static_assert(sizeof(ThreadContext) == 16 * 8);

using KernelEntry = void (*)(void **, const void *);

/// A lane's part in an op of its warp; lives on the lane's stack until the warp
/// has met. The last lane to come runs `resolve`, with the calls of all 32
/// lanes, null for lanes that the block is too small for.
struct WarpCall {
  using Resolve = void (*)(WarpCall *const *lanes);
  Resolve resolve;
  const char *site;
};

struct Launch {
  KernelEntry entry;
  const char *kernel, *site;
  int64_t grid[3], block[3];
  int64_t staticBytes, dynamicBytes;
  void **args;
  const int64_t *types; ///< as geo_simt_launch takes it
};

class Machine {
public:
  /// The machine of the calling thread.
  static Machine &get();
  ~Machine();

  void run(const Launch &launch);

  /// The calls of the fiber that runs: they return when all have come.
  void barrier(const char *site);
  void meetWarp(WarpCall &call);

  /// Adds a finding of the thread that runs, at `site`.
  void report(const char *site, std::string text);
  /// The same, and gives the launch up: does not return.
  [[noreturn]] void fail(const char *site, std::string text);

  const ThreadContext &context() const { return contexts[current]; }
  int currentThread() const { return current; }
  /// Of the warp that runs: fewer than 32 in the last one of some blocks.
  int lanesOfWarp() const {
    return __builtin_popcount(warps[current / warpSize].members);
  }
  /// Fails unless the bytes lie in the block's shared memory.
  void expectShared(const char *site, const char *address, int64_t bytes);
  Copies &copiesOfThread() {
    usesCopies = true;
    return copies[current];
  }
  /// Grows with every barrier of a block, and from block to block.
  uint64_t phase() const { return epoch; }
  void restartPhases() { epoch = 0; }

  Checker &checker() { return theChecker; }
  /// The same while a launch runs under the check, else null.
  Checker *activeChecker() { return launch->types ? &theChecker : nullptr; }
  /// Whether an address is on the stack of the fiber that runs.
  bool isOnStack(const char *address) const;

  std::vector<Report> takeReports();
  int64_t reportCount() const { return numReports; }

private:
  using Context = boost::context::detail::fcontext_t;
  using Transfer = boost::context::detail::transfer_t;

  struct Warp {
    uint32_t members = 0;
    uint32_t runnable = 0; ///< has not started, or may go on
    uint32_t started = 0;
    uint32_t atOp = 0, atBarrier = 0, exited = 0;
  };

  Machine();
  static void fiberMain(Transfer transfer);
  void startBlock(const int64_t *block);
  void prepare(const Launch &launch);
  bool describe(const Launch &launch, std::string &problem) const;
  int pickNext() const;
  void switchTo(int next);
  void wait();
  void runBlock();
  char *stackTop(int stack) const;
  [[noreturn]] void leave(bool isFailure);
  [[noreturn]] void stall();
  void addReport(const char *site, std::string text, const ThreadContext *at);

  const Launch *launch = nullptr;
  int numThreads = 0, numWarps = 0, numExited = 0, numAtBarrier = 0;
  int current = 0;
  uint64_t epoch = 0;
  const char *barrierSite = nullptr;
  std::array<Warp, maxWarps> warps;
  std::array<ThreadContext, maxThreads> contexts;
  std::array<WarpCall *, maxThreads> calls;
  std::array<Context, maxThreads> fibers;
  std::array<int16_t, maxThreads> stackOf;
  std::vector<int16_t> freeStacks;
  Checker theChecker{*this};
  std::array<Copies, maxThreads> copies;
  bool usesCopies = false;
  char *stacks = nullptr;
  std::vector<char> shared;
  char *sharedBase = nullptr;
  Context host = nullptr;
  bool failed = false;
  std::vector<Report> reports;
  int64_t numReports = 0;
};

} // namespace geo::rt::simt

#endif // GEOC_RUNTIME_SIMT_MACHINE_H
