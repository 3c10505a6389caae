// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/StepBuilder.h"
#include <cmath>

using namespace mlir;
using namespace geo;

namespace {

/// The numbers of one Adam step, the same for all parameters.
struct AdamStep {
  AdamOptions options;
  Ex gradientScale; ///< from the clipping of the norm
  Ex rate;          ///< lr / (1 - beta1^t)
  Ex secondScale;   ///< 1 / (1 - beta2^t)

  Values numbers() const {
    return {gradientScale.get(), rate.get(), secondScale.get()};
  }
};

/// New value, m and v of a row or a number.
Exs adam(const AdamOptions &o, Ex p, Ex m, Ex v, Ex gradient, Ex gradientScale,
         Ex rate, Ex secondScale) {
  Ex g = gradientScale * gradient;
  Ex m1 = p.constant(o.beta1) * m + p.constant(1 - o.beta1) * g;
  Ex v1 = p.constant(o.beta2) * v + p.constant(1 - o.beta2) * (g * g);
  Ex root = sqrt(secondScale * v1);
  Ex moved = rate * (m1 / (root + o.epsilon));
  return {p - moved, m1, v1};
}

/// A function of the parameters and `more`.
template <class BuildFn>
func::FuncOp buildFunction(GraphBuilder &g, Rilm &model, StringRef name,
                           ArrayRef<Argument> more, bool isPrivate,
                           BuildFn build) {
  SmallVector<Argument> arguments = model.parameterArguments();
  unsigned count = arguments.size();
  arguments.append(more.begin(), more.end());
  return g.function(
      name, arguments,
      [&](ValueRange in) {
        return build(in.take_front(count), in.drop_front(count));
      },
      isPrivate);
}

func::FuncOp buildLoss(GraphBuilder &g, Rilm &model, StringRef name,
                       bool isPrivate) {
  return buildFunction(
      g, model, name, model.batchArguments(), isPrivate,
      [&](ValueRange p, ValueRange batch) { return model.loss(p, batch); });
}

class TrainStep {
public:
  TrainStep(GraphBuilder &g, const RilmConfig &config, const AdamOptions &adam)
      : g(g), model(g, config), options(adam) {}

  void build() {
    SmallVector<Argument> arguments = model.parameterArguments();
    unsigned count = arguments.size();
    for (StringRef moment : {"m", "v"})
      for (unsigned i = 0; i < count; ++i)
        arguments.push_back({(moment + "_" + arguments[i].name).str(),
                             getPlainType(arguments[i].type)});
    for (const char *name : {"t", "lr", "clip"})
      arguments.push_back({name, g.numberType()});
    arguments.append(model.batchArguments());

    func::FuncOp loss = buildLoss(g, model, "loss", /*isPrivate=*/true);
    g.function("train_step", arguments, [&](ValueRange in) {
      auto take = [&](size_t n) {
        ValueRange taken = in.take_front(n);
        in = in.drop_front(n);
        return taken;
      };
      ValueRange p = take(count), m = take(count), v = take(count),
                 numbers = take(3);
      return step(loss, p, m, v, numbers, in);
    });
  }

private:
  Values step(func::FuncOp loss, ValueRange p, ValueRange m, ValueRange v,
              ValueRange numbers, ValueRange batch) {
    Values arguments(p);
    llvm::append_range(arguments, batch);
    SmallVector<int64_t> wrt = llvm::to_vector(llvm::seq<int64_t>(p.size()));
    Values made = g.gradient(loss, arguments, wrt);
    ArrayRef<Value> gradients = ArrayRef<Value>(made).take_back(p.size());
    Ex norm = gradientNorm(gradients);
    AdamStep adamStep = makeStep(norm, numbers);

    Values newP, newM, newV;
    Ex clipped = g.number(0);
    for (auto [i, old] : llvm::enumerate(p)) {
      Values updated = update(adamStep, old, m[i], v[i], gradients[i]);
      newP.push_back(updated[0]);
      newM.push_back(updated[1]);
      newV.push_back(updated[2]);
    }
    // The curvature of this step's end bounds the points.
    Space space = model.space(newP);
    for (auto [old, now] : llvm::zip(p, newP))
      if (getManifold(old.getType()))
        now = backToSpace(space, now, clipped);
    Values results{made[0], made[1], made[2], norm.get(), clipped.get()};
    for (const Values &group : {newP, newM, newV})
      llvm::append_range(results, group);
    return results;
  }

