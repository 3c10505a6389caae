// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tree: embeds a tree, says how well.
#include "examples/support/CommandLine.h"
#include "examples/tree/Tree.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::examples;

static int fail(const rt::Status &status) {
  fmt::print(stderr, "tree: {}\n", status.message());
  return 2;
}

int main(int argc, char **argv) {
  CLI::App app("Embeds the nodes of a tree as points of a manifold");
  app.footer("Examples:\n  tree\n  tree --manifold '#geo.lorentz<1.0>'\n"
             "  tree --manifold '#geo.product<#geo.poincare<1.0> x 2, "
             "#geo.euclidean x 2>' --dim 4");
  TreeOptions options;
  options.model = GEOC_TREE_FOLDER "/tree.mlir";
  std::string edges = GEOC_TREE_FOLDER "/tree.tsv";
  bool json = false;
  app.add_option("--edges", edges, "File of edges, NODE<TAB>NODE a line");
  app.add_option("--manifold", options.manifold, "Attribute of the points")
      ->capture_default_str();
  app.add_option("--dim", options.dim, "Coordinates")->capture_default_str();
  app.add_option("--loss", options.loss,
                 "edges (negative sampling) or distances")
      ->capture_default_str();
  CLI::Option *epochs =
      app.add_option("--epochs", options.epochs, "distances: 600 by default")
          ->capture_default_str();
  CLI::Option *batch =
      app.add_option("--batch", options.batch,
                     "Edges of a step; pairs, 200 by default, for distances")
          ->capture_default_str();
  CLI::Option *lr =
      app.add_option("--lr", options.lr, "Rate; distances: 0.5 by default")
          ->capture_default_str();
  app.add_option("--burn-in", options.burnIn,
                 "edges: the first epochs, at a tenth of --lr")
      ->capture_default_str();
  app.add_option("--unit", options.unit, "distances: length of an edge")
      ->capture_default_str();
  addRunOptions(app, options, json);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  if (options.loss == "distances") {
    if (!*epochs)
      options.epochs = 600;
    if (!*batch)
      options.batch = 200;
    if (!*lr)
      options.lr = 0.5;
  }
  auto graph = Graph::read(edges);
  if (!graph)
    return fail(graph.status());
  auto result = embedTree(*graph, options);
  if (!result)
    return fail(result.status());
  const Quality &q = result->quality;
  fmt::print(json ? "{{\"mean_rank\": {:.3f}, \"map\": {:.4f}, "
                    "\"distortion\": {:.4f}, \"seconds\": {:.2f}}}\n"
                  : "mean rank {:.3f}  MAP {:.4f}  distortion {:.4f}  "
                    "({:.2f} s)\n",
             q.meanRank, q.map, q.distortion, result->seconds);
  return 0;
}
