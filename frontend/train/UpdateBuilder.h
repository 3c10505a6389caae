// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One optimizer's update of one parameter, as geo IR.
#ifndef GEOC_FRONTEND_TRAIN_UPDATEBUILDER_H
#define GEOC_FRONTEND_TRAIN_UPDATEBUILDER_H

#include "frontend/graph/GraphBuilder.h"
#include "frontend/train/Optimizer.h"

namespace geo {

/// A parameter and its optimizer's state; m and v are null where the optimizer
/// has none.
struct OptimizedValue {
  mlir::Value parameter, m, v;
};

class UpdateBuilder {
public:
  /// `t` counts updates from 1, `lr` is the schedule's rate; gradients are
  /// multiplied by `gradientScale` first.
  UpdateBuilder(GraphBuilder &graph, const OptimizerConfig &config, Ex t, Ex lr,
                Ex gradientScale);

  /// The new value, and the new state, of what is not points.
  OptimizedValue update(const Parameter &parameter, const OptimizedValue &old,
                        mlir::Value gradient);
  /// The same for points of `space`. `bound` makes points of coordinates that
  /// may have left it.
  using Bound = llvm::function_ref<mlir::Value(mlir::Value coordinates)>;
  OptimizedValue updatePoints(const Parameter &parameter,
                              const OptimizedValue &old, mlir::Value gradient,
                              const Space &space, Bound bound);

  /// Vectors as one row, points as their coordinates.
  static mlir::Value asRows(GraphBuilder &graph, mlir::Value x);

private:
  Ex rate(const ResolvedSettings &settings) const;
  Ex decay(const ResolvedSettings &settings) const;
  mlir::Value tangentStep(const ResolvedSettings &settings,
                          const OptimizedValue &old, mlir::Value gradient,
                          const Space &space, OptimizedValue &now);
  mlir::Value origin(mlir::Value like, const Space &space);

  GraphBuilder &g;
  const OptimizerConfig &config;
  Ex lr, gradientScale;
  Ex firstScale;  ///< 1 / (1 - beta1^t)
  Ex secondScale; ///< 1 / (1 - beta2^t)
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_UPDATEBUILDER_H
