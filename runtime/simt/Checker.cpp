// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/simt/Checker.h"
#include "runtime/simt/Calls.h"
#include "runtime/simt/Machine.h"

#include <algorithm>
#include <fmt/format.h>

using namespace geo::rt::simt;

/// Bytes that one Granule stands for: float16 is the smallest type that threads
/// write side by side.
constexpr int64_t granuleBytes = 2;
/// More than one thread of the block, in one phase.
constexpr int16_t several = -1;

Region::Region(const char *base, int64_t bytes, bool isWritten)
    : base(base), bytes(bytes),
      granules(static_cast<size_t>((bytes + granuleBytes - 1) / granuleBytes)) {
  if (isWritten)
    for (Granule &granule : granules)
      granule.isWritten = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Checker::addBuffer(const char *base, int64_t bytes) {
  regions.erase(std::remove_if(regions.begin(), regions.end(),
                               [&](const std::unique_ptr<Region> &region) {
                                 return region->overlaps(base, bytes);
                               }),
                regions.end());
  regions.push_back(std::make_unique<Region>(base, bytes, false));
}

void Checker::removeBuffer(const char *base) {
  regions.erase(std::remove_if(regions.begin(), regions.end(),
                               [&](const std::unique_ptr<Region> &region) {
                                 return region->base == base;
                               }),
                regions.end());
}

/// The region that the bytes lie in. Buffers that others allocated become known
/// here, and count as written.
Region *Checker::regionFor(const char *base, int64_t bytes) {
  const char *from = base, *to = base + bytes;
  for (std::unique_ptr<Region> &region : regions) {
    if (region->contains(base, bytes))
      return region.get();
    if (region->overlaps(base, bytes)) {
      from = std::min(from, region->base);
      to = std::max(to, region->base + region->bytes);
    }
  }
  addBuffer(from, to - from); // and forgets parts of it
  for (Granule &granule : regions.back()->granules)
    granule.isWritten = 1;
  return regions.back().get();
}

/// Of a memref descriptor {base, aligned, offset, sizes, strides}: the first
/// byte and the number of bytes up to the last element.
static std::pair<const char *, int64_t> extentOf(const int64_t *descriptor,
                                                 int64_t rank, int64_t bytes) {
  const int64_t *sizes = descriptor + 3, *strides = sizes + rank;
  int64_t last = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (sizes[i] <= 0)
      return {nullptr, 0};
    last += (sizes[i] - 1) * strides[i];
  }
  return {reinterpret_cast<const char *>(descriptor[1]) + descriptor[2] * bytes,
          (last + 1) * bytes};
}

void Checker::openWindows(const Launch &launch) {
  windows.clear();
  sharedBuffers.clear();
  lastWindow = 0;
  const int64_t *word = launch.types;
  int64_t numArguments = *word++;
  const int64_t *arguments = word;
  word += 2 * numArguments;
  for (int64_t numBuffers = *word++; numBuffers > 0; --numBuffers, word += 2)
    sharedBuffers.push_back({word[0], word[1]});
  if (launch.dynamicBytes > 0)
    sharedBuffers.push_back({launch.staticBytes, launch.dynamicBytes});
  numSharedWindows = sharedBuffers.size();
  windows.resize(numSharedWindows);

  std::vector<std::pair<const char *, int64_t>> extents;
  for (int64_t i = 0; i < numArguments; ++i) {
    int64_t rank = arguments[2 * i], bytes = arguments[2 * i + 1];
    if (rank < 0)
      continue;
    auto extent =
        extentOf(static_cast<const int64_t *>(launch.args[i]), rank, bytes);
    if (extent.second > 0)
      extents.push_back(extent);
  }
  // Adding one region may replace others: all of them first.
  for (auto [base, bytes] : extents)
    regionFor(base, bytes);
  for (auto [base, bytes] : extents)
    windows.push_back({base, bytes, regionFor(base, bytes)});
}

void Checker::startLaunch(const Launch &launch) {
  if (machine.phase() >= UINT32_MAX) {
    for (std::unique_ptr<Region> &region : regions)
      for (Granule &granule : region->granules)
        granule.writePhase = granule.readPhase = 0;
    machine.restartPhases();
  }
  launchStart = static_cast<uint32_t>(machine.phase()) + 1;
  openWindows(launch);
}

