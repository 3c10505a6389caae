// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_STEPINPUTS_H
#define GEOC_FRONTEND_TRAIN_STEPINPUTS_H

#include "frontend/data/Batches.h"
#include "frontend/train/Session.h"

namespace geo {

/// A batch as the compiled functions take it: word t moves the state, which is
/// then scored against word t + 1. In lines the root is scored against word 0.
class StepInputs {
public:
  StepInputs(data::Batch batch, data::Protocol protocol);
  /// Points into this object.
  const StepInput &get() const { return input; }

private:
  data::Batch batch;
  rt::Tensor noStart;
  StepInput input;
};

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_STEPINPUTS_H
