// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/Copy.h"

using namespace mlir;
using namespace geo;
using namespace geo::cpu;

/// Fewer elements than this are not worth a team of threads.
static constexpr int64_t leastShared = 1 << 14;

static void copyPart(Work &work, Gen &g, Value from, Value to, Value lower,
                     Value upper) {
  auto type = cast<MemRefType>(to.getType());
  Type element = type.getElementType();
  bool inVectors = element.isF32() || element.isF64() || element.isInteger(32);
  unsigned last = type.getRank() - 1;
  Values at;
  std::function<void()> nest = [&] {
    unsigned i = at.size();
    Value begin = i == 0 ? lower : g.idx(0);
    Value end = i == 0 ? upper : g.dim(to, i);
    auto inside = [&](Value k, function_ref<void()> body) {
      at.push_back(k);
      body();
      at.pop_back();
    };
    if (i == last && inVectors) {
      VectorType vector = Gen::vectorOf(work.target.lanes, element);
      g.forMasked(begin, end, work.target.lanes, [&](Value j, Value mask) {
        inside(j, [&] {
          g.storePart(g.loadPart(from, at, vector, mask), to, at, mask);
        });
      });
      return;
    }
    g.forLoop(begin, end, g.idx(1), [&](Value k) {
      inside(k, [&] {
        if (i == last)
          g.store(g.load(from, at), to, at);
        else
          nest();
      });
    });
  };
  nest();
}

void geo::cpu::emitCopy(Work &work, Gen &g, Value from, Value to) {
  auto type = cast<MemRefType>(to.getType());
  if (type.getRank() == 0)
    return g.store(g.load(from), to);
  Value size = g.dim(to, 0);
  bool isSmall = type.hasStaticShape() && type.getNumElements() < leastShared;
  if (work.scan || isSmall)
    return copyPart(work, g, from, to, g.idx(0), size);
  work.onThreads(g, [&](Value tid, Value count) {
    int64_t unit = type.getRank() == 1 ? work.target.lanes : 1;
    auto [lower, upper] = Work::getPart(g, size, unit, tid, count);
    copyPart(work, g, from, to, lower, upper);
  });
}
