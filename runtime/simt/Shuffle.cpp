// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/simt/Calls.h"
#include "runtime/simt/Machine.h"

#include <fmt/format.h>

using namespace geo::rt::simt;

namespace {

struct Shuffle : WarpCall {
  int32_t mode, offset;
  int64_t value, result;
  bool valid;
};

/// PTX ISA, shfl.sync, with c = 31 (0 for `up`): one segment of 32 lanes.
int sourceLane(int lane, int32_t mode, int32_t offset) {
  int b = offset & 31;
  switch (mode) {
  case 0:
    return lane ^ b;
  case 1:
    return lane + b;
  case 2:
    return lane - b;
  default:
    return b;
  }
}

void resolveShuffle(WarpCall *const *lanes) {
  for (int lane = 0; lane < warpSize; ++lane) {
    auto *call = static_cast<Shuffle *>(lanes[lane]);
    if (!call)
      continue;
    int source = sourceLane(lane, call->mode, call->offset);
    call->valid = source >= 0 && source < warpSize && lanes[source];
    call->result = call->valid ? static_cast<Shuffle *>(lanes[source])->value
                               : call->value;
  }
}

thread_local std::array<bool, maxThreads> lastValid;

} // namespace

extern "C" int64_t geo_simt_shuffle(const char *site, int32_t mode,
                                    int64_t value, int32_t offset,
                                    int32_t width) {
  Machine &machine = Machine::get();
  if (width != warpSize)
    machine.fail(site, fmt::format("expects width 32, but got {}", width));
  Shuffle call;
  call.resolve = resolveShuffle;
  call.site = site;
  call.mode = mode;
  call.offset = offset;
  call.value = value;
  machine.meetWarp(call);
  lastValid[machine.currentThread()] = call.valid;
  return call.result;
}

extern "C" int32_t geo_simt_shuffle_valid() {
  return lastValid[Machine::get().currentThread()];
}
