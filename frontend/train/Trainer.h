// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_TRAINER_H
#define GEOC_FRONTEND_TRAIN_TRAINER_H

#include "frontend/train/Checkpoint.h"
#include "frontend/train/TrainOptions.h"

#include <functional>

namespace geo {

/// Perplexity of one pass over a text.
struct Evaluation {
  double perplexity = 0;
  int64_t scoredTokens = 0;
  int64_t clippedStates = 0;
};
Evaluation evaluate(Session &session, ModelState &state,
                    const data::Batches &batches, data::Protocol protocol);

struct EpochMetrics {
  int64_t epoch = 0, updates = 0; ///< updates: of all epochs so far
  double trainPerplexity = 0, validPerplexity = 0;
  int64_t trainTokens = 0, scoredTokens = 0; ///< scored: in validation
  int64_t clippedRows = 0;        ///< rows of E and root projected, all updates
  int64_t clippedStates = 0;      ///< naive, training and validation
  double gradientNorm = 0;        ///< mean before clipping
  double lr = 0;                  ///< of the last update
  std::vector<double> curvatures; ///< as they are now; none if flat
  double tau = 0, seconds = 0;
};
/// One line of JSON.
std::string toJson(const EpochMetrics &metrics);

/// A training run. What can be wrong with the input shows in prepare(), before
/// anything is written.
class Trainer {
public:
  static rt::Expected<Trainer> prepare(TrainOptions options);
  Trainer(Trainer &&) noexcept;
  ~Trainer();

  /// Trains to the end; `report` is called after each epoch, whose checkpoint
  /// is on disk by then, `updated` after each update, with the number of all so
  /// far. A run that was killed at any moment continues from the last
  /// checkpoint, and ends with the same bits. Errors: a loss that is not finite
  /// (the last good checkpoint stays), a write that fails.
  rt::Status run(const std::function<void(const EpochMetrics &)> &report,
                 const std::function<void(int64_t)> &updated = {});

  /// The line of the last finished epoch; empty before the first.
  std::string lastMetrics() const;

  const Checkpoint &checkpoint() const;
  int64_t numParameters() const;
  std::string lastPath() const;
  std::string bestPath() const;

private:
  struct Impl; // TrainerImpl.h
  explicit Trainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_TRAINER_H
