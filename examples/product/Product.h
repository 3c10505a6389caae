// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains the language model of product.mlir on a manifold.
#ifndef GEOC_EXAMPLES_PRODUCT_PRODUCT_H
#define GEOC_EXAMPLES_PRODUCT_PRODUCT_H

#include "frontend/train/Trainer.h"

#include <string>
#include <vector>

namespace geo::examples {

struct ProductOptions {
  std::string model, corpus; ///< paths of product.mlir and of a text
  /// Folder of the checkpoints; what is there is replaced.
  std::string out;
  std::string manifold =
      "#geo.product<#geo.poincare<1.0> x 4, #geo.euclidean x 4>";
  std::string target = "cpu"; ///< or "loops"
  int64_t dim = 8;            ///< of the manifold
  int64_t epochs = 20;
  double lr = 0.01;
  int threads = 1; ///< 0: all
  uint64_t seed = 1;
};

/// The metrics of every epoch. Errors: options out of range, a model that does
/// not compile, files that cannot be read or written, a loss that is not
/// finite.
rt::Expected<std::vector<EpochMetrics>>
trainProduct(const ProductOptions &options);

} // namespace geo::examples

#endif // GEOC_EXAMPLES_PRODUCT_PRODUCT_H
