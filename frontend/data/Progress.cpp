// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

namespace geo::data {

static double steadySeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

std::string durationText(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9))
    return "-";
  auto whole = int64_t(std::llround(seconds));
  int64_t hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
  return hours ? fmt::format("{}:{:02}:{:02}", hours, minutes, rest)
               : fmt::format("{}:{:02}", minutes, rest);
}

Progress::Progress(std::string label, int64_t totalTokens,
                   const Options &options)
    : label(std::move(label)), total(std::max<int64_t>(1, totalTokens)),
      out(options.out), terminal(options.terminal == Options::Terminal::Yes),
      clock(options.clock ? options.clock : steadySeconds) {
  if (options.terminal == Options::Terminal::Ask)
    terminal = isatty(fileno(out));
  interval = terminal ? options.barSeconds : options.lineSeconds;
  start = last = clock();
}

void Progress::update(int64_t doneTokens, double loss) {
  double now = clock();
  if (now - last < interval)
    return;
  last = now;
  double done = std::clamp(double(doneTokens) / double(total), 0.0, 1.0);
  double elapsed = now - start;
  double left = done > 0 ? elapsed * (1 - done) / done : NAN;
  std::string text =
      fmt::format("{:3.0f}%  {:.0f} tokens/s  loss {:.4f}  ETA {}", 100 * done,
                  elapsed > 0 ? double(doneTokens) / elapsed : 0.0, loss,
                  durationText(left));
  if (terminal) {
    constexpr int width = 24;
    int full = int(done * width);
    // To the line's start, and what is left of a longer bar cleared.
    fmt::print(out, "\r{} [{}{}] {}\x1b[K", label, std::string(full, '#'),
               std::string(width - full, '.'), text);
    drawn = true;
  } else {
    fmt::print(out, "{} {}\n", label, text);
  }
  std::fflush(out);
}

void Progress::finish() {
  if (!drawn)
    return;
  fmt::print(out, "\r\x1b[K");
  std::fflush(out);
  drawn = false;
}

} // namespace geo::data
