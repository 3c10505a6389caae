// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Rilm.h"
#include "frontend/models/Manifold.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace geo;

/// The name of curvature `i`: that of its parameter.
static std::string getLabel(const RilmConfig &config, size_t i) {
  size_t count = config.getCurvatures().size();
  return count == 1 ? "c" : "c" + std::to_string(i);
}

static ManifoldInterface makeManifold(MLIRContext *context,
                                      const RilmConfig &config) {
  if (!config.isHyperbolic())
    return ManifoldAttr::get(context, "euclidean");
  ManifoldInterface manifold =
      config.manifold.empty()
          ? ManifoldInterface(
                ManifoldAttr::get(context, "poincare", config.curvature))
          : cast<ManifoldInterface>(parseAttribute(config.manifold, context));
  if (!config.learnCurvature)
    return manifold;
  size_t next = 0;
  return withCurvatures(manifold, [&](Attribute) -> Attribute {
    return StringAttr::get(context, getLabel(config, next++));
  });
}

Rilm::Rilm(GraphBuilder &graph, const RilmConfig &config)
    : Model(graph, config),
      manifold(makeManifold(g.getBuilder().getContext(), config)) {}

SmallVector<Argument> Rilm::parameterArguments() {
  SmallVector<Argument> arguments;
  for (const Parameter &p : list)
    arguments.push_back(
        {p.name,
         p.isNumber()
             ? g.numberType()
             : g.floats(p.shape, p.isPoint ? manifold : ManifoldInterface())});
  return arguments;
}

SmallVector<Argument> Rilm::stepArguments() {
  // One word of one text: code for one row is not that for many.
  return {{"state", g.floats({1, config.dim})},
          {"ids", g.ids({1})},
          {"valid", g.masks({1})}};
}

Space Rilm::space(ValueRange parameters) {
  Values curvatures;
  for (auto [value, p] : llvm::zip(parameters, list))
    if (p.isCurvature)
      curvatures.push_back(valueOf(p.positive, g.ex(value)).get());
  return Space(g, manifold, curvatures);
}

Value Rilm::tau(ValueRange parameters) {
  if (Value logTau = parameter(parameters, "log_tau"))
    return exp(g.ex(logTau)).get();
  return g.number(config.tau).get();
}

/// We log0(e) + b of every row of `words`.
Value Rilm::inputTerm(const Space &space, Value words, ValueRange parameters,
                      Value dropout) {
  Value terms = g.matmul(space.logmap0(words), parameter(parameters, "We"),
                         /*transposeB=*/true);
  Value bias = parameter(parameters, "b");
  if (!dropout)
    return g.rowwise(terms, bias, [](auto rows, auto shared) {
      return Exs{rows[0] + shared[0]};
    })[0];
  return g.rowwise({terms, dropout}, bias, [](auto rows, auto shared) {
    return Exs{rows[0] * rows[1] + shared[0]};
  })[0];
}

/// What a step needs beside state and word: Wh, then s, then curvatures.
Values Rilm::cellShared(const Space &space, ValueRange parameters) {
  Values shared{parameter(parameters, "Wh")};
  if (Value s = parameter(parameters, "s"))
    shared.push_back(s);
  llvm::append_range(shared, space.getCurvature());
  return shared;
}

/// One step: the new state, and for naive one number a row that says whether
/// it was clipped. A row that is not valid keeps its state.
Values Rilm::cell(Value h, Value u, Value valid, ValueRange shared) {
  bool scaled = config.kind == RilmKind::hyp;
  Space space = Space(g, manifold, shared.drop_front(scaled ? 2 : 1));
  Value a = g.matmul(space.logmap0(h), shared[0], /*transposeB=*/true);
  Value phi = g.rowwise({a, u}, scaled ? shared.slice(1, 1) : ValueRange(),
                        [&](auto rows, auto s) {
                          Ex moved = tanh(rows[0] + rows[1]);
                          return Exs{scaled ? s[0] * moved : moved};
                        })[0];
  auto keep = [&](Value next) {
    return space.point(keepWhereValid(next, h, valid));
  };
  if (config.kind != RilmKind::naive)
    return {keep(space.add(h, space.expmap0(phi)))};

  Value moved = g.plain(space.expmap(h, phi));
  Value inside = space.project(moved, pointFraction);
  Value clipped = g.rowwise({moved, inside, valid}, {}, [](auto rows, auto) {
    Ex difference = sqnorm(rows[0] - rows[1]);
    Ex zero = difference.constant(0), one = difference.constant(1);
    Ex isValid = less(rows[2].constant(0.5), rows[2]);
    return Exs{
        select(isValid, select(less(zero, difference), one, zero), zero)};
  })[0];
  return {keep(inside), clipped};
}

Values Rilm::loss(ValueRange parameters, ValueRange batch) {
  Value ids = batch[0], valid = batch[1], targets = batch[2], mask = batch[3],
        startTargets = batch[4], startMask = batch[5];
  Value dropout = config.dropout ? batch[6] : Value();
  Space ball = space(parameters);
  Value E = parameter(parameters, "E"), root = parameter(parameters, "root");
  Value temperature = tau(parameters);

  // The input terms of all words, once per row of the vocabulary.
  Value terms = inputTerm(ball, E, parameters, dropout);
  Value u = g.splitLeading(g.gather(terms, g.mergeLeading(ids)), ids);
  Value start = ball.point(repeatRow(root, startMask));
  Values scanned = g.scan(start, {u, valid}, cellShared(ball, parameters),
                          config.truncate, [&](auto h, auto in, auto shared) {
                            Values made = cell(h[0], in[0], in[1], shared);
                            ScanYield yield{{made[0]}, made};
                            return yield;
                          });

  // Sum over the scored rows, and their number.
  auto score = [&](Value states, Value words, Value scored) {
    return sumScored(ball.distanceNll(states, E, words, temperature), scored);
  };
  Values moved = score(g.mergeLeading(scanned[1]), g.mergeLeading(targets),
                       g.mergeLeading(mask));
  Ex sum = g.ex(moved[0]), count = g.ex(moved[1]);
  if (config.scoreRoot) {
    Values first = score(start, startTargets, startMask);
    sum = sum + g.ex(first[0]);
    count = count + g.ex(first[1]);
  }
  Ex mean = sum / g.maximum(count, g.number(1));
  Value clipped = g.number(0).get();
  if (config.kind == RilmKind::naive)
    clipped = g.rowwise(
        g.mergeLeading(scanned[2]), {},
        [](auto rows, auto) { return Exs{rows[0]}; }, /*numSums=*/1)[0];
  return {mean.get(), count.get(), clipped};
}

Values Rilm::step(ValueRange parameters, ValueRange arguments) {
  Space ball = space(parameters);
  Value E = parameter(parameters, "E");
  Value words = g.gather(E, arguments[1]);
  Value u = inputTerm(ball, words, parameters, nullptr);
  Value h = cell(ball.point(arguments[0]), u, arguments[2],
                 cellShared(ball, parameters))[0];
  return {g.plain(h), ball.distanceLogSoftmax(h, E, tau(parameters))};
}
