// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_CHECKPOINT_H
#define GEOC_FRONTEND_TRAIN_CHECKPOINT_H

#include "frontend/data/Batches.h"
#include "frontend/train/Session.h"

#include <limits>

namespace geo {

/// How far the epoch after the finished ones is, and the sums that its metrics
/// are made of.
struct EpochProgress {
  int64_t batches = 0;
  double loss = 0, scored = 0, gradientNorms = 0;
  int64_t clippedRows = 0, clippedStates = 0;
};

/// A model with all that continues its training, as a safetensors file.
///
/// Tensors: E [V, d], root [d], W [d, 2d] (state half first), b [d], s []
/// (hyp), c [] (or c0, c1, ...; by softplus) and log_tau [] where learnt; the
/// optimizer's state of each as m.NAME and v.NAME, see Slot. Numbers are F64,
/// all else is as dtype says. Metadata (strings): model, dtype, curvature or
/// manifold, tau, vocabulary (JSON list, index = row of E), optimizer (JSON;
/// without, Adam with its defaults), dim, protocol, context, truncate, epoch,
/// updates, ..., progress (a JSON object: where in an epoch the run is).
struct Checkpoint {
  RilmConfig config;
  OptimizerConfig optimizer;
  data::Vocabulary vocabulary;
  data::Protocol protocol = data::Protocol::Lines;
  int64_t context = 64;
  int64_t epoch = 0; ///< finished ones
  double validPerplexity = std::numeric_limits<double>::quiet_NaN();
  double bestPerplexity = std::numeric_limits<double>::infinity();
  /// Finished epochs since the best one.
  int64_t epochsSinceBest = 0;
  EpochProgress progress;
  /// The options of the training run, one line of JSON.
  std::string training;
  ModelState state;
};

/// Curvature and temperature as they are now, learnt or not.
std::vector<double> currentCurvatures(const RilmConfig &config,
                                      const ModelState &state);
double currentTau(const RilmConfig &config, const ModelState &state);

rt::Status writeCheckpoint(const std::string &path,
                           const Checkpoint &checkpoint);

/// Checks everything: metadata, presence, types and shapes of tensors against
/// each other, finite values, points inside their ball.
rt::Expected<Checkpoint> readCheckpoint(const std::string &path);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_CHECKPOINT_H
