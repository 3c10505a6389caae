// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_PROGRESS_H
#define GEOC_FRONTEND_DATA_PROGRESS_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace geo::data {

/// Shows how far a pass is, with tokens/s, loss and the time left: a bar that
/// is drawn over on a terminal, else plain lines, at most one every few
/// seconds.
class Progress {
public:
  struct Options {
    std::FILE *out = stderr;
    /// Whether `out` is a terminal; by default it is asked.
    enum class Terminal { Ask, Yes, No } terminal = Terminal::Ask;
    double barSeconds = 0.1;  ///< least time between two bars
    double lineSeconds = 5.0; ///< least time between two plain lines
    /// Seconds since any fixed moment; for tests.
    std::function<double()> clock;
  };

  Progress(std::string label, int64_t totalTokens, const Options &options);
  Progress(std::string label, int64_t totalTokens)
      : Progress(std::move(label), totalTokens, Options()) {}
  /// Removes the bar.
  ~Progress() { finish(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void update(int64_t doneTokens, double loss);
  /// Removes the bar, so that other output starts on an empty line.
  void finish();

  double seconds() const { return clock() - start; }

private:
  std::string label;
  int64_t total;
  std::FILE *out;
  bool terminal;
  double interval;
  std::function<double()> clock;
  double start, last;
  bool drawn = false;
};

/// "1:05", or "2:01:05" from an hour on.
std::string durationText(double seconds);

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_PROGRESS_H
