// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_POINTREPORT_H
#define GEOC_RUNTIME_POINTREPORT_H

#include <cstdint>
#include <optional>
#include <string>

/// What geo.report_outside becomes: counts the rows i < count without
/// norms[i] < limits[i]. `site` is a text that ends in 0.
extern "C" void geo_rt_report_outside(const char *site, const double *norms,
                                      const double *limits, int64_t count);

namespace geo::rt {

/// Rows that were not on their manifold, since the last look.
struct PointReport {
  std::string site; ///< the op that used the first one
  int64_t row = 0;
  double norm = 0, limit = 0;
  int64_t count = 0; ///< of all sites

  /// "SITE: expects points inside of their manifold, but got row ROW of norm
  /// NORM, limit LIMIT (COUNT rows outside)".
  std::string message() const;
};

/// The report since the last call, if there is one. Any thread.
std::optional<PointReport> takePointReport();

} // namespace geo::rt

#endif // GEOC_RUNTIME_POINTREPORT_H
