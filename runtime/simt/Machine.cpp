// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/simt/Machine.h"
#include "runtime/simt/Calls.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <utility>

namespace geo::rt::simt {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;

/// Of a fiber; untouched pages cost nothing.
constexpr size_t stackBytes = size_t(256) << 10;
constexpr size_t guardBytes = 4096;
constexpr size_t stackStride = stackBytes + guardBytes;
/// Tops of stacks lie at different distances from a page: with the same
/// distance all would compete for the same few sets of the cache.
constexpr size_t colours = 61, colourBytes = 64;
constexpr size_t usableBytes = stackBytes - colours * colourBytes;

Machine &Machine::get() {
  static thread_local Machine machine;
  return machine;
}

Machine::Machine() {
  void *memory = mmap(nullptr, stackStride * maxThreads, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fputs("geoc: expects address space for the stacks of the simt target, "
               "but got none\n",
               stderr);
    std::abort();
  }
  stacks = static_cast<char *>(memory);
  // A stack grows down, into its guard.
  for (int i = 0; i < maxThreads; ++i)
    mprotect(stacks + i * stackStride, guardBytes, PROT_NONE);
}

char *Machine::stackTop(int stack) const {
  return stacks + (stack + 1) * stackStride - stack % colours * colourBytes;
}

bool Machine::isOnStack(const char *address) const {
  const char *stack = stacks + stackOf[current] * stackStride;
  return address >= stack && address < stack + stackStride;
}

Machine::~Machine() { munmap(stacks, stackStride * maxThreads); }

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

/// The context that was left is stored where `data` points to.
static void keepContext(boost::context::detail::transfer_t transfer) {
  *static_cast<boost::context::detail::fcontext_t *>(transfer.data) =
      transfer.fctx;
}

void Machine::fiberMain(Transfer transfer) {
  keepContext(transfer);
  Machine &m = Machine::get();
  for (;;) {
    int self = m.current;
    m.launch->entry(m.launch->args, &m.contexts[self]);
    Warp &warp = m.warps[self / warpSize];
    warp.exited |= 1u << (self % warpSize);
    ++m.numExited;
    int next = m.pickNext();
    if (next < 0) {
      if (m.numExited == m.numThreads)
        m.leave(false);
      m.stall();
    }
    Warp &to = m.warps[next / warpSize];
    uint32_t bit = 1u << (next % warpSize);
    int16_t stack = m.stackOf[self];
    if (!(to.started & bit)) {
      // It takes over this stack.
      to.started |= bit;
      to.runnable &= ~bit;
      m.stackOf[next] = stack;
      m.current = next;
      continue;
    }
    m.freeStacks.push_back(stack);
    m.switchTo(next);
  }
}

int Machine::pickNext() const {
  // Lanes of a warp follow each other: their stacks stay in the cache.
  int warp = current / warpSize, lane = current % warpSize;
  if (uint32_t mask = warps[warp].runnable) {
    uint32_t above = mask & ~((2u << lane) - 1);
    return warp * warpSize + __builtin_ctz(above ? above : mask);
  }
  for (int i = 1; i <= numWarps; ++i) {
    int next = warp + i < numWarps ? warp + i : warp + i - numWarps;
    if (warps[next].runnable)
      return next * warpSize + __builtin_ctz(warps[next].runnable);
  }
  return -1;
}

void Machine::switchTo(int next) {
  Warp &warp = warps[next / warpSize];
  uint32_t bit = 1u << (next % warpSize);
  warp.runnable &= ~bit;
  Context *leaving = &fibers[current];
  if (!(warp.started & bit)) {
    warp.started |= bit;
    int16_t stack = freeStacks.back();
    freeStacks.pop_back();
    stackOf[next] = stack;
    fibers[next] = make_fcontext(stackTop(stack), usableBytes, fiberMain);
  }
  current = next;
  keepContext(jump_fcontext(fibers[next], leaving));
}

void Machine::wait() {
  int next = pickNext();
  if (next < 0)
    stall();
  switchTo(next);
}

void Machine::leave(bool isFailure) {
  failed |= isFailure;
  Context ignored;
  // Fibers that still wait are dropped with their stacks: generated code owns
  // nothing that would have to be given back.
  jump_fcontext(host, &ignored);
  __builtin_unreachable();
}

void Machine::barrier(const char *site) {
  if (numAtBarrier++ == 0)
    barrierSite = site;
  else if (site != barrierSite)
    fail(site,
         fmt::format("expects all threads of a block to meet at one barrier, "
                     "but got some that wait at {}",
                     barrierSite));
  Warp &warp = warps[current / warpSize];
  warp.atBarrier |= 1u << (current % warpSize);
  if (numAtBarrier < numThreads)
    return wait();
  numAtBarrier = 0;
  ++epoch;
  for (int i = 0; i < numWarps; ++i) {
    warps[i].atBarrier = 0;
    warps[i].runnable = warps[i].members;
  }
  warp.runnable &= ~(1u << (current % warpSize));
}

void Machine::meetWarp(WarpCall &call) {
  Warp &warp = warps[current / warpSize];
  calls[current] = &call;
  warp.atOp |= 1u << (current % warpSize);
  if (warp.atOp != warp.members)
    return wait();
  WarpCall *const *lanes = &calls[current / warpSize * warpSize];
  for (int lane = 0; lane < warpSize; ++lane)
    if (lanes[lane] && lanes[lane]->site != call.site)
      fail(call.site, fmt::format("expects all lanes of a warp to meet at one "
                                  "op, but got lane {} at {}",
                                  lane, lanes[lane]->site));
  call.resolve(lanes);
  warp.atOp = 0;
  warp.runnable = warp.members & ~(1u << (current % warpSize));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

bool Machine::describe(const Launch &l, std::string &problem) const {
  int64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    int64_t mostBlocks = i == 0 ? 2147483647 : 65535;
    int64_t mostThreads = i == 2 ? 64 : maxThreads;
    if (l.grid[i] < 1 || l.grid[i] > mostBlocks) {
      problem = fmt::format("expects 1 to {} blocks in dimension {}, but got "
                            "{}",
                            mostBlocks, "xyz"[i], l.grid[i]);
      return false;
    }
    if (l.block[i] < 1 || l.block[i] > mostThreads) {
      problem = fmt::format("expects 1 to {} threads in dimension {}, but got "
                            "{}",
                            mostThreads, "xyz"[i], l.block[i]);
      return false;
    }
    threads *= l.block[i];
  }
  if (threads > maxThreads)
    problem = fmt::format("expects at most {} threads in a block, but got {}",
                          maxThreads, threads);
  else if (l.staticBytes > maxStaticBytes)
    problem = fmt::format("expects at most {} bytes of static shared memory, "
                          "but got {}",
                          maxStaticBytes, l.staticBytes);
  else if (l.dynamicBytes < 0 ||
           l.staticBytes + l.dynamicBytes > maxSharedBytes)
    problem = fmt::format("expects at most {} bytes of shared memory, but got "
                          "{} static and {} dynamic",
                          maxSharedBytes, l.staticBytes, l.dynamicBytes);
  return problem.empty();
}

void Machine::prepare(const Launch &l) {
  numThreads = static_cast<int>(l.block[0] * l.block[1] * l.block[2]);
  numWarps = (numThreads + warpSize - 1) / warpSize;
  size_t bytes = static_cast<size_t>(l.staticBytes + l.dynamicBytes);
  if (shared.size() < bytes + 256)
    shared.resize(bytes + 256);
  auto address = reinterpret_cast<uintptr_t>(shared.data());
  sharedBase = shared.data() + (128 - address % 128) % 128;
  for (int t = 0; t < numThreads; ++t) {
    ThreadContext &c = contexts[t];
    c.thread[0] = t % l.block[0];
    c.thread[1] = t / l.block[0] % l.block[1];
    c.thread[2] = t / (l.block[0] * l.block[1]);
    std::copy(l.block, l.block + 3, c.blockSize);
    std::copy(l.grid, l.grid + 3, c.gridSize);
    c.lane = t % warpSize;
    c.warp = t / warpSize;
    c.shared = sharedBase;
    c.dynamicBytes = l.dynamicBytes;
  }
}

void Machine::startBlock(const int64_t *block) {
  ++epoch;
  numExited = numAtBarrier = 0;
  current = 0;
  calls.fill(nullptr);
  if (usesCopies)
    for (Copies &c : copies)
      c.clear();
  usesCopies = false;
  for (int t = 0; t < numThreads; ++t)
    std::copy(block, block + 3, contexts[t].block);
  for (int w = 0; w < numWarps; ++w) {
    int lanes = std::min(numThreads - w * warpSize, warpSize);
    warps[w] = Warp();
    warps[w].members = lanes == warpSize ? ~0u : (1u << lanes) - 1;
    warps[w].runnable = warps[w].members;
  }
  freeStacks.resize(numThreads);
  for (int t = 0; t < numThreads; ++t)
    freeStacks[t] = static_cast<int16_t>(numThreads - 1 - t);
  // What nobody wrote is no number.
  std::memset(sharedBase, 0xff,
              static_cast<size_t>(launch->staticBytes + launch->dynamicBytes));
}

void Machine::run(const Launch &l) {
  if (failed)
    return;
  launch = &l;
  std::string problem;
  if (!describe(l, problem)) {
    failed = true;
    addReport(l.site, std::move(problem), nullptr);
    return;
  }
  prepare(l);
  if (l.types)
    theChecker.startLaunch(l);
  int64_t block[3];
  for (block[2] = 0; block[2] < l.grid[2]; ++block[2])
    for (block[1] = 0; block[1] < l.grid[1]; ++block[1])
      for (block[0] = 0; block[0] < l.grid[0]; ++block[0]) {
        startBlock(block);
        if (l.types)
          theChecker.startBlock(sharedBase);
        runBlock();
        if (failed)
          return;
      }
}

void Machine::runBlock() {
  // switchTo() from the host: fiber 0 stores where it came from.
  int16_t stack = freeStacks.back();
  freeStacks.pop_back();
  stackOf[0] = stack;
  warps[0].started = 1;
  warps[0].runnable &= ~1u;
  fibers[0] = make_fcontext(stackTop(stack), usableBytes, fiberMain);
  jump_fcontext(fibers[0], &host);
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

void Machine::stall() {
  // Nobody can go on: some wait for others that exited or wait elsewhere.
  auto place = [&](int t) -> std::string {
    const Warp &warp = warps[t / warpSize];
    uint32_t bit = 1u << (t % warpSize);
    if (warp.exited & bit)
      return "exited";
    return fmt::format("waits at {}",
                       warp.atBarrier & bit ? barrierSite : calls[t]->site);
  };
  for (int t = 0; t < numThreads; ++t) {
    const Warp &warp = warps[t / warpSize];
    uint32_t bit = 1u << (t % warpSize);
    if (warp.exited & bit)
      continue;
    // Whom does it miss?
    bool atBarrier = warp.atBarrier & bit;
    int first = atBarrier ? 0 : t / warpSize * warpSize;
    int last = atBarrier ? numThreads : std::min(first + warpSize, numThreads);
    for (int other = first; other < last; ++other) {
      const Warp &otherWarp = warps[other / warpSize];
      uint32_t otherBit = 1u << (other % warpSize);
      if ((atBarrier ? otherWarp.atBarrier : otherWarp.atOp) & otherBit)
        continue;
      current = t;
      fail(atBarrier ? barrierSite : calls[t]->site,
           fmt::format("expects all {} to come here, but got thread {}, which "
                       "{}",
                       atBarrier ? "threads of the block" : "lanes of the warp",
                       other, place(other)));
    }
  }
  leave(true);
}

void Machine::expectShared(const char *site, const char *address,
                           int64_t bytes) {
  int64_t place = address - sharedBase;
  int64_t end = launch->staticBytes + launch->dynamicBytes;
  if (place < 0 || place + bytes > end)
    fail(site, fmt::format("expects an address in the {} bytes of shared "
                           "memory, but got byte {}",
                           end, place));
}

} // namespace geo::rt::simt

using geo::rt::simt::Machine;

extern "C" void geo_simt_launch(void (*entry)(void **, const void *),
                                const char *kernel, const int64_t *sizes,
                                void **args, const int64_t *types,
                                const char *site) {
  geo::rt::simt::Launch launch = {entry,
                                  kernel,
                                  site,
                                  {sizes[0], sizes[1], sizes[2]},
                                  {sizes[3], sizes[4], sizes[5]},
                                  sizes[6],
                                  sizes[7],
                                  args,
                                  types};
  Machine::get().run(launch);
}

extern "C" void geo_simt_barrier(const char *site) {
  Machine::get().barrier(site);
}
