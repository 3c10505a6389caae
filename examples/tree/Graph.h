// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A connected graph, and how well points in some space tell of it.
#ifndef GEOC_EXAMPLES_TREE_GRAPH_H
#define GEOC_EXAMPLES_TREE_GRAPH_H

#include "runtime/Tensor.h"

#include <string>
#include <vector>

namespace geo::examples {

struct Graph {
  std::vector<std::string> names;
  std::vector<std::vector<int32_t>> neighbours; ///< sorted

  size_t size() const { return names.size(); }
  bool hasEdge(int32_t u, int32_t v) const;
  /// The number of edges from `u` to every node.
  std::vector<int> distancesFrom(int32_t u) const;

  /// Reads lines "NODE<TAB>NODE", one an edge. Errors: no such file, a line of
  /// another form, fewer than 3 nodes, nodes that no path connects.
  static rt::Expected<Graph> read(const std::string &path);
};

struct Quality {
  /// Of v among the nodes that have no edge to u, by distance from u, over all
  /// edges (u, v) in both directions; 1 is best.
  double meanRank = 0;
  /// Mean average precision: over nodes u, the mean over its neighbours v of
  /// the part of neighbours among the nodes up to v. 1 is best.
  double map = 0;
  /// Mean of |s d(u, v) / g(u, v) - 1| over pairs, g being the graph's distance
  /// and s the scale that is best in the mean square; 0 is best.
  double distortion = 0;
};

/// `distances` [N, N] of f32, between points of the nodes.
Quality measure(const Graph &graph, const rt::Tensor &distances);

} // namespace geo::examples

#endif // GEOC_EXAMPLES_TREE_GRAPH_H
