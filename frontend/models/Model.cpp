// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Model.h"
#include "frontend/models/FileModel.h"
#include "frontend/models/Rilm.h"

using namespace mlir;
using namespace geo;

std::unique_ptr<Model> Model::create(GraphBuilder &graph,
                                     const RilmConfig &config) {
  if (config.file)
    return FileModel::create(graph, config);
  return std::make_unique<Rilm>(graph, config);
}

/// log(1 + e^x), to the last place for every x.
static Ex softplus(Ex x) {
  Ex u = exp(-max(x, -x));
  Ex n = u / (2.0 + u);
  return max(x, x.constant(0)) + 2.0 * (n * artanhc(n * n));
}

Ex geo::valueOf(Positive map, Ex stored) {
  switch (map) {
  case Positive::no:
    return stored;
  case Positive::exp:
    return exp(stored);
  case Positive::softplus:
    return softplus(stored);
  }
  llvm_unreachable("unknown map");
}

SmallVector<Argument> Model::batchArguments() {
  SmallVector<Argument> arguments{
      {"ids", g.ids({-1, -1})},       {"valid", g.masks({-1, -1})},
      {"targets", g.ids({-1, -1})},   {"mask", g.masks({-1, -1})},
      {"start_targets", g.ids({-1})}, {"start_mask", g.masks({-1})}};
  if (config.dropout)
    arguments.push_back({"dropout", g.floats({config.vocabulary, config.dim})});
  return arguments;
}

Value Model::parameter(ValueRange parameters, StringRef name) {
  for (auto [value, p] : llvm::zip(parameters, list))
    if (p.name == name)
      return value;
  return nullptr;
}

Value Model::repeatRow(Value row, Value like) {
  Value shared = g.mergeLeading(g.plain(row));
  return g.rowwise(like, shared, [](auto, auto s) { return Exs{s[0]}; })[0];
}

Value Model::keepWhereValid(Value next, Value h, Value valid) {
  return g.rowwise({next, h, valid}, {}, [](auto rows, auto) {
    Ex isValid = less(rows[2].constant(0.5), rows[2]);
    return Exs{select(isValid, rows[0], rows[1])};
  })[0];
}

Values Model::sumScored(Value nll, Value scored) {
  return g.rowwise(
      {nll, scored}, {},
      [](auto rows, auto) {
        Ex isScored = less(rows[1].constant(0.5), rows[1]);
        Ex zero = rows[0].constant(0);
        return Exs{select(isScored, rows[0], zero),
                   select(isScored, rows[0].constant(1), zero)};
      },
      /*numSums=*/2);
}
