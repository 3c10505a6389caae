// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/CheckpointMetadata.h"
#include "frontend/models/Manifold.h"
#include "frontend/models/ModelFile.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using rt::expects;
using rt::Safetensors;
using rt::Status;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *formatName = "geoc-rilm-1";

/// Reads metadata of one file, remembering the first error.
class Metadata {
public:
  Metadata(const Safetensors &file, const std::string &path)
      : file(file), path(path) {}

  Status status;

  std::string text(const std::string &key) {
    const std::string *found = file.findMetadata(key);
    if (found)
      return *found;
    fail(key, "a value", "none");
    return "";
  }
  double number(const std::string &key) {
    std::string s = text(key);
    double value = 0;
    auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc() || end != s.data() + s.size())
      fail(key, "a number", s);
    return value;
  }
  double positive(const std::string &key) {
    double value = number(key);
    if (!(std::isfinite(value) && value > 0))
      fail(key, "a positive number", text(key));
    return value;
  }
  int64_t integer(const std::string &key, int64_t least, int64_t most) {
    std::string s = text(key);
    int64_t value = least;
    auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc() || end != s.data() + s.size() || value < least ||
        value > most)
      fail(key, fmt::format("a whole number in {}..{}", least, most), s);
    return std::clamp(value, least, most);
  }
  bool has(const std::string &key) const {
    return file.findMetadata(key) != nullptr;
  }
  bool flag(const std::string &key) { return integer(key, 0, 1) != 0; }

  void fail(const std::string &key, std::string_view what,
            std::string_view got) {
    if (status.ok())
      status = expects(path, fmt::format("metadata \"{}\" to be {}", key, what),
                       rt::quote(got));
  }

private:
  const Safetensors &file;
  const std::string &path;
};

/// Largest sizes that a file may ask for; products stay far below 2^63.
constexpr int64_t largestDim = 1 << 20, largestCount = int64_t(1) << 40;

/// Absent in files of a finished run and in those of other writers.
void readProgress(Metadata &m, Checkpoint &c) {
  const std::string key = "progress";
  if (!m.has(key))
    return;
  std::string text = m.text(key);
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  EpochProgress &p = c.progress;
  bool good = json.is_object() && json.size() == 7;
  auto find = [&](const char *name) {
    auto at = good ? json.find(name) : json.end();
    good = good && at != json.end() && at->is_number();
    return good ? at->get<double>() : 0.0;
  };
  auto number = [&](const char *name, double &into) {
    into = find(name);
    good = good && std::isfinite(into);
  };
  auto count = [&](const char *name, int64_t &into) {
    double value = find(name);
    good = good && value >= 0 && value <= double(largestCount) &&
           value == std::floor(value);
    into = good ? int64_t(value) : 0;
  };
  count("epochs_since_best", c.epochsSinceBest);
  count("batches", p.batches);
  number("loss", p.loss);
  number("scored", p.scored);
  number("gradient_norms", p.gradientNorms);
  count("clipped_rows", p.clippedRows);
  count("clipped_states", p.clippedStates);
  if (!good)
    m.fail(key, "an object of the seven numbers of an epoch's progress", text);
}

std::string progressText(const Checkpoint &c) {
  const EpochProgress &p = c.progress;
  return Json{{"epochs_since_best", c.epochsSinceBest},
              {"batches", p.batches},
              {"loss", p.loss},
              {"scored", p.scored},
              {"gradient_norms", p.gradientNorms},
              {"clipped_rows", p.clippedRows},
              {"clipped_states", p.clippedStates}}
      .dump();
}

/// Needs the model. Without, it is Adam with its defaults.
void readOptimizer(Metadata &m, Checkpoint &c, const std::string &path) {
  if (!m.status || !m.has("optimizer"))
    return;
  std::string where = path + ": metadata \"optimizer\"";
  auto made = parseOptimizer(Json::parse(m.text("optimizer"), nullptr,
                                         /*allow_exceptions=*/false),
                             where);
  if (!made)
    m.status = made.status();
  else if (Status s = check(c.config, *made); !s)
    m.status = Status::error(where + ": " + s.message());
  else
    c.optimizer = std::move(*made);
}

