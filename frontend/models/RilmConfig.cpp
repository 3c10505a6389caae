// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/RilmConfig.h"

namespace geo {

const char *name(RilmKind kind) {
  switch (kind) {
  case RilmKind::flat:
    return "flat";
  case RilmKind::hyp:
    return "hyp";
  case RilmKind::naive:
    return "naive";
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

std::vector<Parameter> getParameters(const RilmConfig &config) {
  int64_t d = config.dim;
  bool curved = config.isHyperbolic();
  std::vector<Parameter> list{{"E", {config.vocabulary, d}, true, curved},
                              {"root", {1, d}, true, curved},
                              {"Wh", {d, d}},
                              {"We", {d, d}},
                              {"b", {d}}};
  if (config.kind == RilmKind::hyp)
    list.push_back({"s", {}});
  if (config.isHyperbolic() && config.learnCurvature)
    list.push_back({"log_c", {}});
  if (config.learnTau)
    list.push_back({"log_tau", {}});
  return list;
}

} // namespace geo
