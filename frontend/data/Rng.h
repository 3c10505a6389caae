// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_RNG_H
#define GEOC_FRONTEND_DATA_RNG_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace geo::data {

/// The generator behind initial values, shuffling and sampling: xoshiro256**
/// (Blackman and Vigna, 2018) seeded by splitmix64. Its sequences are part of
/// what a seed means, so nothing here depends on the standard library's
/// distributions, which differ between implementations.
class Rng {
public:
  /// `stream` gives independent sequences under one seed (an epoch, a
  /// parameter).
  explicit Rng(uint64_t seed, uint64_t stream = 0) {
    uint64_t mixer = seed;
    uint64_t key = splitmix(mixer) + stream;
    for (uint64_t &word : words)
      word = splitmix(key);
  }

  /// 64 random bits.
  uint64_t next() {
    uint64_t result = rotate(words[1] * 5, 7) * 9, shifted = words[1] << 17;
    words[2] ^= words[0];
    words[3] ^= words[1];
    words[1] ^= words[2];
    words[0] ^= words[3];
    words[2] ^= shifted;
    words[3] = rotate(words[3], 45);
    return result;
  }

  /// Uniform on the 2^53 multiples of 2^-53 in [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) {
    return low + (high - low) * uniform();
  }

  /// Uniform on 0 .. bound - 1, without bias (Lemire, 2019); bound > 0.
  uint64_t below(uint64_t bound) {
    // Of the 2^64 draws, the first (2^64 mod bound) low words are one too many.
    __extension__ using Wide = unsigned __int128;
    Wide product = Wide(next()) * bound;
    if (uint64_t(product) < bound)
      for (uint64_t excess = -bound % bound; uint64_t(product) < excess;)
        product = Wide(next()) * bound;
    return uint64_t(product >> 64);
  }

  /// Standard normal, by Marsaglia's polar method in double; every second call
  /// returns the spare of the one before.
  double normal() {
    if (spare) {
      double value = *spare;
      spare.reset();
      return value;
    }
    for (;;) {
      double u = 2 * uniform() - 1, v = 2 * uniform() - 1, s = u * u + v * v;
      if (s >= 1 || s == 0)
        continue;
      double scale = std::sqrt(-2 * std::log(s) / s);
      spare = v * scale;
      return u * scale;
    }
  }

  /// Fisher-Yates.
  template <typename Range> void shuffle(Range &range) {
    for (size_t i = range.size(); i > 1; --i)
      std::swap(range[i - 1], range[below(i)]);
  }

  /// The whole state as text (for checkpoints), and back; false, and no change,
  /// if `text` is no state.
  std::string save() const {
    char text[128];
    std::snprintf(text, sizeof(text), "%016llx%016llx%016llx%016llx:%a",
                  (unsigned long long)words[0], (unsigned long long)words[1],
                  (unsigned long long)words[2], (unsigned long long)words[3],
                  spare.value_or(std::nan("")));
    return text;
  }
  bool restore(const std::string &text) {
    unsigned long long w[4];
    double value;
    char rest;
    if (std::sscanf(text.c_str(), "%16llx%16llx%16llx%16llx:%la%c", &w[0],
                    &w[1], &w[2], &w[3], &value, &rest) != 5 ||
        !(w[0] | w[1] | w[2] | w[3]))
      return false;
    for (int i = 0; i < 4; ++i)
      words[i] = w[i];
    spare = std::isnan(value) ? std::nullopt : std::optional(value);
    return true;
  }

private:
  static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }
  static uint64_t splitmix(uint64_t &state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  uint64_t words[4];
  std::optional<double> spare;
};

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_RNG_H
