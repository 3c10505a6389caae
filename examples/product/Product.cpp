// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/product/Product.h"
#include "examples/support/Program.h"
#include "frontend/models/ModelFile.h"
#include "runtime/Threads.h"

#include <algorithm>

using namespace geo;
using namespace geo::examples;

rt::Expected<std::vector<EpochMetrics>>
examples::trainProduct(const ProductOptions &options) {
  if (options.dim < 1 || options.dim > 4096)
    return rt::expects("--dim", "1 to 4096", std::to_string(options.dim));
  std::string d = std::to_string(options.dim);
  auto text =
      readModel(options.model, {{"#space", options.manifold},
                                {"!states", "tensor<?x" + d + "xf32, #space>"},
                                {"!root", "tensor<1x" + d + "xf32, #space>"},
                                {"!rows", "tensor<?x" + d + "xf32>"},
                                {"!matrix", "tensor<" + d + "x" + d + "xf32>"},
                                {"!row", "tensor<" + d + "xf32>"}});
  if (!text)
    return text.status();
  auto file = parseModelFile(*text, options.model);
  if (!file)
    return file.status();

  TrainOptions train;
  train.config = configOf(*file);
  train.corpus = options.corpus;
  train.out = options.out;
  train.force = true;
  train.quiet = true;
  train.epochs = options.epochs;
  train.lr = options.lr;
  train.seed = options.seed;
  train.target = options.target;
  train.batch = 32;
  // All words of the text.
  auto words = data::readText(options.corpus);
  if (!words)
    return words.status();
  train.vocabulary = std::min<int64_t>(2000, data::largestVocabulary(*words));
  rt::setNumThreads(options.threads);
  auto trainer = Trainer::prepare(train);
  if (!trainer)
    return trainer.status();
  std::vector<EpochMetrics> metrics;
  rt::Status status =
      trainer->run([&](const EpochMetrics &m) { metrics.push_back(m); });
  if (!status)
    return status;
  return metrics;
}
