// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/UpdateBuilder.h"
#include <cmath>

using namespace mlir;
using namespace geo;

/// 1 / (1 - beta^t), t being at least 1.
static Ex biasCorrection(GraphBuilder &g, double beta, Ex t) {
  if (beta == 0)
    return g.number(1);
  return 1.0 / (1.0 - exp(std::log(beta) * t));
}

UpdateBuilder::UpdateBuilder(GraphBuilder &graph, const OptimizerConfig &config,
                             Ex t, Ex lr, Ex gradientScale)
    : g(graph), config(config), lr(lr), gradientScale(gradientScale),
      firstScale(biasCorrection(g, config.beta1, t)),
      secondScale(biasCorrection(g, config.beta2, t)) {}

Value UpdateBuilder::asRows(GraphBuilder &graph, Value x) {
  Value plain = graph.plain(x);
  auto type = cast<RankedTensorType>(plain.getType());
  return type.getRank() == 1 ? graph.asRow(plain) : plain;
}

namespace {

/// The numbers of an update, in the region where they are used.
struct Numbers {
  Ex gradientScale, rate, decay, firstScale, secondScale;
};

/// New value and state of coordinates (a row, or a number).
struct Coordinates {
  Ex p, m, v;
};

} // namespace

/// Adam as in Kingma and Ba (2015), or gradient descent, with weight decay as
/// in Loshchilov and Hutter (2019). `m` and `v` are null where there are none.
static Coordinates updated(const OptimizerConfig &o, Ex p, Ex m, Ex v,
                           Ex gradient, const Numbers &n, bool decays) {
  Ex step = n.gradientScale * gradient, m1, v1;
  if (o.kind == OptimizerKind::rsgd) {
    if (m)
      step = m1 = p.constant(o.momentum) * m + step;
    step = n.rate * step;
  } else {
    m1 = p.constant(o.beta1) * m + p.constant(1 - o.beta1) * step;
    v1 = p.constant(o.beta2) * v + p.constant(1 - o.beta2) * (step * step);
    step =
        n.rate * n.firstScale * (m1 / (sqrt(n.secondScale * v1) + o.epsilon));
  }
  if (decays)
    step = step + n.decay * p;
  return {p - step, m1, v1};
}

OptimizedValue
UpdateBuilder::updateCoordinates(const OptimizedValue &old, Value gradient,
                                 const ResolvedSettings &settings) {
  Ex rate = settings.lrFactor == 1 ? lr : settings.lrFactor * lr;
  bool decays = settings.weightDecay > 0;
  Ex decay = decays ? settings.weightDecay * rate : g.number(0);
  Exs numbers{gradientScale, rate, decay, firstScale, secondScale};
  SmallVector<Value> operands{old.parameter, gradient};
  for (Value state : {old.m, old.v})
    if (state)
      operands.push_back(state);
  auto build = [&](ArrayRef<Ex> x, ArrayRef<Ex> n) {
    size_t next = 2;
    Ex m = old.m ? x[next++] : Ex(), v = old.v ? x[next++] : Ex();
    Coordinates made = updated(config, x[0], m, v, x[1],
                               {n[0], n[1], n[2], n[3], n[4]}, decays);
    Exs results{made.p};
    if (old.m)
      results.push_back(made.m);
    if (old.v)
      results.push_back(made.v);
    return results;
  };
  Values made;
  auto type = dyn_cast<RankedTensorType>(old.parameter.getType());
  if (!type) {
    Exs x = llvm::map_to_vector(operands, [&](Value o) { return g.ex(o); });
    made = llvm::map_to_vector(build(x, numbers), [](Ex e) { return e.get(); });
  } else {
    Values rows =
        llvm::map_to_vector(operands, [&](Value o) { return asRows(g, o); });
    Values shared = llvm::map_to_vector(numbers, [](Ex e) { return e.get(); });
    made = g.rowwise(rows, shared, build);
    if (type.getRank() == 1)
      for (Value &x : made)
        x = g.mergeLeading(x);
  }
  size_t next = 0;
  OptimizedValue result{made[next++], {}, {}};
  if (old.m)
    result.m = made[next++];
  if (old.v)
    result.v = made[next++];
  return result;
}

OptimizedValue UpdateBuilder::update(const Parameter &parameter,
                                     const OptimizedValue &old, Value gradient,
                                     const Space &space) {
  return updateCoordinates(old, gradient, resolve(config, parameter));
}
