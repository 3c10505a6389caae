// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizer options as JSON and as text.
#include "frontend/train/Optimizer.h"
#include "runtime/AtomicFile.h"

#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using rt::Expected;
using rt::expects;
using rt::quote;
using rt::Status;
using Json = nlohmann::ordered_json;

Json geo::toJson(const OptimizerConfig &c) {
  Json parameters = Json::object();
  for (const auto &[name, own] : c.parameters) {
    Json &into = parameters[name] = Json::object();
    if (own.lr)
      into["lr"] = *own.lr;
    if (own.weightDecay)
      into["weight-decay"] = *own.weightDecay;
    if (own.frozen)
      into["frozen"] = true;
  }
  return {{"optimizer", name(c.kind)},
          {"retraction", name(c.retraction)},
          {"lr", c.lr},
          {"momentum", c.momentum},
          {"beta1", c.beta1},
          {"beta2", c.beta2},
          {"epsilon", c.epsilon},
          {"weight-decay", c.weightDecay},
          {"param", parameters}};
}

/// Sets one setting of `own` from JSON. `where` is the parameter's place.
static Status setFromJson(ParameterSettings &own, const std::string &where,
                          const std::string &key, const Json &value) {
  if (key == "frozen") {
    if (!value.is_boolean())
      return expects(where, "frozen to be true or false", quote(value.dump()));
    own.frozen = value.get<bool>();
    return Status::success();
  }
  if (key != "lr" && key != "weight-decay")
    return expects(where, "lr, weight-decay or frozen", quote(key));
  if (!value.is_number())
    return expects(where, key + " to be a number", quote(value.dump()));
  (key == "lr" ? own.lr : own.weightDecay) = value.get<double>();
  return Status::success();
}

static Status setParameters(OptimizerConfig &config, std::string_view where,
                            const Json &json) {
  if (!json.is_object())
    return expects(where, "an object of parameters", json.type_name());
  for (const auto &[name, settings] : json.items()) {
    std::string place = fmt::format("{}: {}", where, quote(name));
    if (!settings.is_object())
      return expects(place, "an object of settings", settings.type_name());
    ParameterSettings &own = config.parameters[name];
    for (const auto &[key, value] : settings.items())
      if (Status s = setFromJson(own, place, key, value); !s)
        return s;
  }
  return Status::success();
}

Expected<OptimizerConfig> geo::parseOptimizer(const Json &json,
                                              std::string_view where) {
  OptimizerConfig c;
  // What it is not written as it does not mean.
  auto refuse = [&] {
    return expects(
        where, "the options of an optimizer, as Geoc writes them",
        quote(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
  };
  if (!json.is_object())
    return refuse();
  bool known = false;
  for (OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::rsgd, OptimizerKind::radam})
    if (json.value("optimizer", Json()) == name(kind)) {
      c.kind = kind;
      known = true;
    }
  if (json.value("retraction", Json()) == name(Retraction::firstOrder))
    c.retraction = Retraction::firstOrder;
  for (auto [key, into] :
       {std::pair("lr", &c.lr), std::pair("momentum", &c.momentum),
        std::pair("beta1", &c.beta1), std::pair("beta2", &c.beta2),
        std::pair("epsilon", &c.epsilon),
        std::pair("weight-decay", &c.weightDecay)}) {
    Json value = json.value(key, Json());
    if (!value.is_number())
      return refuse();
    *into = value.get<double>();
  }
  if (Status s = setParameters(c, where, json.value("param", Json())); !s)
    return s;
  if (!known || toJson(c) != json)
    return refuse();
  return c;
}

Status geo::parseParameterFlag(std::string_view text, OptimizerConfig &config) {
  constexpr const char *form = "NAME:lr=..,weight-decay=..,frozen";
  size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == text.size())
    return expects("--param", form, quote(text));
  std::string name(text.substr(0, colon));
  ParameterSettings &own = config.parameters[name];
  std::set<std::string> seen;
  for (std::string_view rest = text.substr(colon + 1); !rest.empty();) {
    size_t end = std::min(rest.find(','), rest.size());
    std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    size_t equals = std::min(entry.find('='), entry.size());
    std::string key(entry.substr(0, equals));
    if (!seen.insert(key).second)
      return expects("--param " + name, "distinct settings",
                     quote(key) + " twice");
    if (entry == "frozen") {
      own.frozen = true;
      continue;
    }
    if (equals == entry.size() || (key != "lr" && key != "weight-decay"))
      return expects("--param", form, quote(text));
    std::string_view digits = entry.substr(equals + 1);
    double value = 0;
    auto [last, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || last != digits.data() + digits.size())
      return expects("--param " + name, key + " to be a number", quote(digits));
    (key == "lr" ? own.lr : own.weightDecay) = value;
  }
  return Status::success();
}

Status geo::readParameterFile(const std::string &path,
                              OptimizerConfig &config) {
  auto text = rt::readFile(path);
  if (!text)
    return text.status();
  // The parser keeps the last of equal keys; here they are an error.
  std::vector<std::set<std::string>> keys;
  std::string twice;
  bool deep = false;
  Json json = Json::parse(
      *text,
      [&](int depth, Json::parse_event_t event, Json &parsed) {
        deep |= depth > 2;
        if (event == Json::parse_event_t::object_start)
          keys.emplace_back();
        else if (event == Json::parse_event_t::object_end && !keys.empty())
          keys.pop_back();
        else if (event == Json::parse_event_t::key && !keys.empty() &&
                 !keys.back().insert(parsed.get<std::string>()).second)
          twice = parsed.get<std::string>();
        return true;
      },
      /*allow_exceptions=*/false);
  if (json.is_discarded() || deep)
    return expects(path, "a JSON object of parameters", quote(*text));
  if (!twice.empty())
    return expects(path, "distinct names", quote(twice) + " twice");
  return setParameters(config, path, json);
}
