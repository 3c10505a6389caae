// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/tree/Graph.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <unordered_map>

using namespace geo;
using namespace geo::examples;

bool Graph::hasEdge(int32_t u, int32_t v) const {
  return std::binary_search(neighbours[size_t(u)].begin(),
                            neighbours[size_t(u)].end(), v);
}

std::vector<int> Graph::distancesFrom(int32_t u) const {
  std::vector<int> distance(size(), -1);
  std::vector<int32_t> queue{u};
  distance[size_t(u)] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int32_t v : neighbours[size_t(queue[i])])
      if (distance[size_t(v)] < 0) {
        distance[size_t(v)] = distance[size_t(queue[i])] + 1;
        queue.push_back(v);
      }
  return distance;
}

rt::Expected<Graph> Graph::read(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return rt::expects(path, "to be a readable file", "none");
  Graph graph;
  std::unordered_map<std::string, int32_t> ids;
  auto find = [&](const std::string &name) {
    auto [at, isNew] = ids.try_emplace(name, int32_t(graph.size()));
    if (isNew) {
      graph.names.push_back(name);
      graph.neighbours.emplace_back();
    }
    return at->second;
  };
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    if (line.empty())
      continue;
    size_t tab = line.find('\t');
    std::string a = line.substr(0, tab),
                b = tab == std::string::npos ? "" : line.substr(tab + 1);
    if (a.empty() || b.empty() || b.find('\t') != std::string::npos || a == b)
      return rt::expects(path + ":" + std::to_string(number),
                         "two nodes with a tab between", rt::quote(line));
    int32_t u = find(a), v = find(b);
    graph.neighbours[size_t(u)].push_back(v);
    graph.neighbours[size_t(v)].push_back(u);
  }
  for (std::vector<int32_t> &list : graph.neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  // The distances are a table.
  if (graph.size() < 3 || graph.size() > 20000)
    return rt::expects(path, "3 to 20000 nodes", std::to_string(graph.size()));
  std::vector<int> reach = graph.distancesFrom(0);
  auto lost = std::find(reach.begin(), reach.end(), -1);
  if (lost != reach.end())
    return rt::expects(
        path, "a path between all nodes",
        "none from " + rt::quote(graph.names[0]) + " to " +
            rt::quote(graph.names[size_t(lost - reach.begin())]));
  return graph;
}

Quality examples::measure(const Graph &graph, const rt::Tensor &distances) {
  size_t n = graph.size();
  Quality quality;
  double edges = 0, sum = 0, sumSquares = 0;
  std::vector<double> ratios;
  std::vector<int32_t> order(n);
  for (size_t u = 0; u < n; ++u) {
    const float *d = distances.data<float>() + u * n;
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + ptrdiff_t(u));
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return std::pair(d[size_t(a)], a) < std::pair(d[size_t(b)], b);
    });
    double found = 0, precision = 0;
    for (size_t i = 0; i < order.size(); ++i)
      if (graph.hasEdge(int32_t(u), order[i])) {
        quality.meanRank += double(i) - found + 1;
        precision += ++found / double(i + 1);
      }
    edges += found;
    quality.map += precision / found / double(n);
    order.resize(n);

    std::vector<int> steps = graph.distancesFrom(int32_t(u));
    for (size_t v = 0; v < n; ++v)
      if (v != u) {
        double ratio = double(d[v]) / steps[v];
        ratios.push_back(ratio);
        sum += ratio;
        sumSquares += ratio * ratio;
      }
  }
  quality.meanRank /= edges;
  double scale = sumSquares > 0 ? sum / sumSquares : 0;
  for (double ratio : ratios)
    quality.distortion += std::fabs(scale * ratio - 1) / double(ratios.size());
  return quality;
}
