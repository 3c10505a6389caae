// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_TEST_FRONTEND_DATA_SMALLTEXT_H
#define GEOC_TEST_FRONTEND_DATA_SMALLTEXT_H

#include <cstdint>
#include <string>

/// A text of lines of 3 to 14 words out of 40 (<unk>, w1 .. w39) with some
/// structure between neighbours, from the MINSTD generator: the same anywhere.
class SmallText {
public:
  std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      int64_t length = 3 + below(12), word = below(40);
      for (int64_t k = 0; k < length; ++k) {
        text += k ? " " : "";
        text += word ? "w" + std::to_string(word) : "<unk>";
        word = below(3) ? (word * 3 + below(4)) % 40 : below(1 + below(40));
      }
      text += "\n";
    }
    return text;
  }

private:
  int64_t below(int64_t n) {
    state = state * 48271 % 2147483647;
    return state % n;
  }
  int64_t state = 12345;
};

#endif // GEOC_TEST_FRONTEND_DATA_SMALLTEXT_H
