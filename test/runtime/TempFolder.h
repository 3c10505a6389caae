// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_TEST_RUNTIME_TEMPFOLDER_H
#define GEOC_TEST_RUNTIME_TEMPFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

/// A folder of its own for one test, removed at the end.
class TempFolder {
public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "geoc-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempFolder(const TempFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return *this / name;
  }
  /// Number of entries, to see that nothing was left behind.
  size_t count() const {
    size_t n = 0;
    for (auto &entry : std::filesystem::directory_iterator(path)) {
      (void)entry;
      ++n;
    }
    return n;
  }

  std::filesystem::path path;
};

#endif // GEOC_TEST_RUNTIME_TEMPFOLDER_H
