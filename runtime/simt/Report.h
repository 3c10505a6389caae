// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simt machine has to say about kernels that go wrong.
#ifndef GEOC_RUNTIME_SIMT_REPORT_H
#define GEOC_RUNTIME_SIMT_REPORT_H

#include <cstdint>
#include <string>
#include <vector>

namespace geo::rt::simt {

/// One finding, of the first thread that had it. Further threads that have the
/// same finding at the same op are counted only.
struct Report {
  std::string kernel;
  std::string site; ///< "OP at FILE:LINE:COLUMN"
  int64_t block[3] = {};
  int64_t thread[3] = {};
  std::string text; ///< "expects WHAT, but got WHAT"
  int64_t count = 1;

  /// "kernel K, block (X, Y, Z), thread (X, Y, Z), SITE: TEXT".
  std::string message() const;
};

/// The findings since the last call, in the order in which they came. A finding
/// after which a kernel cannot go on (memory outside of every buffer, threads
/// that wait for ever) skips the launches that follow, until this is called.
std::vector<Report> takeReports();
/// How many findings there are, without taking them.
int64_t reportCount();

} // namespace geo::rt::simt

#endif // GEOC_RUNTIME_SIMT_REPORT_H
