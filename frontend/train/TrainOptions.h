// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_TRAINOPTIONS_H
#define GEOC_FRONTEND_TRAIN_TRAINOPTIONS_H

#include "frontend/data/Batches.h"
#include "frontend/train/Optimizer.h"

namespace geo {

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
  Schedule schedule;
  /// Its lr follows from below.
  OptimizerConfig optimizer;
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
  bool checkPoints = true; ///< see CompileOptions
  bool simtCheck = false;  ///< see DeviceOptions
  /// Megabytes, see BatchOptions; absent: no limit.
  std::optional<double> keepMegabytes;
  /// Checkpoints are written after each epoch and after so many updates; 0:
  /// after epochs only.
  int64_t checkpointEvery = 500;
  /// Ends after so many epochs without a better validation perplexity; 0:
  /// never.
  int64_t patience = 0;
  bool resume = false;
  /// Begin with tensors of another program's file, see loadInitial().
  std::string initialFile, initialMap;
  /// Replace the run in `out`.
  bool force = false;
  bool quiet = false;
};

/// Fills defaults by model, and checks everything that needs no file. Errors
/// name the flag.
rt::Status completeOptions(TrainOptions &options);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_TRAINOPTIONS_H
