// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_TRAINER_H
#define GEOC_FRONTEND_TRAIN_TRAINER_H

#include "frontend/train/Checkpoint.h"

#include <functional>

namespace geo {

enum class Schedule { constant, cosine };

struct TrainOptions {
  /// A text, or word numbers (see data::loadIds()), not both.
  std::string corpus, ids, targets;
  std::string out;
  /// vocabulary, truncate, dropout and scoreRoot follow from below.
  RilmConfig config;
  /// Absent: 2,000 words of a text, or what the ids ask for.
  std::optional<int64_t> vocabulary;
  /// By default windows with ids, else lines.
  std::optional<data::Protocol> askedProtocol;
  data::Protocol protocol = data::Protocol::Lines;
  int64_t context = 64, batch = 64, epochs = 10;
  uint64_t seed = 42;
  Schedule schedule = Schedule::cosine;
  double clip = 1; ///< of the global gradient norm; 0: off
  /// Where absent, the model's default; see completeOptions().
  std::optional<double> lr, embeddingStd, weightScale;
  std::optional<int64_t> truncate;
  double dropout = 0;
  /// Ends after this time at the latest, and lets the schedule end with it; 0:
  /// no limit. Such runs do not repeat bit for bit.
  double maxMinutes = 0;
  std::string target = "cpu";
  std::string cacheDirectory;
  bool resume = false;
  /// Replace the run in `out`.
  bool force = false;
  bool quiet = false;
};

/// Fills defaults by model, and checks everything that needs no file. Errors
/// name the flag.
rt::Status completeOptions(TrainOptions &options);

/// Perplexity of one pass over a text.
struct Evaluation {
  double perplexity = 0;
  int64_t scoredTokens = 0;
  int64_t clippedStates = 0;
};
Evaluation evaluate(Session &session, ModelState &state,
                    const data::Batches &batches, data::Protocol protocol);

struct EpochMetrics {
  int64_t epoch = 0, updates = 0;
  double trainPerplexity = 0, validPerplexity = 0;
  int64_t trainTokens = 0, scoredTokens = 0; ///< scored: in validation
  int64_t clippedRows = 0;   ///< rows of E and root projected, all updates
  int64_t clippedStates = 0; ///< naive, training and validation
  double gradientNorm = 0;   ///< mean before clipping
  double lr = 0;             ///< of the last update
  double curvature = 0, tau = 0, seconds = 0;
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
  /// is on disk by then. Errors: a loss that is not finite (the last good
  /// checkpoint stays), a write that fails.
  rt::Status run(const std::function<void(const EpochMetrics &)> &report);

  const Checkpoint &checkpoint() const;
  int64_t numParameters() const;
  std::string lastPath() const;
  std::string bestPath() const;

private:
  struct Impl;
  explicit Trainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_TRAINER_H
