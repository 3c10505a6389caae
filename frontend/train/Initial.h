// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_INITIAL_H
#define GEOC_FRONTEND_TRAIN_INITIAL_H

#include "frontend/train/Session.h"

namespace geo {

struct InitialOptions {
  uint64_t seed = 42;
  /// Standard deviation of each coordinate of E and root.
  double embeddingStd = 0.1;
  /// W and b are uniform within weightScale / sqrt(2 d).
  double weightScale = 1.0;
};

/// Random parameters (s = 1 / sqrt(d)), the optimizer's state zero. Points of
/// the ball start within its 0.999.
ModelState makeInitialState(const RilmConfig &config,
                            const InitialOptions &options,
                            const OptimizerConfig &optimizer = {});

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_INITIAL_H
