// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/ModelFile.h"

#include <algorithm>
#include <cmath>

namespace geo {

const char *name(RilmKind kind) {
  switch (kind) {
  case RilmKind::flat:
    return "flat";
  case RilmKind::hyp:
    return "hyp";
  case RilmKind::naive:
    return "naive";
  case RilmKind::file:
    return "file";
  }
  return "";
}

std::optional<RilmKind> parseRilmKind(std::string_view text) {
  for (RilmKind kind : {RilmKind::flat, RilmKind::hyp, RilmKind::naive})
    if (text == name(kind))
      return kind;
  return std::nullopt;
}

const char *name(Storage storage) {
  return storage == Storage::f64 ? "f64" : "f32";
}

std::optional<Storage> parseStorage(std::string_view text) {
  for (Storage storage : {Storage::f32, Storage::f64})
    if (text == name(storage))
      return storage;
  return std::nullopt;
}

double inverse(Positive map, double value) {
  switch (map) {
  case Positive::no:
    return value;
  case Positive::exp:
    return std::log(value);
  case Positive::softplus: // log(e^x - 1), whatever the size of x
    return value + std::log(-std::expm1(-value));
  }
  return value;
}

double valueOf(Positive map, double stored) {
  switch (map) {
  case Positive::no:
    return stored;
  case Positive::exp:
    return std::exp(stored);
  case Positive::softplus:
    return std::max(stored, 0.0) + std::log1p(std::exp(-std::abs(stored)));
  }
  return stored;
}

RilmConfig configOf(std::shared_ptr<const ModelFile> file) {
  RilmConfig config;
  config.kind = RilmKind::file;
  config.storage = file->storage;
  config.dim = file->states.front().dim;
  config.file = std::move(file);
  return config;
}

static std::vector<Parameter> fileParameters(const RilmConfig &config) {
  std::vector<Parameter> list = config.file->parameters;
  for (Parameter &p : list)
    if (!p.shape.empty() && p.shape[0] < 0)
      p.shape[0] = config.vocabulary;
  return list;
}

std::vector<Parameter> getParameters(const RilmConfig &config) {
  if (config.file)
    return fileParameters(config);
  int64_t d = config.dim;
  bool curved = config.isHyperbolic();
  std::vector<Parameter> list{{"E", {config.vocabulary, d}, true, curved},
                              {"root", {1, d}, true, curved},
                              {"Wh", {d, d}},
                              {"We", {d, d}},
                              {"b", {d}}};
  if (config.kind == RilmKind::hyp)
    list.push_back({"s", {}});
  if (config.isHyperbolic() && config.learnCurvature) {
    std::vector<Curvature> curvatures = config.getCurvatures();
    for (size_t i = 0; i < curvatures.size(); ++i) {
      Parameter c{curvatures.size() == 1 ? "c" : "c" + std::to_string(i), {}};
      c.initial = Initial{Initial::constant, curvatures[i].value};
      c.positive = curvatures[i].positive ? Positive::softplus : Positive::no;
      c.isCurvature = true;
      list.push_back(std::move(c));
    }
  }
  if (config.learnTau)
    list.push_back({"log_tau", {}});
  return list;
}

} // namespace geo
