// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled functions of a model: one training step, evaluation, one step
// of generation.
#ifndef GEOC_FRONTEND_TRAIN_STEPBUILDER_H
#define GEOC_FRONTEND_TRAIN_STEPBUILDER_H

#include "frontend/models/Model.h"
#include "frontend/train/Optimizer.h"

namespace geo {

/// What a GraphBuilder of the model stores.
mlir::FloatType storageType(mlir::ModuleOp module, const RilmConfig &config);

/// Appends @loss (private) and
/// @train_step(parameters, slots, t: f64, lr: f64, clip: f64, batch)
///   -> (loss, scored, clipped states, gradient norm, clipped points: f64,
///       trained parameters, slots)
/// with the slots of getSlots() and the parameters of getTrained(). The
/// gradient is scaled down to the norm `clip` over all trained parameters (0:
/// not at all); t counts from 1; points leave the update by projection.
void buildTrainStep(GraphBuilder &graph, Model &model,
                    const OptimizerConfig &optimizer = {});

/// Appends @eval_step(parameters, batch) -> (loss, scored, clipped states).
void buildEvalStep(GraphBuilder &graph, Model &model);

/// Appends @tested_loss (private) and @gradient(parameters, batch) -> (loss,
/// scored, clipped states, gradients of all parameters), for tests.
void buildGradient(GraphBuilder &graph, Model &model);

/// Appends @generate_step(parameters, states [B, d], ids [B], valid [B])
///   -> (states [B, d], log-probabilities [B, V]).
void buildGenerateStep(GraphBuilder &graph, Model &model);

/// Appends @project_points(parameters) -> parameters, with initial points put
/// onto their manifold, as after an update.
void buildProjection(GraphBuilder &graph, Model &model);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_STEPBUILDER_H