void Checker::startBlock(const char *base) {
  blockStart = static_cast<uint32_t>(machine.phase());
  int64_t end = 0;
  for (auto [place, bytes] : sharedBuffers)
    end = std::max(end, place + bytes);
  if (!shared || shared->base != base || shared->bytes != end)
    shared = std::make_unique<Region>(base, end, false);
  else
    std::fill(shared->granules.begin(), shared->granules.end(), Granule());
  for (size_t i = 0; i < numSharedWindows; ++i)
    windows[i] = {base + sharedBuffers[i].first, sharedBuffers[i].second,
                  shared.get()};
}

const Checker::Window *Checker::find(const char *address, int64_t bytes) {
  auto isIn = [&](const Window &window) {
    return address >= window.base &&
           address + bytes <= window.base + window.bytes;
  };
  if (lastWindow < windows.size() && isIn(windows[lastWindow]))
    return &windows[lastWindow];
  for (size_t i = 0; i < windows.size(); ++i)
    if (isIn(windows[i])) {
      lastWindow = i;
      return &windows[i];
    }
  return nullptr;
}

const Checker::Window &Checker::findOrFail(const char *site,
                                           const char *address, int64_t bytes) {
  if (const Window *window = find(address, bytes))
    return *window;
  // The nearest buffer says most.
  int64_t best = INT64_MAX;
  for (const Window &window : windows) {
    int64_t past = address + bytes - (window.base + window.bytes);
    int64_t before = window.base - address;
    int64_t distance = std::max(past, before);
    best = std::min(best, distance);
  }
  machine.fail(site, fmt::format("expects an address inside of a buffer of the "
                                 "kernel, but got one that is {} bytes outside "
                                 "of the nearest",
                                 best));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

template <class Visit>
void Checker::visit(const Window &window, const char *address, int64_t bytes,
                    Visit visit) {
  Region &region = *window.region;
  int64_t first = (address - region.base) / granuleBytes;
  int64_t last = (address + bytes - 1 - region.base) / granuleBytes;
  for (int64_t i = first; i <= last; ++i)
    visit(region.granules[static_cast<size_t>(i)]);
}

static const char *nameOf(Access kind) {
  return kind == Access::read    ? "read"
         : kind == Access::write ? "write"
                                 : "atomic";
}

bool Checker::isRace(uint32_t other, int16_t thread) const {
  if (other < launchStart)
    return false; // an earlier launch
  if (other < blockStart)
    return true; // another block
  return other == phase && thread != machine.currentThread();
}

void Checker::reportRace(const char *site, Access kind, const char *earlier,
                         uint32_t other, int16_t thread, const char *memory) {
  if (other < blockStart)
    machine.report(
        site, fmt::format("expects the blocks of a launch to be independent, "
                          "but got a {} of bytes with a {} in another block",
                          nameOf(kind), earlier));
  else if (thread == several)
    machine.report(site,
                   fmt::format("expects a barrier after the {} by several "
                               "threads, but got a {} of the same bytes of {} "
                               "memory",
                               earlier, nameOf(kind), memory));
  else
    machine.report(site,
                   fmt::format("expects a barrier after the {} by thread {}, "
                               "but got a {} of the same bytes of {} memory",
                               earlier, thread, nameOf(kind), memory));
}

void Checker::checkGranule(const char *site, Granule &granule, Access kind,
                           const char *memory) {
  if (granule.copies)
    machine.report(site, fmt::format("expects a wait for the copy that is on "
                                     "its way to these bytes, but got a {}",
                                     nameOf(kind)));
  bool reads = kind != Access::write, writes = kind != Access::read;
  if (reads && !granule.isWritten && !granule.copies)
    machine.report(site,
                   fmt::format("expects bytes that were written, but got a {} "
                               "of {} memory that nobody wrote",
                               nameOf(kind), memory));
  bool bothAtomic = kind == Access::atomic && granule.isAtomic;
  if (!bothAtomic && isRace(granule.writePhase, granule.writer))
    reportRace(site, kind, granule.isAtomic ? "atomic" : "write",
               granule.writePhase, granule.writer, memory);
  else if (writes && isRace(granule.readPhase, granule.reader))
    reportRace(site, kind, "read", granule.readPhase, granule.reader, memory);
  else if (writes && granule.isReadByOthers && granule.readPhase >= launchStart)
    reportRace(site, kind, "read", launchStart - 1, several, memory);
}

void Checker::touch(Granule &granule, Access kind) {
  auto thread = static_cast<int16_t>(machine.currentThread());
  if (kind == Access::read) {
    if (granule.readPhase < launchStart)
      granule.isReadByOthers = 0;
    else if (granule.readPhase < blockStart)
      granule.isReadByOthers = 1;
    granule.reader = granule.readPhase == phase && granule.reader != thread
                         ? several
                         : thread;
    granule.readPhase = phase;
    return;
  }
  bool isAtomic = kind == Access::atomic;
  granule.writer = isAtomic && granule.isAtomic &&
                           granule.writePhase == phase &&
                           granule.writer != thread
                       ? several
                       : thread;
  granule.writePhase = phase;
  granule.isAtomic = isAtomic;
  granule.isWritten = 1;
}

void Checker::access(const char *site, const char *address, int64_t bytes,
                     Access kind) {
  const Window &window = findOrFail(site, address, bytes);
  phase = static_cast<uint32_t>(machine.phase());
  const char *memory = window.region == shared.get() ? "shared" : "global";
  // Bytes of one granule may belong to different threads.
  bool isShort = bytes < granuleBytes;
  visit(window, address, bytes, [&](Granule &granule) {
    if (!isShort)
      checkGranule(site, granule, kind, memory);
    touch(granule, kind);
  });
}

void Checker::startCopy(const Copy &copy) {
  if (copy.sourceBytes > 0)
    access(copy.site, copy.from, copy.sourceBytes, Access::read);
  const Window &window = findOrFail(copy.site, copy.to, copy.bytes);
  phase = static_cast<uint32_t>(machine.phase());
  visit(window, copy.to, copy.bytes, [&](Granule &granule) {
    checkGranule(copy.site, granule, Access::write, "shared");
    uint8_t wasWritten = granule.isWritten;
    touch(granule, Access::write);
    granule.isWritten = wasWritten;
    ++granule.copies;
  });
}

void Checker::finishCopy(const Copy &copy) {
  const Window &window = findOrFail(copy.site, copy.to, copy.bytes);
  phase = static_cast<uint32_t>(machine.phase());
  visit(window, copy.to, copy.bytes, [&](Granule &granule) {
    --granule.copies;
    touch(granule, Access::write);
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

extern "C" void geo_simt_check(const char *site, const char *address,
                               int32_t elementBytes, int32_t count,
                               int64_t mask, int32_t kind, int64_t alignment,
                               int32_t isInside, int64_t room) {
  Machine &machine = Machine::get();
  auto isActive = [&](int i) { return i >= 64 || (mask >> i & 1); };
  int last = count - 1;
  while (last >= 0 && !isActive(last))
    --last;
  if (last < 0)
    return;
  if (!isInside || last >= room)
    machine.fail(site, fmt::format("expects indices inside of the memref, but "
                                   "got {}",
                                   isInside ? "elements past its last dimension"
                                            : "one outside"));
  if (alignment > 1 && reinterpret_cast<uintptr_t>(address) % alignment)
    machine.fail(site,
                 fmt::format("expects an address that is a multiple of "
                             "{} bytes, but got one that is {} past",
                             alignment,
                             reinterpret_cast<uintptr_t>(address) % alignment));
  Checker *checker = machine.activeChecker();
  if (!checker || kind < 0 || machine.isOnStack(address))
    return;
  // Runs of active elements.
  for (int i = 0; i <= last;) {
    int begin = i;
    while (i <= last && isActive(i))
      ++i;
    if (i > begin)
      checker->access(site, address + begin * elementBytes,
                      (i - begin) * elementBytes, static_cast<Access>(kind));
    while (i <= last && !isActive(i))
      ++i;
  }
}

extern "C" void geo_simt_allocated(const char *base, int64_t bytes) {
  if (bytes > 0)
    Machine::get().checker().addBuffer(base, bytes);
}

extern "C" void geo_simt_freed(const char *base) {
  Machine::get().checker().removeBuffer(base);
}
