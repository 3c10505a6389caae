// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Optimizer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

using namespace geo;
using rt::DType;
using rt::expects;
using rt::quote;
using rt::Status;

const char *geo::name(OptimizerKind kind) {
  switch (kind) {
  case OptimizerKind::adam:
    return "adam";
  case OptimizerKind::rsgd:
    return "rsgd";
  case OptimizerKind::radam:
    return "radam";
  }
  return "";
}

const char *geo::name(Retraction retraction) {
  return retraction == Retraction::exp ? "exp" : "first-order";
}

const char *geo::name(ScheduleKind kind) {
  switch (kind) {
  case ScheduleKind::constant:
    return "constant";
  case ScheduleKind::cosine:
    return "cosine";
  case ScheduleKind::step:
    return "step";
  }
  return "";
}

std::string geo::getSettingsName(const Parameter &parameter) {
  bool isHalf =
      !parameter.initial && (parameter.name == "Wh" || parameter.name == "We");
  return isHalf ? "W" : parameter.name;
}

ResolvedSettings geo::resolve(const OptimizerConfig &config,
                              const Parameter &parameter) {
  ResolvedSettings result;
  // Biases and numbers have no size that should be small.
  if (parameter.shape.size() >= 2)
    result.weightDecay = config.weightDecay;
  auto at = config.parameters.find(getSettingsName(parameter));
  if (at == config.parameters.end())
    return result;
  const ParameterSettings &own = at->second;
  if (own.lr)
    result.lrFactor = *own.lr / config.lr;
  result.weightDecay = own.weightDecay.value_or(result.weightDecay);
  result.frozen = own.frozen;
  return result;
}

std::vector<size_t> geo::getTrained(const RilmConfig &model,
                                    const OptimizerConfig &config) {
  std::vector<size_t> result;
  std::vector<Parameter> list = getParameters(model);
  for (size_t i = 0; i < list.size(); ++i)
    if (!resolve(config, list[i]).frozen)
      result.push_back(i);
  return result;
}

DType geo::storageType(const RilmConfig &config) {
  return config.storage == Storage::f64 ? DType::F64 : DType::F32;
}

DType geo::storageType(const RilmConfig &config, const Parameter &p) {
  return p.isNumber() ? DType::F64 : storageType(config);
}

std::vector<Slot> geo::getSlots(const RilmConfig &model,
                                const OptimizerConfig &config) {
  std::vector<Slot> result;
  std::vector<Parameter> list = getParameters(model);
  bool sgd = config.kind == OptimizerKind::rsgd;
  if (!sgd || config.momentum > 0)
    for (size_t i : getTrained(model, config))
      result.push_back({"m.", i, storageType(model, list[i]), list[i].shape});
  if (!sgd)
    for (size_t i : getTrained(model, config)) {
      if (config.kind == OptimizerKind::radam && list[i].isCurved)
        result.push_back({"v.", i, DType::F64, {list[i].shape[0]}});
      else
        result.push_back({"v.", i, storageType(model, list[i]), list[i].shape});
    }
  return result;
}

std::vector<rt::Tensor> geo::makeSlots(const RilmConfig &model,
                                       const OptimizerConfig &config) {
  std::vector<rt::Tensor> tensors;
  for (const Slot &slot : getSlots(model, config))
    tensors.emplace_back(slot.type, slot.shape);
  return tensors;
}

Status geo::check(const RilmConfig &model, const OptimizerConfig &config) {
  auto fraction = [](double x) { return x >= 0 && x < 1; };
  auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  auto notNegative = [](double x) { return std::isfinite(x) && x >= 0; };
  struct Check {
    const char *flag, *what;
    double value;
    bool ok;
  };
  for (const Check &c :
       {Check{"--lr", "a positive number", config.lr, positive(config.lr)},
        Check{"--momentum", "0 to below 1", config.momentum,
              fraction(config.momentum)},
        Check{"--beta1", "0 to below 1", config.beta1, fraction(config.beta1)},
        Check{"--beta2", "0 to below 1", config.beta2, fraction(config.beta2)},
        Check{"--epsilon", "a positive number", config.epsilon,
              positive(config.epsilon)},
        Check{"--weight-decay", "0 or a positive number", config.weightDecay,
              notNegative(config.weightDecay)}})
    if (!c.ok)
      return expects(c.flag, c.what, fmt::format("{}", c.value));
  if (config.momentum > 0 && config.kind != OptimizerKind::rsgd)
    return expects("--momentum", "0 with an optimizer other than rsgd",
                   fmt::format("{}", config.momentum));
  std::vector<Parameter> list = getParameters(model);
  for (const auto &[name, own] : config.parameters) {
    std::string known;
    bool found = false;
    for (const Parameter &p : list) {
      found |= getSettingsName(p) == name;
      if (p.initial || p.name != "We")
        known += (known.empty() ? "" : ", ") + getSettingsName(p);
    }
    if (!found)
      return expects("--param", "a parameter of this model (" + known + ")",
                     quote(name));
    if (own.lr && !positive(*own.lr))
      return expects("--param " + name, "lr to be a positive number",
                     fmt::format("{}", *own.lr));
    if (own.weightDecay && !notNegative(*own.weightDecay))
      return expects("--param " + name,
                     "weight-decay to be 0 or a positive number",
                     fmt::format("{}", *own.weightDecay));
  }
  std::vector<size_t> trained = getTrained(model, config);
  if (trained.empty())
    return expects("--param", "a parameter that is not frozen", "none");
  // Points that stay where they are may end outside a space that shrinks.
  bool curvature = std::any_of(trained.begin(), trained.end(),
                               [&](size_t i) { return list[i].isCurvature; });
  for (const Parameter &p : list)
    if (curvature && p.isCurved && resolve(config, p).frozen)
      return expects("--param " + getSettingsName(p),
                     "points that are not frozen with --learn-curvature",
                     "frozen");
  return Status::success();
}

double Schedule::factor(int64_t updates, int64_t total, int64_t epoch,
                        double progress) const {
  if (updates < warmup)
    return double(updates + 1) / double(warmup);
  switch (kind) {
  case ScheduleKind::constant:
    return 1;
  case ScheduleKind::cosine: {
    // What the warm-up took is left out.
    double begin =
        std::min(double(warmup) / double(std::max<int64_t>(total, 1)), 1.0);
    double rest = begin < 1 ? (progress - begin) / (1 - begin) : 1;
    return 0.5 * (1 + std::cos(M_PI * std::clamp(rest, 0.0, 1.0)));
  }
  case ScheduleKind::step: {
    int64_t steps = epoch / stepEvery;
    return std::pow(stepFactor, double(steps));
  }
  }
  return 1;
}
