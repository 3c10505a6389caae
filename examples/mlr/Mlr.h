// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learns 13 classes that lie like the nodes of a tree; the model is mlr.mlir.
#ifndef GEOC_EXAMPLES_MLR_MLR_H
#define GEOC_EXAMPLES_MLR_MLR_H

#include "examples/support/Program.h"

#include <cstdint>

namespace geo::examples {

struct MlrOptions {
  std::string model;          ///< path of mlr.mlir
  std::string space = "ball"; ///< or "hyperboloid" or "flat"
  std::string target = "cpu"; ///< or "loops"
  int64_t dim = 2;
  int64_t samples = 100; ///< of each class, for training and as many to test
  /// Distance of a class centre from its parent's, and deviation around it.
  double edge = 2.5, deviation = 1.5;
  int64_t epochs = 150, batch = 65;
  double lr = 0.5; ///< falls to 0
  int threads = 1; ///< 0: all
  uint64_t seed = 1;
};

struct MlrResult {
  double loss = 0; ///< mean of the last epoch
  /// Of the training set and the test set, and of the test set by the nearest
  /// of the centres that the data were drawn around.
  double trainAccuracy = 0, testAccuracy = 0, nearestAccuracy = 0;
  double seconds = 0;
  /// Of the test set: [N, 13] of f32 by the pair program, [N * 13] of f64 by
  /// geo.plane_dist.
  rt::Tensor logits, logitsByName;
};

constexpr int64_t mlrClasses = 13;

/// Errors: options out of range, a model that does not compile, a loss that is
/// not finite.
rt::Expected<MlrResult> learnClasses(const MlrOptions &options);

} // namespace geo::examples

#endif // GEOC_EXAMPLES_MLR_MLR_H
