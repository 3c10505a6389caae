// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_WORDREADER_H
#define GEOC_FRONTEND_TRAIN_WORDREADER_H

#include "frontend/data/Rng.h"
#include "frontend/train/Session.h"

namespace geo {

/// A model that reads words one at a time, and says what may come next.
class WordReader {
public:
  /// Reads no word yet: what comes next is the start state's own prediction.
  /// `session` must be able to generate; it and `state` must outlive this.
  WordReader(Session &session, ModelState &state);

  void read(int32_t word);
  /// Log-probability of a word as the next.
  double next(int64_t word) const { return logProbabilities.number(word); }
  bool isFinite() const;
  /// Number of words.
  int64_t size() const { return logProbabilities.numElements(); }

  /// Draws a word from softmax(log-probabilities / temperature), the first of
  /// the most probable ones at temperature 0; `excluded` (or -1) is never
  /// drawn.
  int32_t sample(double temperature, int32_t excluded, data::Rng &random);

private:
  Session &session;
  ModelState &state;
  std::vector<rt::Tensor> prepared, states;
  rt::Tensor id, valid, logProbabilities;
  std::vector<double> sums;
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_WORDREADER_H
