// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/simt/Report.h"
#include "runtime/simt/Machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace geo::rt::simt {

/// Findings at one op that start alike are one finding.
constexpr size_t sameText = 40;

void Machine::report(const char *site, std::string text) {
  addReport(site, std::move(text), &contexts[current]);
}

void Machine::fail(const char *site, std::string text) {
  report(site, std::move(text));
  leave(true);
}

void Machine::addReport(const char *site, std::string text,
                        const ThreadContext *at) {
  ++numReports;
  for (Report &r : reports)
    if (r.site == site && r.kernel == launch->kernel &&
        r.text.substr(0, sameText) == text.substr(0, sameText)) {
      ++r.count;
      return;
    }
  constexpr size_t mostReports = 64;
  if (reports.size() == mostReports)
    return;
  Report r;
  r.kernel = launch->kernel;
  r.site = site;
  r.text = std::move(text);
  if (at) {
    std::copy(at->block, at->block + 3, r.block);
    std::copy(at->thread, at->thread + 3, r.thread);
  }
  reports.push_back(std::move(r));
}

std::vector<Report> Machine::takeReports() {
  failed = false;
  numReports = 0;
  return std::exchange(reports, {});
}

std::string Report::message() const {
  return fmt::format("kernel {}, block ({}, {}, {}), thread ({}, {}, {}), {}: "
                     "{}",
                     kernel, block[0], block[1], block[2], thread[0], thread[1],
                     thread[2], site, text);
}

std::vector<Report> takeReports() { return Machine::get().takeReports(); }
int64_t reportCount() { return Machine::get().reportCount(); }

} // namespace geo::rt::simt
