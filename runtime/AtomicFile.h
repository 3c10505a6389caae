// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_ATOMICFILE_H
#define GEOC_RUNTIME_ATOMICFILE_H

#include "runtime/Status.h"

#include <string_view>

namespace geo::rt {

/// Writes a file under a temporary name in the same folder and renames it once
/// complete and on disk: readers see the old file or the new one, never a part.
/// What was not committed is removed.
class AtomicFile {
public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Errors (an unwritable folder, a path that is a folder or a device, a full
  /// disk) name the path and the system's reason. After one, later calls
  /// repeat it.
  Status open();
  Status write(const void *data, size_t bytes);
  Status write(std::string_view text) {
    return write(text.data(), text.size());
  }
  Status commit();

private:
  Status fail(std::string_view what, int error);
  void discard();

  std::string path, temporary;
  int descriptor = -1;
  Status state;
};

/// Removes what AtomicFile left beside `path` in processes that were killed.
void removeAbandoned(const std::string &path);

/// The whole of a regular file. Errors name the path and the reason.
Expected<std::string> readFile(const std::string &path);
/// AtomicFile in one call.
Status writeFile(const std::string &path, std::string_view text);

} // namespace geo::rt

#endif // GEOC_RUNTIME_ATOMICFILE_H
