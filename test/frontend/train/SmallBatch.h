// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_TEST_FRONTEND_TRAIN_SMALLBATCH_H
#define GEOC_TEST_FRONTEND_TRAIN_SMALLBATCH_H

#include "frontend/train/Session.h"
#include <vector>

namespace geo {

/// A small batch: 3 sequences of 4 words and one of 2.
struct SmallBatch {
  std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 3, 0};
  std::vector<float> mask{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0};

  StepInput get() {
    StepInput in;
    in.steps = 3;
    in.rows = 3;
    in.ids = tokens.data();
    in.valid = mask.data();
    in.targets = tokens.data() + 3;
    in.mask = mask.data() + 3;
    in.startTargets = tokens.data();
    in.startMask = mask.data();
    return in;
  }
};

} // namespace geo

#endif // GEOC_TEST_FRONTEND_TRAIN_SMALLBATCH_H
