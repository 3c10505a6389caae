// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RiLM: recurrent language models that move a point and decode it by squared
// geodesic distance to the words' points. Source: F. Li, "RiLM:
// Parameter-Efficient Language Modeling via Geodesic Decoding", 2026.
#ifndef GEOC_FRONTEND_MODELS_RILM_H
#define GEOC_FRONTEND_MODELS_RILM_H

#include "frontend/graph/GraphBuilder.h"
#include "frontend/models/RilmConfig.h"

namespace geo {

/// Builds the functions of a model. Word t moves state t to state t + 1; state
/// t is decoded against word t:
///
///   phi(h, e) = tanh(Wh log0(h) + We log0(e) + b)
///   log p(w | h) = -d(h, E_w)^2 / tau - log sum_v exp(-d(h, E_v)^2 / tau)
class Rilm {
public:
  Rilm(GraphBuilder &graph, const RilmConfig &config);

  /// The fraction of the ball's radius that points are kept within.
  static constexpr double ballFraction = 0.999;

  ManifoldInterface getManifold() const { return manifold; }
  const RilmConfig &getConfig() const { return config; }

  llvm::SmallVector<Argument> parameterArguments();
  /// T steps of B sequences: ids [T, B] move the state where valid [T, B] is
  /// not 0; the state after step t is scored against targets [T, B] where mask
  /// [T, B] is not 0, the root against start_targets [B] where start_mask [B]
  /// is not 0. With dropout also a mask [V, d].
  llvm::SmallVector<Argument> batchArguments();
  /// state [B, d] as coordinates, ids [B], valid [B].
  llvm::SmallVector<Argument> stepArguments();

  /// Mean negative log-likelihood of the scored words (0 if there is none),
  /// their number, and how many states were clipped; all f64.
  Values loss(mlir::ValueRange parameters, mlir::ValueRange batch);
  /// The state [B, d] after one word, and the log-probabilities [B, V] of the
  /// next.
  Values step(mlir::ValueRange parameters, mlir::ValueRange arguments);

  /// The space of the model's points in the current region; curvature and
  /// temperature come out of `parameters`.
  Space space(mlir::ValueRange parameters);

private:
  mlir::Value parameter(mlir::ValueRange parameters, llvm::StringRef name);
  mlir::Value tau(mlir::ValueRange parameters);
  mlir::Value inputTerm(const Space &space, mlir::Value words,
                        mlir::ValueRange parameters, mlir::Value dropout);
  Values cellShared(const Space &space, mlir::ValueRange parameters);
  Values cell(mlir::Value h, mlir::Value u, mlir::Value valid,
              mlir::ValueRange shared);

  GraphBuilder &g;
  RilmConfig config;
  ManifoldInterface manifold;
  std::vector<Parameter> list;
};

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_RILM_H
