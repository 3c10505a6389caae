// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/StepBuilder.h"
#include "frontend/train/UpdateBuilder.h"

using namespace mlir;
using namespace geo;

namespace {

/// A function of the parameters and `more`.
template <class BuildFn>
func::FuncOp buildFunction(GraphBuilder &g, Model &model, StringRef name,
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

func::FuncOp buildLoss(GraphBuilder &g, Model &model, StringRef name,
                       bool isPrivate) {
  return buildFunction(
      g, model, name, model.batchArguments(), isPrivate,
      [&](ValueRange p, ValueRange batch) { return model.loss(p, batch); });
}

/// Projects rows, and counts those that it changed.
Value backToSpace(GraphBuilder &g, const Space &space, Value rows,
                  Ex &clipped) {
  if (!space.hasProjection())
    return space.point(rows);
  Value points = space.project(rows, pointFraction);
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

class TrainStep {
public:
  TrainStep(GraphBuilder &g, Model &model, const OptimizerConfig &optimizer)
      : g(g), model(model), optimizer(optimizer),
        list(model.getParameterList()),
        slots(getSlots(model.getConfig(), optimizer)),
        trained(getTrained(model.getConfig(), optimizer)) {}

  void build() {
    SmallVector<Argument> arguments = model.parameterArguments();
    for (const Slot &slot : slots) {
      StringRef prefix = StringRef(slot.prefix).drop_back(); // the dot
      Type type = slot.shape.empty() ? g.numberType()
                  : slot.type == rt::DType::F64
                      ? RankedTensorType::get(slot.shape, g.numberType())
                      : Type(g.floats(slot.shape));
      arguments.push_back(
          {(prefix + "_" + list[slot.parameter].name).str(), type});
    }
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
      ValueRange p = take(list.size()), state = take(slots.size()),
                 numbers = take(3);
      return step(loss, p, state, numbers, in);
    });
  }

private:
  Values step(func::FuncOp loss, ValueRange p, ValueRange state,
              ValueRange numbers, ValueRange batch) {
    Values arguments(p);
    llvm::append_range(arguments, batch);
    SmallVector<int64_t> wrt(trained.begin(), trained.end());
    Values made = g.gradient(loss, arguments, wrt);
    ArrayRef<Value> gradients = ArrayRef<Value>(made).take_back(wrt.size());
    Ex norm = gradientNorm(gradients);
    UpdateBuilder builder(g, optimizer, g.ex(numbers[0]), g.ex(numbers[1]),
                          gradientScale(norm, g.ex(numbers[2])));

    Values newP(p), newState(state.size());
    auto oldValue = [&](size_t i) {
      OptimizedValue old{p[i], {}, {}};
      for (auto [value, slot] : llvm::zip(state, slots))
        if (slot.parameter == i)
          (slot.prefix == "m." ? old.m : old.v) = value;
      return old;
    };
    auto setValue = [&](size_t i, const OptimizedValue &now) {
      newP[i] = now.parameter;
      for (auto [value, slot] : llvm::zip(newState, slots))
        if (slot.parameter == i)
          value = slot.prefix == "m." ? now.m : now.v;
    };
    auto isPoints = [&](size_t i) -> bool {
      return static_cast<bool>(getManifold(p[i].getType()));
    };
    for (auto [k, i] : llvm::enumerate(trained))
      if (!isPoints(i))
        setValue(i, builder.update(list[i], oldValue(i), gradients[k]));
    // Points move in the space of this step's start; the curvature of its end
    // bounds them.
    Ex clipped = g.number(0);
    for (auto [k, i] : llvm::enumerate(trained)) {
      if (!isPoints(i))
        continue;
      Space before = model.space(i, p), after = model.space(i, newP);
      auto bound = [&](Value x) { return backToSpace(g, after, x, clipped); };
      setValue(i, builder.updatePoints(list[i], oldValue(i), gradients[k],
                                       before, bound));
    }
    Values results{made[0], made[1], made[2], norm.get(), clipped.get()};
    for (size_t i : trained)
      results.push_back(newP[i]);
    llvm::append_range(results, newState);
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
          UpdateBuilder::asRows(g, x), {},
          [](auto rows, auto) { return Exs{sqnorm(rows[0])}; },
          /*numSums=*/1)[0];
      sum = sum + g.ex(norm);
    }
    return sqrt(sum);
  }

  Ex gradientScale(Ex norm, Ex clip) {
    Ex zero = g.number(0), one = g.number(1);
    Ex scale = select(less(clip, norm), clip / g.maximum(norm, clip), one);
    return select(less(zero, clip), scale, one);
  }

  GraphBuilder &g;
  Model &model;
  const OptimizerConfig &optimizer;
  ArrayRef<Parameter> list;
  std::vector<Slot> slots;
  std::vector<size_t> trained;
};

} // namespace

FloatType geo::storageType(ModuleOp module, const RilmConfig &config) {
  Builder b(module.getContext());
  return config.storage == Storage::f64 ? FloatType(b.getF64Type())
                                        : FloatType(b.getF32Type());
}

void geo::buildTrainStep(GraphBuilder &graph, Model &model,
                         const OptimizerConfig &optimizer) {
  TrainStep(graph, model, optimizer).build();
}

void geo::buildEvalStep(GraphBuilder &graph, Model &model) {
  buildLoss(graph, model, "eval_step", /*isPrivate=*/false);
}

void geo::buildGradient(GraphBuilder &graph, Model &model) {
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

void geo::buildGenerateStep(GraphBuilder &graph, Model &model) {
  buildFunction(graph, model, "generate_step", model.stepArguments(),
                /*isPrivate=*/false,
                [&](ValueRange p, ValueRange in) { return model.step(p, in); });
}

void geo::buildProjection(GraphBuilder &graph, Model &model) {
  buildFunction(graph, model, "project_points", {}, /*isPrivate=*/false,
                [&](ValueRange p, ValueRange) {
                  Values now(p);
                  Ex clipped = graph.number(0);
                  for (auto [i, value] : llvm::enumerate(now)) {
                    if (!getManifold(value.getType()))
                      continue;
                    Space space = model.space(i, p);
                    Value rows = graph.plain(value);
                    // Those of a built-in model begin as tangent vectors.
                    if (!model.getConfig().file)
                      rows = graph.plain(space.expmap0(rows));
                    value = backToSpace(graph, space, rows, clipped);
                  }
                  return now;
                });
}