  Ex gradientNorm(ArrayRef<Value> gradients) {
    Ex sum = g.number(0);
    for (Value x : gradients) {
      if (!isa<RankedTensorType>(x.getType())) {
        sum = sum + g.ex(x) * g.ex(x);
        continue;
      }
      Value norm = g.rowwise(
          asRows(x), {}, [](auto rows, auto) { return Exs{sqnorm(rows[0])}; },
          /*numSums=*/1)[0];
      sum = sum + g.ex(norm);
    }
    return sqrt(sum);
  }

  AdamStep makeStep(Ex norm, ValueRange numbers) {
    Ex t = g.ex(numbers[0]), lr = g.ex(numbers[1]), clip = g.ex(numbers[2]);
    Ex zero = g.number(0), one = g.number(1);
    // beta^t, t being at least 1.
    auto power = [&](double beta) { return exp(std::log(beta) * t); };
    Ex scale = select(less(clip, norm), clip / g.maximum(norm, clip), one);
    return {options, select(less(zero, clip), scale, one),
            lr / (1.0 - power(options.beta1)),
            1.0 / (1.0 - power(options.beta2))};
  }

  Values update(const AdamStep &step, Value p, Value m, Value v,
                Value gradient) {
    if (!isa<RankedTensorType>(p.getType())) {
      Exs made = adam(step.options, g.ex(p), g.ex(m), g.ex(v), g.ex(gradient),
                      step.gradientScale, step.rate, step.secondScale);
      return llvm::map_to_vector(made, [](Ex e) { return e.get(); });
    }
    Values rows = llvm::map_to_vector(Values{p, m, v, gradient},
                                      [&](Value x) { return asRows(x); });
    Values made = g.rowwise(rows, step.numbers(), [&](auto r, auto s) {
      return adam(step.options, r[0], r[1], r[2], r[3], s[0], s[1], s[2]);
    });
    if (cast<RankedTensorType>(p.getType()).getRank() == 1)
      for (Value &x : made)
        x = g.mergeLeading(x);
    return made;
  }

  /// Vectors as one row, points as their coordinates.
  Value asRows(Value x) {
    Value plain = g.plain(x);
    auto type = cast<RankedTensorType>(plain.getType());
    return type.getRank() == 1 ? g.asRow(plain) : plain;
  }

  /// Projects rows, and counts those that it changed.
  Value backToSpace(const Space &space, Value rows, Ex &clipped) {
    Value points = space.project(rows, Rilm::ballFraction);
    if (!model.getConfig().isHyperbolic())
      return points;
    Value count = g.rowwise(
        {rows, points}, {},
        [](auto r, auto) {
          Ex difference = sqnorm(r[0] - r[1]);
          Ex zero = difference.constant(0);
          return Exs{
              select(less(zero, difference), difference.constant(1), zero)};
        },
        /*numSums=*/1)[0];
    clipped = clipped + g.ex(count);
    return points;
  }

  GraphBuilder &g;
  Rilm model;
  AdamOptions options;
};

} // namespace

FloatType geo::storageType(ModuleOp module, const RilmConfig &config) {
  Builder b(module.getContext());
  return config.storage == Storage::f64 ? FloatType(b.getF64Type())
                                        : FloatType(b.getF32Type());
}

void geo::buildTrainStep(GraphBuilder &graph, const RilmConfig &config,
                         const AdamOptions &adam) {
  TrainStep(graph, config, adam).build();
}

void geo::buildEvalStep(GraphBuilder &graph, RilmConfig config) {
  config.dropout = false;
  Rilm model(graph, config);
  buildLoss(graph, model, "eval_step", /*isPrivate=*/false);
}

void geo::buildGradient(GraphBuilder &graph, const RilmConfig &config) {
  Rilm model(graph, config);
  func::FuncOp loss =
      buildLoss(graph, model, "tested_loss", /*isPrivate=*/true);
  int64_t count = model.parameterArguments().size();
  buildFunction(graph, model, "gradient", model.batchArguments(),
                /*isPrivate=*/false, [&](ValueRange p, ValueRange batch) {
                  Values arguments(p);
                  llvm::append_range(arguments, batch);
                  return graph.gradient(
                      loss, arguments,
                      llvm::to_vector(llvm::seq<int64_t>(count)));
                });
}

void geo::buildGenerateStep(GraphBuilder &graph, RilmConfig config) {
  config.dropout = false;
  Rilm model(graph, config);
  buildFunction(graph, model, "generate_step", model.stepArguments(),
                /*isPrivate=*/false,
                [&](ValueRange p, ValueRange in) { return model.step(p, in); });
}
