// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PointReport.h"

#include <fmt/format.h>
#include <mutex>

namespace {
std::mutex mutex;
geo::rt::PointReport report;
} // namespace

extern "C" void geo_rt_report_outside(const char *site, const double *norms,
                                      const double *limits, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (norms[i] < limits[i])
      continue;
    std::scoped_lock lock(mutex);
    if (report.count++ == 0) {
      report.site = site;
      report.row = i;
      report.norm = norms[i];
      report.limit = limits[i];
    }
  }
}

namespace geo::rt {

std::string PointReport::message() const {
  return fmt::format("{}: expects points inside of their manifold, but got row "
                     "{} of norm {}, limit {} ({} row{} outside)",
                     site, row, norm, limit, count, count == 1 ? "" : "s");
}

std::optional<PointReport> takePointReport() {
  std::scoped_lock lock(mutex);
  if (report.count == 0)
    return std::nullopt;
  PointReport taken = report;
  report = PointReport();
  return taken;
}

} // namespace geo::rt
