// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RiLM: recurrent language models that move a point and decode it by squared
// geodesic distance to the words' points. Source: F. Li, "RiLM:
// Parameter-Efficient Language Modeling via Geodesic Decoding", 2026.
#ifndef GEOC_FRONTEND_MODELS_RILM_H
#define GEOC_FRONTEND_MODELS_RILM_H

#include "frontend/models/Model.h"

namespace geo {

/// The built-in models:
///
///   phi(h, e) = tanh(Wh log0(h) + We log0(e) + b)
///   log p(w | h) = -d(h, E_w)^2 / tau - log sum_v exp(-d(h, E_v)^2 / tau)
class Rilm : public Model {
public:
  Rilm(GraphBuilder &graph, const RilmConfig &config);

  ManifoldInterface getManifold() const { return manifold; }

  llvm::SmallVector<Argument> parameterArguments() override;
  llvm::SmallVector<Argument> stepArguments() override;
  Values loss(mlir::ValueRange parameters, mlir::ValueRange batch) override;
  Values step(mlir::ValueRange parameters, mlir::ValueRange arguments) override;
  /// All points of a model are in one space.
  Space space(size_t, mlir::ValueRange parameters) override {
    return space(parameters);
  }
  Space space(mlir::ValueRange parameters);

private:
  mlir::Value tau(mlir::ValueRange parameters);
  mlir::Value inputTerm(const Space &space, mlir::Value words,
                        mlir::ValueRange parameters, mlir::Value dropout);
  Values cellShared(const Space &space, mlir::ValueRange parameters);
  Values cell(mlir::Value h, mlir::Value u, mlir::Value valid,
              mlir::ValueRange shared);

  ManifoldInterface manifold;
};

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_RILM_H
