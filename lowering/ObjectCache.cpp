// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/ObjectCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace geo;

/// A file is this, the hash of the object, and the object.
static constexpr llvm::StringLiteral magic = "geoc-object-1\n";
static constexpr size_t hashSize = 32;

static std::string getHash(StringRef bytes) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes));
  return std::string(hash.begin(), hash.end());
}

ObjectCache::ObjectCache(const std::string &directory, StringRef key) {
  if (directory.empty())
    return;
  SmallString<128> file(directory);
  llvm::sys::path::append(file, llvm::toHex(getHash(key), true) + ".geoobj");
  path = std::string(file);
}

std::unique_ptr<llvm::MemoryBuffer> ObjectCache::load() const {
  if (path.empty())
    return nullptr;
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return nullptr;
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.consume_front(magic) || bytes.size() <= hashSize)
    return nullptr;
  StringRef hash = bytes.take_front(hashSize);
  StringRef object = bytes.drop_front(hashSize);
  if (hash != getHash(object))
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(object, path);
}

void ObjectCache::store(ArrayRef<char> object) const {
  if (path.empty() ||
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return;
  // Readers see the old file or the new one, never a part.
  auto file = llvm::sys::fs::TempFile::create(path + "-%%%%%%%%.tmp");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  StringRef bytes(object.data(), object.size());
  bool failed;
  {
    llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << magic << getHash(bytes) << bytes;
    stream.flush();
    failed = stream.has_error();
    stream.clear_error();
  }
  llvm::consumeError(failed ? file->discard() : file->keep(path));
}
