// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object code on disk, by the hash of all that it depends on.
#ifndef GEOC_LOWERING_OBJECTCACHE_H
#define GEOC_LOWERING_OBJECTCACHE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace geo {

class ObjectCache {
public:
  /// Without a directory the cache holds nothing.
  ObjectCache(const std::string &directory, llvm::StringRef key);

  /// The object, or null. A file that is cut short or changed is ignored.
  std::unique_ptr<llvm::MemoryBuffer> load() const;

  /// Best effort: a full or read-only disk costs time, not correctness.
  void store(llvm::ArrayRef<char> object) const;

private:
  std::string path;
};

} // namespace geo

#endif // GEOC_LOWERING_OBJECTCACHE_H
