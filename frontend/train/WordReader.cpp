// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/WordReader.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace geo;
using rt::DType;

WordReader::WordReader(Session &session, ModelState &state)
    : session(session), state(state),
      prepared(session.prepareGeneration(state)),
      states(initialStates(session.getConfig(), state)), id(DType::I32, {1}),
      valid(DType::F32, {1}),
      logProbabilities(storageType(session.getConfig()),
                       {1, session.getConfig().vocabulary}) {
  session.generate(state, prepared, states, id, valid, logProbabilities);
}

void WordReader::read(int32_t word) {
  *id.data<int32_t>() = word;
  *valid.data<float>() = 1;
  session.generate(state, prepared, states, id, valid, logProbabilities);
}

bool WordReader::isFinite() const {
  for (int64_t i = 0; i < size(); ++i)
    if (!std::isfinite(next(i)))
      return false;
  return true;
}

/// The largest of x[first, last), by chains that overlap; -infinity if none.
template <class T>
static T findLargest(const T *x, int64_t first, int64_t last) {
  constexpr int64_t chains = 32;
  T largest[chains];
  std::fill_n(largest, chains, -std::numeric_limits<T>::infinity());
  for (; first + chains <= last; first += chains)
    for (int64_t c = 0; c < chains; ++c)
      largest[c] = std::max(largest[c], x[first + c]);
  for (; first < last; ++first)
    largest[0] = std::max(largest[0], x[first]);
  return *std::max_element(largest, largest + chains);
}

template <class T>
static int32_t draw(const T *x, int64_t size, double temperature,
                    int64_t excluded, data::Rng &random,
                    std::vector<double> &sums) {
  int64_t split = excluded < 0 ? size : excluded;
  T best = std::max(findLargest(x, 0, split),
                    findLargest(x, std::min(split + 1, size), size));
  if (temperature == 0) {
    for (int64_t i = 0; i < size; ++i)
      if (i != excluded && x[i] == best)
        return int32_t(i);
    return excluded == 0 ? 1 : 0;
  }
  // Beside the 1 of the best, no draw of 53 bits sees less than e^-60.
  constexpr double least = -60;
  sums.resize(size_t(size));
  double total = 0;
  for (int64_t i = 0; i < size; ++i) {
    double exponent = (double(x[i]) - double(best)) / temperature;
    if (i != excluded && exponent > least)
      total += std::exp(exponent);
    sums[size_t(i)] = total;
  }
  double drawn = random.uniform() * total;
  auto at = std::upper_bound(sums.begin(), sums.end(), drawn);
  return int32_t(std::min<int64_t>(at - sums.begin(), size - 1));
}

int32_t WordReader::sample(double temperature, int32_t excluded,
                           data::Rng &random) {
  auto drawFrom = [&](const auto *x) {
    return draw(x, size(), temperature, excluded, random, sums);
  };
  return logProbabilities.dtype() == DType::F64
             ? drawFrom(logProbabilities.data<double>())
             : drawFrom(logProbabilities.data<float>());
}
