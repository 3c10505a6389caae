// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/WordReader.h"

#include <algorithm>
#include <cmath>

using namespace geo;
using rt::DType;
using rt::Tensor;

WordReader::WordReader(Session &session, ModelState &state)
    : session(session), state(state),
      states(initialStates(session.getConfig(), state)), id(DType::I32, {1}),
      valid(DType::F32, {1}),
      logProbabilities(storageType(session.getConfig()),
                       {1, session.getConfig().vocabulary}) {
  session.generate(state, states, id, valid, logProbabilities);
}

void WordReader::read(int32_t word) {
  *id.data<int32_t>() = word;
  *valid.data<float>() = 1;
  session.generate(state, states, id, valid, logProbabilities);
}

bool WordReader::isFinite() const {
  for (int64_t i = 0; i < size(); ++i)
    if (!std::isfinite(next(i)))
      return false;
  return true;
}

int32_t WordReader::sample(double temperature, int32_t excluded,
                           data::Rng &random) {
  int64_t best = excluded == 0 ? 1 : 0;
  for (int64_t i = 0; i < size(); ++i)
    if (i != excluded && next(i) > next(best))
      best = i;
  if (temperature == 0)
    return int32_t(best);
  sums.resize(size_t(size()));
  double total = 0;
  for (int64_t i = 0; i < size(); ++i) {
    if (i != excluded)
      total += std::exp((next(i) - next(best)) / temperature);
    sums[size_t(i)] = total;
  }
  double drawn = random.uniform() * total;
  auto at = std::upper_bound(sums.begin(), sums.end(), drawn);
  return int32_t(std::min<int64_t>(at - sums.begin(), size() - 1));
}
