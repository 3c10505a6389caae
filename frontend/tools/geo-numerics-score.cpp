// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of lines, and their totals.
#include "frontend/tools/geo-numerics.h"
#include <cmath>
#include <limits>

using namespace geo::numerics;

namespace {
double maxAbs(const std::vector<double> &values) {
  double m = 0;
  for (double v : values)
    m = std::max(m, std::abs(v));
  return m;
}

double norm(const Array &array) {
  double sum = 0;
  for (double v : array.values)
    sum += v * v;
  return std::sqrt(sum);
}

/// Largest difference, or NaN where `got` is not finite. Rows hold nothing
/// below the smallest number of their type, so that much is no difference.
double maxDifference(const Array &got, const Array &reference, bool isWide) {
  double smallest = reference.isNumber() ? 0 : isWide ? 0x1p-1074 : 0x1p-149;
  double m = 0;
  for (auto [g, r] : llvm::zip_equal(got.values, reference.values)) {
    if (!std::isfinite(g))
      return std::numeric_limits<double>::quiet_NaN();
    double difference = std::abs(g - r);
    if (difference > smallest)
      m = std::max(m, difference);
  }
  return m;
}

double relative(double difference, double scale) {
  return scale > 0 ? difference / scale : difference;
}

/// What the gradient by a number is compared with: the reference, unless it
/// cancels far below |ct| |out| / |z|.
double getNumberScale(const Line &line, const std::string &name,
                      double reference) {
  auto it = line.in.find(name);
  double z = it == line.in.end() ? line.c : it->second.values[0];
  double natural =
      norm(line.ct) * norm(line.out) / std::max(std::abs(z), 1e-30);
  return std::max(std::abs(reference), natural);
}
} // namespace

Score geo::numerics::score(const Line &line, const Outcome &outcome,
                           bool isWide) {
  Score score;
  score.value = relative(maxDifference(outcome.out, line.out, isWide),
                         maxAbs(line.out.values));
  for (auto &[name, reference] : line.vjp) {
    double scale = reference.isNumber()
                       ? getNumberScale(line, name, reference.values[0])
                       : maxAbs(reference.values);
    double error =
        relative(maxDifference(outcome.vjp.at(name), reference, isWide), scale);
    // A NaN stays; otherwise the largest wins.
    if (!(error <= score.vjp) && !std::isnan(score.vjp)) {
      score.vjp = error;
      score.worstInput = name;
    }
  }
  return score;
}

static constexpr double half = 0x1p-53; // of a unit in the last place

double Bars::ofValue(const Line &line) const {
  if (!isWide)
    return limits[0];
  // A dot of d terms, summed one after the other, rounds d times.
  return std::max(limits[0], (64 + 2 * line.dim) * half * line.cond);
}

double Bars::ofVjp(const Line &line) const {
  if (!isWide)
    return limits[0];
  if (line.region == "bd_1e-5" || line.region == "bd_ulp")
    return narrowBars.limits[0];
  return std::max(limits[0], 512 * half * line.cond);
}

void Summary::add(const Line &line, const Score &score, const Bars &bars) {
  nan += std::isnan(score.value) || std::isnan(score.vjp);
  auto count = [&](double error, int64_t *above, Worst &worst) {
    for (int i = 0; i < 3; ++i)
      above[i] += !(error <= bars.limits[i]);
    bool isWorse =
        std::isnan(error) ? !std::isnan(worst.error) : error > worst.error;
    if (!worst.line || isWorse)
      worst = {&line, error};
  };
  count(score.value, valueAbove, value);
  count(score.vjp, vjpAbove, vjp);
}
