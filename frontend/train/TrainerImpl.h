// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Trainer.cpp and TrainerPrepare.cpp share.
#ifndef GEOC_FRONTEND_TRAIN_TRAINERIMPL_H
#define GEOC_FRONTEND_TRAIN_TRAINERIMPL_H

#include "frontend/train/Trainer.h"

#include <chrono>
#include <filesystem>

namespace geo {

/// Of a time limit, what is left for the last validation.
constexpr double validationShare = 0.05;

inline double secondsNow() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct Trainer::Impl {
  TrainOptions options;
  Checkpoint state;
  std::optional<data::Batches> train, valid;
  std::optional<Session> session;
  std::vector<std::string> metrics; ///< lines, one per finished epoch
  double start = secondsNow();
  rt::Tensor dropoutMask;

  std::string path(const char *name) const {
    return (std::filesystem::path(options.out) / name).string();
  }

  //===------------------------------------------------------------------===//
  // Preparation
  //===------------------------------------------------------------------===//

  rt::Status load();
  rt::Status resume();
  rt::Status readMetrics();
  rt::Status prepareFolder();

  //===------------------------------------------------------------------===//
  // Training
  //===------------------------------------------------------------------===//

  rt::Status begin();
  rt::Expected<EpochMetrics> epoch(const std::function<void(int64_t)> &updated);
  /// The updates of an epoch that are left.
  rt::Status updates(const std::function<void(int64_t)> &updated, double &lr);
  rt::Status saveEpoch(const EpochMetrics &m);
  rt::Status writeMetrics();
  void *makeDropout();
  /// How far the run is, from 0 to 1, in updates or in time.
  double progress() const;
  double timeUsed() const {
    return (secondsNow() - start) / (60 * options.maxMinutes);
  }
  bool outOfTime() const {
    return options.maxMinutes > 0 && timeUsed() >= 1 - validationShare;
  }
  bool finished() const;
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_TRAINERIMPL_H
