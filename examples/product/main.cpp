// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// product: trains a language model on a product manifold.
#include "examples/product/Product.h"
#include "examples/support/CommandLine.h"

#include <algorithm>

#include <fmt/format.h>

using namespace geo;
using namespace geo::examples;

int main(int argc, char **argv) {
  CLI::App app("Trains RiLM, a recurrent language model by geodesic distance, "
               "on a product manifold");
  app.footer("Examples:\n  example-product\n  example-product --manifold "
             "'#geo.poincare<1.0>'\n  example-product --manifold "
             "'#geo.product<#geo.lorentz<1.0> x 2, #geo.euclidean x 6>'");
  ProductOptions options;
  options.model = GEOC_PRODUCT_FOLDER "/product.mlir";
  options.corpus = GEOC_PRODUCT_FOLDER "/text.txt";
  options.out = "example-product-run";
  bool json = false;
  app.add_option("--corpus", options.corpus, "A text, a sentence a line");
  app.add_option("--out", options.out, "Folder of the checkpoints, replaced")
      ->capture_default_str();
  app.add_option("--manifold", options.manifold, "Attribute of the points")
      ->capture_default_str();
  app.add_option("--dim", options.dim, "Its coordinates")
      ->capture_default_str();
  app.add_option("--epochs", options.epochs)->capture_default_str();
  app.add_option("--lr", options.lr, "Rate")->capture_default_str();
  addRunOptions(app, options, json);
  if (std::optional<int> code = parse(app, argc, argv))
    return *code;
  auto metrics = trainProduct(options);
  if (!metrics) {
    fmt::print(stderr, "product: {}\n", metrics.message());
    return 2;
  }
  double best = 0, seconds = 0;
  for (const EpochMetrics &m : *metrics) {
    best = best > 0 ? std::min(best, m.validPerplexity) : m.validPerplexity;
    seconds += m.seconds;
    if (!json)
      fmt::print("epoch {}: train {:.3f}, valid {:.3f} perplexity\n", m.epoch,
                 m.trainPerplexity, m.validPerplexity);
  }
  fmt::print(json ? "{{\"best\": {:.4f}, \"seconds\": {:.2f}}}\n"
                  : "best {:.3f}, {:.1f} s\n",
             best, seconds);
  return 0;
}