void readInto(Checkpoint &c, Metadata &m, const std::string &path) {
  if (m.text("format") != formatName)
    m.fail("format", formatName, m.text("format"));
  if (m.text("model") == name(RilmKind::file)) {
    auto file = parseModelFile(m.text("model_file"),
                               path + ", metadata \"model_file\"");
    if (file)
      c.config = configOf(*file);
    else if (m.status.ok())
      m.status = file.status();
    if (!m.status.ok())
      return;
  } else if (std::optional<RilmKind> kind = parseRilmKind(m.text("model")))
    c.config.kind = *kind;
  else
    m.fail("model", "flat, hyp, naive or file", m.text("model"));
  if (auto protocol = data::parseProtocol(m.text("protocol")))
    c.protocol = *protocol;
  else
    m.fail("protocol", "lines or windows", m.text("protocol"));
  // Files from before there was a choice do not say.
  if (m.has("dtype")) {
    if (std::optional<Storage> storage = parseStorage(m.text("dtype")))
      c.config.storage = *storage;
    else
      m.fail("dtype", "f32 or f64", m.text("dtype"));
  }
  c.config.dim = m.integer("dim", 1, largestDim);
  if (c.config.file) {
    c.config.storage = c.config.file->storage;
    c.config.dim = c.config.file->states.front().dim;
  }
  c.config.curvature = m.positive("curvature");
  if (m.has("manifold") && m.status.ok() && !c.config.file) {
    c.config.manifold = m.text("manifold");
    m.status = readManifold(c.config, path + ": metadata \"manifold\"");
  }
  c.config.learnCurvature = m.flag("learn_curvature");
  c.config.tau = m.positive("tau");
  c.config.learnTau = m.flag("learn_tau");
  c.config.truncate = m.integer("truncate", 0, largestCount);
  c.config.scoreRoot = c.protocol == data::Protocol::Lines;
  c.context = m.integer("context", 1, largestCount);
  c.epoch = m.integer("epoch", 0, largestCount);
  c.state.updates = m.integer("updates", 0, largestCount);
  c.validPerplexity = m.number("valid_ppl");
  c.bestPerplexity = m.number("best_ppl");
  c.training = m.text("training");
  readProgress(m, c);
  auto vocabulary = data::Vocabulary::fromJson(m.text("vocabulary"), path);
  if (!vocabulary) {
    if (m.status.ok())
      m.status = vocabulary.status();
    return;
  }
  c.vocabulary = std::move(*vocabulary);
  c.config.vocabulary = c.vocabulary.size();
  readOptimizer(m, c, path);
}

} // namespace

Status geo::readMetadata(const Safetensors &file, const std::string &path,
                         Checkpoint &checkpoint) {
  Metadata metadata(file, path);
  readInto(checkpoint, metadata, path);
  return metadata.status;
}

std::map<std::string, std::string> geo::makeMetadata(const Checkpoint &c) {
  const RilmConfig &config = c.config;
  auto flag = [](bool b) { return std::string(b ? "1" : "0"); };
  double curvature = config.curvature;
  if (config.manifold.empty())
    curvature = currentCurvatures(config, c.state).front();
  std::map<std::string, std::string> made{
      {"format", formatName},
      {"model", name(config.kind)},
      {"dtype", name(config.storage)},
      {"dim", std::to_string(config.dim)},
      {"curvature", fmt::format("{}", curvature)},
      {"learn_curvature", flag(config.learnCurvature)},
      {"tau", fmt::format("{}", currentTau(config, c.state))},
      {"learn_tau", flag(config.learnTau)},
      {"truncate", std::to_string(config.truncate)},
      {"vocabulary", c.vocabulary.toJson()},
      {"protocol", data::name(c.protocol)},
      {"context", std::to_string(c.context)},
      {"epoch", std::to_string(c.epoch)},
      {"updates", std::to_string(c.state.updates)},
      {"valid_ppl", fmt::format("{}", c.validPerplexity)},
      {"best_ppl", fmt::format("{}", c.bestPerplexity)},
      {"training", c.training},
      {"optimizer", toJson(c.optimizer).dump()},
      {"progress", progressText(c)}};
  if (config.file)
    made["model_file"] = config.file->text;
  if (!config.manifold.empty())
    made["manifold"] = config.manifold;
  return made;
}
