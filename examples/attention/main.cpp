// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attention: learns to retrieve values by geodesic attention.
#include "examples/attention/Attention.h"
#include "examples/support/CommandLine.h"

#include <fmt/format.h>

using namespace geo;
using namespace geo::examples;

int main(int argc, char **argv) {
  CLI::App app("Attention by geodesic distance: answers with the value whose "
               "key has the label asked for");
  app.footer("Examples:\n  example-attention\n  example-attention --space flat "
             "--dim 2");
  AttentionOptions options;
  options.model = GEOC_ATTENTION_FOLDER "/attention.mlir";
  bool json = false;
  app.add_option("--space", options.space, "ball, hyperboloid or flat")
      ->capture_default_str();
  app.add_option("--dim", options.dim, "Coordinates")->capture_default_str();
  app.add_option("--steps", options.steps, "A sequence of 16 keys each")
      ->capture_default_str();
  app.add_option("--lr", options.lr, "Rate, falls to 0")->capture_default_str();
  addRunOptions(app, options, json);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  auto result = learnToAttend(options);
  if (!result) {
    fmt::print(stderr, "attention: {}\n", result.message());
    return 2;
  }
  fmt::print(json ? "{{\"loss\": {:.4f}, \"accuracy\": {:.4f}, \"beta\": "
                    "{:.2f}, \"tau\": {:.3f}, \"seconds\": {:.2f}}}\n"
                  : "loss {:.4f}  accuracy {:.4f}  beta {:.2f}  tau {:.3f}  "
                    "({:.2f} s)\n",
             result->loss, result->accuracy, result->beta, result->tau,
             result->seconds);
  return 0;
}
