// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/tree/Tree.h"
#include "examples/support/Program.h"
#include "frontend/data/Rng.h"
#include "runtime/Threads.h"

#include <chrono>
#include <cmath>

using namespace geo;
using namespace geo::examples;
using rt::DType;
using rt::Tensor;

namespace {

/// Per edge; also the 10 of tree.mlir.
constexpr int64_t negatives = 10;
/// distances: pairs for every node and epoch.
constexpr int64_t pairsPerNode = 20;

using Pair = std::pair<int32_t, int32_t>;

Tensor ids(int64_t size) { return Tensor(DType::I32, {size}); }

class Training {
public:
  Training(const Graph &graph, const TreeOptions &options,
           const Program &program)
      : graph(graph), options(options), program(program), random(options.seed) {
    std::vector<int64_t> shape{int64_t(graph.size()), options.dim};
    Tensor noise(DType::F32, shape);
    for (int64_t i = 0; i < noise.numElements(); ++i)
      noise.data<float>()[i] = float(1e-2 * random.normal());
    points = Tensor(DType::F32, shape);
    next = Tensor(DType::F32, shape);
    program.call("initial", noise, points);
    for (size_t u = 0; u < graph.size(); ++u)
      // A node that has an edge to all others has no negatives.
      if (graph.neighbours[u].size() + 1 < graph.size())
        for (int32_t v : graph.neighbours[u])
          edges.emplace_back(int32_t(u), v);
  }

  /// Once over all edges; the mean loss.
  double edgeEpoch(double lr) {
    random.shuffle(edges);
    return epoch(edges, options.batch, [&](const Pair *pair, int64_t count) {
      return edgeStep(pair, count, lr);
    });
  }

  /// Over random pairs, an edge being `unit` long; the mean loss.
  double distanceEpoch(double lr, double unit) {
    for (size_t u = steps.size(); u < graph.size(); ++u)
      steps.push_back(graph.distancesFrom(int32_t(u)));
    std::vector<Pair> pairs;
    for (int64_t i = 0; i < pairsPerNode * int64_t(graph.size()); ++i) {
      int32_t u = draw(), v = draw();
      while (v == u)
        v = draw();
      pairs.emplace_back(u, v);
    }
    return epoch(pairs, options.batch, [&](const Pair *pair, int64_t count) {
      return distanceStep(pair, count, lr, unit);
    });
  }

  Quality measureNow() {
    int64_t n = int64_t(graph.size());
    Tensor distances(DType::F32, {n, n});
    program.call("distances", points, distances);
    return measure(graph, distances);
  }

  Tensor takePoints() { return std::move(points); }

private:
  int32_t draw() { return int32_t(random.below(graph.size())); }

  template <typename StepFn>
  double epoch(const std::vector<Pair> &pairs, int64_t batch, StepFn step) {
    double sum = 0;
    for (size_t i = 0; i < pairs.size(); i += size_t(batch)) {
      sum += step(&pairs[i], std::min(batch, int64_t(pairs.size() - i)));
      std::swap(points, next);
    }
    return sum / double(pairs.size());
  }

  double edgeStep(const Pair *pair, int64_t count, double lr) {
    Tensor u = ids(count), v = ids(count), uw = ids(count * negatives),
           w = ids(count * negatives);
    for (int64_t i = 0; i < count; ++i) {
      auto [from, to] = pair[i];
      u.data<int32_t>()[i] = from;
      v.data<int32_t>()[i] = to;
      for (int64_t j = i * negatives; j < (i + 1) * negatives; ++j) {
        int32_t other = draw();
        while (other == from || graph.hasEdge(from, other))
          other = draw();
        uw.data<int32_t>()[j] = from;
        w.data<int32_t>()[j] = other;
      }
    }
    double loss = 0;
    program.call("edge_step", points, lr, u, v, uw, w, loss, next);
    return loss;
  }

  double distanceStep(const Pair *pair, int64_t count, double lr, double unit) {
    Tensor u = ids(count), v = ids(count), targets(DType::F64, {count});
    for (int64_t i = 0; i < count; ++i) {
      auto [from, to] = pair[i];
      u.data<int32_t>()[i] = from;
      v.data<int32_t>()[i] = to;
      targets.data<double>()[i] = unit * steps[size_t(from)][size_t(to)];
    }
    double loss = 0;
    program.call("distance_step", points, lr, u, v, targets, loss, next);
    return loss;
  }

  const Graph &graph;
  const TreeOptions &options;
  const Program &program;
  data::Rng random;
  std::vector<std::vector<int>> steps;
  std::vector<Pair> edges; // both directions
  Tensor points, next;
};

} // namespace

static rt::Status check(const TreeOptions &o) {
  struct Size {
    const char *flag;
    int64_t value, least, most;
  };
  for (Size s :
       {Size{"--dim", o.dim, 1, 4096}, Size{"--epochs", o.epochs, 0, 1 << 20},
        Size{"--burn-in", o.burnIn, 0, 1 << 20},
        Size{"--batch", o.batch, 1, 1 << 20},
        Size{"--threads", o.threads, 0, 4096}})
    if (s.value < s.least || s.value > s.most)
      return rt::expects(
          s.flag, std::to_string(s.least) + " to " + std::to_string(s.most),
          std::to_string(s.value));
  for (auto [flag, value] : {std::pair("--lr", o.lr), {"--unit", o.unit}})
    if (!(value > 0) || !std::isfinite(value))
      return rt::expects(flag, "a positive number", std::to_string(value));
  if (o.loss != "edges" && o.loss != "distances")
    return rt::expects("--loss", "edges or distances", rt::quote(o.loss));
  return {};
}

/// The first epochs find the order of the nodes; large steps would take them
/// far out, where they hardly turn any more, before it is good.
static double edgeRate(const TreeOptions &o, int64_t epoch) {
  return epoch < o.burnIn ? o.lr / 10 : o.lr;
}

static double lengthOfEdge(const TreeOptions &o, int64_t epoch) {
  return o.unit *
         std::min(1.0, 0.05 + double(epoch) / (0.7 * double(o.epochs)));
}

static double distanceRate(const TreeOptions &o, int64_t epoch) {
  double length = lengthOfEdge(o, epoch);
  return o.lr * length * length * double(o.epochs - epoch) / double(o.epochs);
}

rt::Expected<TreeResult> examples::embedTree(const Graph &graph,
                                             const TreeOptions &options) {
  if (rt::Status status = check(options); !status)
    return status;
  std::string shape = "tensor<?x" + std::to_string(options.dim) + "xf32";
  auto program = Program::load(options.model,
                               {{"#space", options.manifold},
                                {"!nodes", shape + ", #space>"},
                                {"!rows", shape + ">"}},
                               options.target);
  if (!program)
    return program.status();
  rt::setNumThreads(options.threads);
  auto begin = std::chrono::steady_clock::now();
  Training training(graph, options, *program);
  TreeResult result;
  bool byEdges = options.loss == "edges";
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double loss = byEdges
                      ? training.edgeEpoch(edgeRate(options, epoch))
                      : training.distanceEpoch(distanceRate(options, epoch),
                                               lengthOfEdge(options, epoch));
    if (!std::isfinite(loss))
      return rt::expects("--lr", "a rate that keeps the loss finite",
                         std::to_string(loss) + " in epoch " +
                             std::to_string(epoch + 1));
  }
  result.quality = training.measureNow();
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  result.points = training.takePoints();
  return result;
}
