// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watches the memory that kernels touch: who wrote and read which bytes last,
// and what nobody wrote. Barriers order threads of a block, the end of a launch
// orders everything, nothing orders blocks.
#ifndef GEOC_RUNTIME_SIMT_CHECKER_H
#define GEOC_RUNTIME_SIMT_CHECKER_H

#include "runtime/simt/Copies.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace geo::rt::simt {

class Machine;
struct Launch;

enum class Access { read, write, atomic };

/// What is known of two bytes. Phases grow with every barrier, block and launch
/// (Machine::phase); 0 is before all of them.
struct Granule {
  uint32_t writePhase = 0, readPhase = 0;
  int16_t writer = 0, reader = 0; ///< thread of the block, or `several`
  uint8_t isWritten = 0;          ///< by anybody, ever
  uint8_t isAtomic = 0;           ///< the last write
  uint8_t isReadByOthers = 0;     ///< by another block than that of readPhase
  uint8_t copies = 0;             ///< asynchronous ones on their way
};

/// Bytes with an address, and what is known of them.
struct Region {
  const char *base = nullptr;
  int64_t bytes = 0;
  std::vector<Granule> granules;

  Region(const char *base, int64_t bytes, bool isWritten);
  bool overlaps(const char *from, int64_t size) const {
    return from < base + bytes && base < from + size;
  }
  bool contains(const char *from, int64_t size) const {
    return from >= base && from + size <= base + bytes;
  }
};

class Checker {
public:
  explicit Checker(Machine &machine) : machine(machine) {}

  /// Memory of the device, which nobody has written; and its end.
  void addBuffer(const char *base, int64_t bytes);
  void removeBuffer(const char *base);

  /// A launch may touch the memrefs that it was given, and its shared memory.
  void startLaunch(const Launch &launch);
  void startBlock(const char *shared);

  /// One access of the thread that runs, at the op `site`. What is outside of
  /// all memory ends the launch.
  void access(const char *site, const char *address, int64_t bytes,
              Access kind);
  /// An asynchronous copy sets out, and arrives.
  void startCopy(const Copy &copy);
  void finishCopy(const Copy &copy);

private:
  /// Where a kernel may go, inside of a region.
  struct Window {
    const char *base;
    int64_t bytes;
    Region *region;
  };
  const Window *find(const char *address, int64_t bytes);
  const Window &findOrFail(const char *site, const char *address,
                           int64_t bytes);
  Region *regionFor(const char *base, int64_t bytes);
  void openWindows(const Launch &launch);
  void reportRace(const char *site, Access kind, const char *earlier,
                  uint32_t phase, int16_t thread, const char *memory);
  bool isRace(uint32_t phase, int16_t thread) const;
  void checkGranule(const char *site, Granule &granule, Access kind,
                    const char *memory);
  void touch(Granule &granule, Access kind);
  template <class Visit>
  void visit(const Window &window, const char *address, int64_t bytes,
             Visit visit);

  Machine &machine;
  std::vector<std::unique_ptr<Region>> regions;
  std::vector<Window> windows; ///< of shared memory first
  size_t numSharedWindows = 0, lastWindow = 0;
  std::unique_ptr<Region> shared;
  std::vector<std::pair<int64_t, int64_t>> sharedBuffers; ///< place, bytes
  uint32_t launchStart = 0, blockStart = 0, phase = 0;
};

} // namespace geo::rt::simt

#endif // GEOC_RUNTIME_SIMT_CHECKER_H
