// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace geo::rt {

/// Between a file's name and the process and number that are writing it.
constexpr const char *temporaryMark = ".tmp-";

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

AtomicFile::AtomicFile(std::string path) : path(std::move(path)) {}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor >= 0) {
    ::close(descriptor);
    descriptor = -1;
  }
  if (!temporary.empty()) {
    ::unlink(temporary.c_str());
    temporary.clear();
  }
}

Status AtomicFile::fail(std::string_view what, int error) {
  state = expects(path, what, std::strerror(error));
  discard();
  return state;
}

Status AtomicFile::open() {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    // Renaming over a device would replace it.
    state = expects(path, "a name for a regular file",
                    S_ISDIR(info.st_mode) ? "a folder" : "a special file");
    return state;
  }
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string candidate =
        fmt::format("{}{}{}-{}", path, temporaryMark, ::getpid(), counter++);
    descriptor = ::open(candidate.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      temporary = candidate;
      state = Status::success();
      return state;
    }
    if (errno != EEXIST)
      break;
  }
  return fail("a writable place", errno);
}

Status AtomicFile::write(const void *data, size_t bytes) {
  if (!state)
    return state;
  assert(descriptor >= 0 && "write before open");
  auto *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::write(descriptor, next, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail("room to write", written < 0 ? errno : ENOSPC);
    next += written;
    bytes -= size_t(written);
  }
  return state;
}

Status AtomicFile::commit() {
  if (!state)
    return state;
  assert(descriptor >= 0 && "commit before open");
  // Some file systems have no fsync; that is no reason to lose the file.
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    return fail("room to write", errno);
  int closed = ::close(descriptor);
  descriptor = -1;
  if (closed != 0 && errno != EINTR)
    return fail("room to write", errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail("a writable place", errno);
  temporary.clear();
  // The rename itself must survive a power cut.
  int folder =
      ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)::fsync(folder);
    ::close(folder);
  }
  return state;
}

void removeAbandoned(const std::string &path) {
  namespace fs = std::filesystem;
  std::string prefix = fs::path(path).filename().string() + temporaryMark;
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folderOf(path), error), end;
       !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    int process = 0, number = 0;
    char rest;
    if (name.compare(0, prefix.size(), prefix) == 0 &&
        std::sscanf(name.c_str() + prefix.size(), "%d-%d%c", &process, &number,
                    &rest) == 2 &&
        process > 0 && ::kill(process, 0) != 0 && errno == ESRCH)
      found.push_back(at->path());
  }
  for (const fs::path &file : found)
    fs::remove(file, error);
}

Expected<std::string> readFile(const std::string &path) {
  // O_NONBLOCK: opening a pipe without a writer must not wait for ever.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return expects(path, "a readable file", std::strerror(errno));
  struct stat info;
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(file);
    return expects(path, "a regular file",
                   S_ISDIR(info.st_mode) ? "a folder" : "a special file");
  }
  std::string text;
  text.resize(size_t(info.st_size));
  size_t filled = 0;
  for (;;) {
    if (filled == text.size())
      text.resize(filled + 4096); // the file may have grown, or be in /proc
    ssize_t got = ::read(file, &text[filled], text.size() - filled);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      int error = errno;
      ::close(file);
      return expects(path, "a readable file", std::strerror(error));
    }
    if (got == 0)
      break;
    filled += size_t(got);
  }
  ::close(file);
  text.resize(filled);
  return text;
}

Status writeFile(const std::string &path, std::string_view text) {
  AtomicFile file(path);
  if (Status s = file.open(); !s)
    return s;
  if (Status s = file.write(text); !s)
    return s;
  return file.commit();
}

} // namespace geo::rt
