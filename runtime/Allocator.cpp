// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Allocator.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define GEOC_POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define GEOC_UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#endif
#endif
#ifndef GEOC_POISON
#define GEOC_POISON(p, n) (void)0
#define GEOC_UNPOISON(p, n) (void)0
#endif

namespace geo::rt {
namespace {

/// Lies directly before the memory that the user sees.
struct alignas(poolAlignment) Header {
  uint64_t mark;
  uint32_t sizeClass;
  size_t userBytes;
  void *raw;
  Header *next; // in a free list
};
static_assert(sizeof(Header) == poolAlignment);

constexpr uint64_t inUse = 0x67656f6c69766521;
constexpr uint64_t isFree = 0x67656f6672656521;
constexpr size_t hugePage = size_t(2) << 20;
/// From this size on, blocks start at varying cache sets: streams that all
/// start at one offset of a page evict each other.
constexpr size_t colouredFrom = size_t(64) << 10;
constexpr size_t colours = 31, colourBytes = 128;
constexpr size_t largest = size_t(1) << 46;

/// Four classes per power of two, so that at most a quarter is unused.
uint32_t classOf(size_t bytes) {
  if (bytes <= 256)
    return bytes == 0 ? 0 : uint32_t((bytes - 1) / 64);
  uint32_t e = 63 - uint32_t(__builtin_clzll(bytes - 1));
  return 4 + (e - 8) * 4 + uint32_t((bytes - 1) >> (e - 2) & 3);
}

size_t classBytes(uint32_t index) {
  if (index < 4)
    return (index + 1) * 64;
  uint32_t e = 8 + (index - 4) / 4, quarter = (index - 4) % 4;
  return (size_t(1) << e) + (quarter + 1) * (size_t(1) << (e - 2));
}

constexpr uint32_t numClasses = 4 + (47 - 8) * 4;

struct FreeList {
  std::mutex mutex;
  Header *first = nullptr;
};

struct Pool {
  FreeList lists[numClasses];
  std::atomic<int64_t> current{0}, peak{0}, reserved{0}, systemCalls{0};
};

/// Never destroyed: generated code may free from static destructors.
Pool &pool() {
  static Pool *instance = new Pool;
  return *instance;
}

void *takeFromSystem(size_t bytes) {
  size_t alignment = bytes >= 2 * hugePage ? hugePage : poolAlignment;
  void *raw = nullptr;
  if (posix_memalign(&raw, alignment, bytes) != 0)
    return nullptr;
  // A hint only: without huge pages everything works, with more page faults.
  if (alignment == hugePage)
    (void)madvise(raw, bytes & ~(hugePage - 1), MADV_HUGEPAGE);
  pool().reserved += int64_t(bytes);
  return raw;
}

Header *headerIn(void *raw, size_t lead, size_t alignment) {
  auto at = reinterpret_cast<uintptr_t>(raw) + sizeof(Header) + lead;
  at = (at + alignment - 1) & ~uintptr_t(alignment - 1);
  return reinterpret_cast<Header *>(at) - 1;
}

} // namespace

void *poolAllocate(size_t size, size_t alignment) {
  if (alignment < poolAlignment)
    alignment = poolAlignment;
  if (size > largest || alignment > largest)
    return nullptr;
  Pool &p = pool();
  size_t bytes = sizeof(Header) + size;
  if (alignment > poolAlignment)
    bytes += alignment;
  bool coloured = bytes >= colouredFrom;
  if (coloured)
    bytes += (colours - 1) * colourBytes;
  uint32_t index = classOf(bytes);

  Header *header = nullptr;
  {
    FreeList &list = p.lists[index];
    std::lock_guard<std::mutex> lock(list.mutex);
    if ((header = list.first))
      list.first = header->next;
  }
  void *raw;
  size_t lead = 0;
  if (header) {
    raw = header->raw;
    lead =
        reinterpret_cast<uintptr_t>(header) - reinterpret_cast<uintptr_t>(raw);
    // A block that an earlier request shifted for its alignment may hold less.
    if (lead > (colours - 1) * colourBytes || !coloured)
      lead = 0;
  } else {
    raw = takeFromSystem(classBytes(index));
    if (!raw)
      return nullptr;
    int64_t call = p.systemCalls++;
    if (coloured)
      lead = size_t(call) % colours * colourBytes;
  }
  GEOC_UNPOISON(raw, classBytes(index));
  header = headerIn(raw, lead, alignment);
  *header = {inUse, index, size, raw, nullptr};

  int64_t now = p.current.fetch_add(int64_t(size)) + int64_t(size);
  int64_t seen = p.peak.load();
  while (seen < now && !p.peak.compare_exchange_weak(seen, now)) {
  }
  return header + 1;
}

void poolFree(void *pointer) {
  if (!pointer)
    return;
  Header *header = static_cast<Header *>(pointer) - 1;
  if (header->mark != inUse) {
    std::fprintf(stderr,
                 "geoc runtime: free expects a block in use, but got %p\n",
                 pointer);
    std::abort();
  }
  Pool &p = pool();
  p.current -= int64_t(header->userBytes);
  header->mark = isFree;
  // The header stays readable: the free list, and what finds leaks, need it.
  GEOC_POISON(pointer, classBytes(header->sizeClass) -
                           (static_cast<char *>(pointer) -
                            static_cast<char *>(header->raw)));
  FreeList &list = p.lists[header->sizeClass];
  std::lock_guard<std::mutex> lock(list.mutex);
  header->next = list.first;
  list.first = header;
}

PoolStatistics poolStatistics() {
  Pool &p = pool();
  return {p.current, p.peak, p.reserved, p.systemCalls};
}

void resetPoolPeak() { pool().peak = pool().current.load(); }

void releasePoolCache() {
  Pool &p = pool();
  for (uint32_t i = 0; i < numClasses; ++i) {
    FreeList &list = p.lists[i];
    std::lock_guard<std::mutex> lock(list.mutex);
    while (Header *header = list.first) {
      list.first = header->next;
      GEOC_UNPOISON(header->raw, classBytes(i));
      std::free(header->raw);
      p.reserved -= int64_t(classBytes(i));
    }
  }
}

} // namespace geo::rt

extern "C" void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment,
                                                    size_t size) {
  void *block = geo::rt::poolAllocate(size, alignment);
  if (!block) {
    std::fprintf(stderr,
                 "geoc runtime: expects %zu more bytes of memory, but got "
                 "none: try a smaller batch, context or vocabulary\n",
                 size);
    std::fflush(stderr);
    std::_Exit(2);
  }
  return block;
}

extern "C" void *_mlir_memref_to_llvm_alloc(size_t size) {
  return _mlir_memref_to_llvm_aligned_alloc(geo::rt::poolAlignment, size);
}

extern "C" void _mlir_memref_to_llvm_free(void *pointer) {
  geo::rt::poolFree(pointer);
}
