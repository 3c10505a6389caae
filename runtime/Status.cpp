// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Status.h"

#include <cstdint>

#include <fmt/format.h>

namespace geo::rt {

Status expects(std::string_view where, std::string_view what,
               std::string_view got) {
  return Status::error(
      fmt::format("{}: expects {}, but got {}", where, what, got));
}

/// Length of the UTF-8 sequence that starts at `text[at]`, 0 if malformed.
static size_t utf8Length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint8_t {
    return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0;
  };
  auto follows = [&](size_t i, uint8_t low = 0x80, uint8_t high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  uint8_t b = byte(0);
  if (b < 0x80)
    return 1;
  if (b >= 0xC2 && b <= 0xDF)
    return follows(1) ? 2 : 0;
  if (b >= 0xE0 && b <= 0xEF) {
    uint8_t low = b == 0xE0 ? 0xA0 : 0x80;
    uint8_t high = b == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (b >= 0xF0 && b <= 0xF4) {
    uint8_t low = b == 0xF0 ? 0x90 : 0x80;
    uint8_t high = b == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

size_t validUtf8Length(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    size_t length = utf8Length(text, i);
    if (!length)
      break;
    i += length;
  }
  return i;
}

std::string quote(std::string_view text) {
  constexpr size_t limit = 60;
  bool utf8 = isValidUtf8(text);
  std::string out = "'";
  for (size_t i = 0; i < text.size();) {
    if (out.size() >= limit) {
      out += "...";
      break;
    }
    size_t length = utf8 ? utf8Length(text, i) : 1;
    auto b = static_cast<uint8_t>(text[i]);
    if (length > 1 || (b >= 0x20 && b < 0x7F))
      out += text.substr(i, length);
    else
      out += fmt::format("\\x{:02x}", b);
    i += length;
  }
  return out + "'";
}

} // namespace geo::rt
