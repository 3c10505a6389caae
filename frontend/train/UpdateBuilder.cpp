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

Ex UpdateBuilder::rate(const ResolvedSettings &settings) const {
  return settings.lrFactor == 1 ? lr : settings.lrFactor * lr;
}

Ex UpdateBuilder::decay(const ResolvedSettings &settings) const {
  return settings.weightDecay * rate(settings);
}

OptimizedValue UpdateBuilder::update(const Parameter &parameter,
                                     const OptimizedValue &old,
                                     Value gradient) {
  ResolvedSettings settings = resolve(config, parameter);
  bool decays = settings.weightDecay > 0;
  Exs numbers{gradientScale, rate(settings),
              decays ? decay(settings) : g.number(0), firstScale, secondScale};
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

Value UpdateBuilder::origin(Value like, const Space &space) {
  Value zero = g.rowwise(
      like, {}, [](auto rows, auto) { return Exs{rows[0].constant(0)}; })[0];
  return space.expmap0(zero);
}

/// The tangent vector along which the points move; fills the state, which is
/// still at the old points.
Value UpdateBuilder::tangentStep(const ResolvedSettings &settings,
                                 const OptimizedValue &old, Value gradient,
                                 const Space &space, OptimizedValue &now) {
  Value x = old.parameter;
  Value scaled =
      g.rowwise(gradient, gradientScale.get(), [](auto rows, auto numbers) {
        return Exs{numbers[0] * rows[0]};
      })[0];
  Value r = space.egrad2rgrad(x, scaled);
  Value step;
  if (config.kind == OptimizerKind::rsgd) {
    if (old.m)
      r = now.m = g.rowwise({old.m, r}, {}, [&](auto rows, auto) {
        return Exs{rows[0].number(config.momentum) * rows[0] + rows[1]};
      })[0];
    step = g.rowwise(r, rate(settings).get(), [](auto rows, auto numbers) {
      return Exs{-(numbers[0] * rows[0])};
    })[0];
  } else {
    Value square = space.inner(x, r, r);
    Ex scale = rate(settings) * firstScale;
    Values made =
        g.rowwise({old.m, r, old.v, square}, {scale.get(), secondScale.get()},
                  [&](auto rows, auto numbers) {
                    Ex beta1 = rows[0].number(config.beta1),
                       rest1 = rows[0].number(1 - config.beta1),
                       beta2 = rows[0].number(config.beta2),
                       rest2 = rows[0].number(1 - config.beta2);
                    Ex m = beta1 * rows[0] + rest1 * rows[1];
                    Ex v = beta2 * rows[2] + rest2 * rows[3];
                    Ex length =
                        numbers[0] / (sqrt(numbers[1] * v) + config.epsilon);
                    return Exs{-(length * m), m, v};
                  });
    step = made[0];
    now.m = made[1];
    now.v = made[2];
  }
  if (settings.weightDecay > 0) {
    Value inwards = space.logmap(x, origin(x, space));
    step = g.rowwise({step, inwards}, decay(settings).get(),
                     [](auto rows, auto numbers) {
                       return Exs{rows[0] + numbers[0] * rows[1]};
                     })[0];
  }
  return step;
}

OptimizedValue UpdateBuilder::updatePoints(const Parameter &parameter,
                                           const OptimizedValue &old,
                                           Value gradient, const Space &space,
                                           Bound bound) {
  if (config.kind == OptimizerKind::adam || !parameter.isCurved) {
    OptimizedValue now = update(parameter, old, gradient);
    now.parameter = bound(now.parameter);
    return now;
  }
  OptimizedValue now;
  Value x = old.parameter;
  Value step =
      tangentStep(resolve(config, parameter), old, gradient, space, now);
  Value moved = config.retraction == Retraction::exp ? space.expmap(x, step)
                                                     : space.retract(x, step);
  now.parameter = bound(g.plain(moved));
  // The moment goes along, to where the point ended.
  if (now.m)
    now.m = space.transport(x, now.parameter, now.m);
  return now;
}
