// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/simt/Copies.h"
#include "runtime/simt/Calls.h"
#include "runtime/simt/Machine.h"

#include <cstring>
#include <fmt/format.h>

using namespace geo::rt::simt;

void Copies::add(const Copy &copy) {
  // From now on the bytes may change at any time: nothing that was there can be
  // relied on.
  std::memset(copy.to, 0xff, static_cast<size_t>(copy.bytes));
  copies.push_back(copy);
}

void Copies::land(const Copy &copy) {
  std::memcpy(copy.to, copy.from, static_cast<size_t>(copy.sourceBytes));
  std::memset(copy.to + copy.sourceBytes, 0,
              static_cast<size_t>(copy.bytes - copy.sourceBytes));
}

extern "C" void geo_simt_copy(const char *site, char *to, const char *from,
                              int64_t bytes, int64_t sourceBytes) {
  Machine &machine = Machine::get();
  if (bytes != 4 && bytes != 8 && bytes != 16)
    machine.fail(site, fmt::format("expects to copy 4, 8 or 16 bytes, but got "
                                   "{}",
                                   bytes));
  if (sourceBytes < 0 || sourceBytes > bytes)
    machine.fail(site, fmt::format("expects to read 0 to {} bytes, but got {}",
                                   bytes, sourceBytes));
  machine.expectShared(site, to, bytes);
  if (reinterpret_cast<uintptr_t>(to) % bytes ||
      reinterpret_cast<uintptr_t>(from) % bytes)
    machine.fail(site, fmt::format("expects addresses that are multiples of {} "
                                   "bytes, but got {} to {}",
                                   bytes, fmt::ptr(from), fmt::ptr(to)));
  Copy copy = {to, from, bytes, sourceBytes, site};
  if (Checker *checker = machine.activeChecker())
    checker->startCopy(copy);
  machine.copiesOfThread().add(copy);
}

extern "C" void geo_simt_group() { Machine::get().copiesOfThread().endGroup(); }

extern "C" void geo_simt_wait(int32_t pending) {
  Machine &machine = Machine::get();
  Checker *checker = machine.activeChecker();
  machine.copiesOfThread().wait(pending, [&](const Copy &copy) {
    if (checker)
      checker->finishCopy(copy);
  });
}
