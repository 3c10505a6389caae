// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Learns to answer with the value whose key has the label asked for; the model
// is attention.mlir.
#ifndef GEOC_EXAMPLES_ATTENTION_ATTENTION_H
#define GEOC_EXAMPLES_ATTENTION_ATTENTION_H

#include "examples/support/Program.h"

#include <cstdint>

namespace geo::examples {

struct AttentionOptions {
  std::string model;          ///< path of attention.mlir
  std::string space = "ball"; ///< or "hyperboloid" or "flat"
  std::string target = "cpu"; ///< or "loops"
  int64_t dim = 4;
  int64_t steps = 2000; ///< a new sequence each
  double lr = 1;        ///< falls to 0
  int threads = 1;      ///< 0: all
  uint64_t seed = 1;
};

struct AttentionResult {
  double loss = 0;     ///< mean of the last 100 steps
  double accuracy = 0; ///< on new sequences
  double beta = 0, tau = 0;
  double seconds = 0;
};

/// Errors: options out of range, a model that does not compile, a loss that is
/// not finite.
rt::Expected<AttentionResult> learnToAttend(const AttentionOptions &options);

} // namespace geo::examples

#endif // GEOC_EXAMPLES_ATTENTION_ATTENTION_H
