// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What training, evaluation and generation ask of a model.
#ifndef GEOC_FRONTEND_MODELS_MODEL_H
#define GEOC_FRONTEND_MODELS_MODEL_H

#include "frontend/graph/GraphBuilder.h"
#include "frontend/models/RilmConfig.h"

namespace geo {

/// Of the radius of a bounded manifold, what points are kept within.
constexpr double pointFraction = 0.999;

/// Builds the functions of a model. Word t moves the states t to the states
/// t + 1; states t are decoded against word t.
/// The value of a stored number, see Positive.
Ex valueOf(Positive map, Ex stored);

class Model {
public:
  virtual ~Model() = default;
  /// The model that `config` names; null after an error was reported (in a
  /// model file).
  static std::unique_ptr<Model> create(GraphBuilder &graph,
                                       const RilmConfig &config);

  const RilmConfig &getConfig() const { return config; }
  llvm::ArrayRef<Parameter> getParameterList() const { return list; }

  virtual llvm::SmallVector<Argument> parameterArguments() = 0;
  /// T steps of B sequences: ids [T, B] move the state where valid [T, B] is
  /// not 0; the state after step t is scored against targets [T, B] where mask
  /// [T, B] is not 0, the root against start_targets [B] where start_mask [B]
  /// is not 0. With dropout also a mask [V, d].
  llvm::SmallVector<Argument> batchArguments();
  /// Of one text: states [1, d] as coordinates, ids [1], valid [1].
  virtual llvm::SmallVector<Argument> stepArguments() = 0;

  /// Mean negative log-likelihood of the scored words (0 if there is none),
  /// their number, and how many states were clipped; all f64.
  virtual Values loss(mlir::ValueRange parameters, mlir::ValueRange batch) = 0;
  /// The states [B, d] after one word, and the log-probabilities [B, V] of the
  /// next.
  virtual Values step(mlir::ValueRange parameters,
                      mlir::ValueRange arguments) = 0;

  /// The space of the rows of parameter `index` in the current region;
  /// curvatures come out of `parameters`.
  virtual Space space(size_t index, mlir::ValueRange parameters) = 0;

protected:
  Model(GraphBuilder &graph, const RilmConfig &config)
      : g(graph), config(config), list(getParameters(config)) {}

  /// The value of the parameter `name`, or null.
  mlir::Value parameter(mlir::ValueRange parameters, llvm::StringRef name);
  /// One parameter row [1, d] for each element of `like` [B].
  mlir::Value repeatRow(mlir::Value row, mlir::Value like);
  /// Rows of `next` where `valid` is not 0, else of `h`; plain.
  mlir::Value keepWhereValid(mlir::Value next, mlir::Value h,
                             mlir::Value valid);
  /// The sum of `nll` [R] where `scored` is not 0, and the number of those.
  Values sumScored(mlir::Value nll, mlir::Value scored);

  GraphBuilder &g;
  RilmConfig config;
  std::vector<Parameter> list;
};

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_MODEL_H
