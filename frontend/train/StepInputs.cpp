// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/StepInputs.h"

#include <algorithm>

using namespace geo;
using rt::DType;
using rt::Tensor;

/// Appends one padded step: a batch of single words has no step otherwise.
static void pad(data::Batch &batch) {
  auto grow = [&](Tensor &t) {
    Tensor grown(t.dtype(), {batch.steps + 1, batch.rows});
    std::copy_n(static_cast<const char *>(t.raw()), t.byteSize(),
                static_cast<char *>(grown.raw()));
    t = std::move(grown);
  };
  grow(batch.ids);
  grow(batch.targets);
  grow(batch.mask);
  ++batch.steps;
}

StepInputs::StepInputs(data::Batch made, data::Protocol protocol)
    : batch(std::move(made)), noStart(DType::F32, {batch.rows}) {
  if (batch.steps == 1)
    pad(batch);
  bool lines = protocol == data::Protocol::Lines;
  float *mask = batch.mask.data<float>();
  // A sequence's first word is always there, if not always scored.
  if (!lines)
    std::fill_n(mask, batch.rows, 1.0f);
  input.steps = batch.steps - 1;
  input.rows = batch.rows;
  input.ids = batch.ids.data<int32_t>();
  input.valid = mask;
  input.targets = batch.targets.data<int32_t>() + batch.rows;
  input.mask = mask + batch.rows;
  input.startTargets = batch.targets.data<int32_t>();
  input.startMask = lines ? mask : noStart.data<float>();
}
