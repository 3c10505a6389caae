// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Embeds a graph's nodes as points of a manifold; the model is tree.mlir.
#ifndef GEOC_EXAMPLES_TREE_TREE_H
#define GEOC_EXAMPLES_TREE_TREE_H

#include "examples/tree/Graph.h"

#include <cstdint>

namespace geo::examples {

struct TreeOptions {
  std::string model;                           ///< path of tree.mlir
  std::string manifold = "#geo.poincare<1.0>"; ///< as in MLIR
  std::string target = "cpu";                  ///< or "loops"
  int64_t dim = 2;
  /// `edges`: neighbours nearer than 10 sampled negatives. `distances`: those
  /// of the graph.
  std::string loss = "edges";
  int64_t epochs = 200, batch = 50;
  double lr = 0.3;
  /// edges: the first epochs, at a tenth of `lr`.
  int64_t burnIn = 20;
  /// distances: the length of an edge, which grows up to it: distances that are
  /// small against the curvature let the points find their order first. The
  /// rate is lr * length^2, and falls to 0.
  double unit = 1;
  int threads = 1; ///< steps are too small for more; 0: all
  uint64_t seed = 1;
};

struct TreeResult {
  rt::Tensor points; ///< [N, dim], f32
  Quality quality;
  double seconds = 0;
};

/// Errors: options out of range, a model that does not compile, a loss that is
/// not finite.
rt::Expected<TreeResult> embedTree(const Graph &graph,
                                   const TreeOptions &options);

} // namespace geo::examples

#endif // GEOC_EXAMPLES_TREE_TREE_H
