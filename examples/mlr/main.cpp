// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlr: learns classes by hyperplanes of a curved space, says how well.
#include "examples/mlr/Mlr.h"
#include "examples/support/CommandLine.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::examples;

int main(int argc, char **argv) {
  CLI::App app("Multinomial logistic regression on 13 classes that lie like a "
               "tree in the hyperbolic plane");
  app.footer("Examples:\n  example-mlr\n  example-mlr --space flat");
  MlrOptions options;
  options.model = GEOC_MLR_FOLDER "/mlr.mlir";
  bool json = false;
  app.add_option("--space", options.space, "ball, hyperboloid or flat")
      ->capture_default_str();
  app.add_option("--dim", options.dim, "Coordinates")->capture_default_str();
  app.add_option("--samples", options.samples, "Points of a class, twice")
      ->capture_default_str();
  app.add_option("--edge", options.edge, "Distance from parent to child")
      ->capture_default_str();
  app.add_option("--deviation", options.deviation, "Of points from a centre")
      ->capture_default_str();
  app.add_option("--epochs", options.epochs)->capture_default_str();
  app.add_option("--batch", options.batch, "Points of a step")
      ->capture_default_str();
  app.add_option("--lr", options.lr, "Rate, falls to 0")->capture_default_str();
  addRunOptions(app, options, json);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  auto result = learnClasses(options);
  if (!result) {
    fmt::print(stderr, "mlr: {}\n", result.message());
    return 2;
  }
  fmt::print(json ? "{{\"loss\": {:.4f}, \"train\": {:.4f}, \"test\": {:.4f}, "
                    "\"nearest\": {:.4f}, \"seconds\": {:.2f}}}\n"
                  : "loss {:.4f}  accuracy: train {:.4f}  test {:.4f}  by "
                    "nearest true centre {:.4f}  ({:.2f} s)\n",
             result->loss, result->trainAccuracy, result->testAccuracy,
             result->nearestAccuracy, result->seconds);
  return 0;
}
