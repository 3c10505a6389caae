// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Checkpoint.h"
#include "runtime/Safetensors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Safetensors;
using rt::Status;
using rt::Tensor;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char *formatName = "geoc-rilm-1";

/// The tensors of a group (parameters or moments) under their names in the
/// file: Wh and We become W, root [1, d] becomes [d].
struct FileTensor {
  std::string name;
  DType type;
  std::vector<int64_t> shape;
  /// The parameters that it holds, side by side.
  std::vector<size_t> parts;
};

std::vector<FileTensor> fileTensors(const RilmConfig &config) {
  std::vector<FileTensor> result;
  std::vector<Parameter> list = getParameters(config);
  for (size_t i = 0; i < list.size(); ++i) {
    const Parameter &p = list[i];
    DType type = storageType(config, p);
    if (p.name == "Wh")
      result.push_back({"W", type, {config.dim, 2 * config.dim}, {i, i + 1}});
    else if (p.name == "root")
      result.push_back({p.name, type, {config.dim}, {i}});
    else if (p.name != "We")
      result.push_back({p.name, type, p.shape, {i}});
  }
  return result;
}

/// Copies between a file's tensor and its parts; `toFile` says which way.
void copyParts(const FileTensor &entry, Tensor &whole,
               std::vector<Tensor> &group, bool toFile) {
  size_t count = entry.parts.size();
  int64_t rows = count == 1 ? 1 : entry.shape[0];
  size_t rowBytes = whole.byteSize() / size_t(rows);
  for (size_t k = 0; k < count; ++k)
    for (int64_t r = 0; r < rows; ++r) {
      size_t bytes = rowBytes / count;
      char *inFile =
          static_cast<char *>(whole.raw()) + r * rowBytes + k * bytes;
      char *inPart =
          static_cast<char *>(group[entry.parts[k]].raw()) + r * bytes;
      std::copy_n(toFile ? inPart : inFile, bytes, toFile ? inFile : inPart);
    }
}

double exponential(const RilmConfig &config, const ModelState &state,
                   std::string_view parameter, double otherwise) {
  std::vector<Parameter> list = getParameters(config);
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == parameter)
      return std::exp(*state.parameters[i].data<double>());
  return otherwise;
}

/// Reads metadata of one file, remembering the first error.
class Metadata {
public:
  Metadata(const Safetensors &file, const std::string &path)
      : file(file), path(path) {}

  Status status;

  const std::string *find(const std::string &key) {
    return file.findMetadata(key);
  }
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

void readMetadata(Metadata &m, Checkpoint &c, const std::string &path) {
  if (m.text("format") != formatName)
    m.fail("format", formatName, m.text("format"));
  if (std::optional<RilmKind> kind = parseRilmKind(m.text("model")))
    c.config.kind = *kind;
  else
    m.fail("model", "flat, hyp or naive", m.text("model"));
  if (auto protocol = data::parseProtocol(m.text("protocol")))
    c.protocol = *protocol;
  else
    m.fail("protocol", "lines or windows", m.text("protocol"));
  // Files from before there was a choice do not say.
  if (const std::string *dtype = m.find("dtype")) {
    if (std::optional<Storage> storage = parseStorage(*dtype))
      c.config.storage = *storage;
    else
      m.fail("dtype", "f32 or f64", *dtype);
  }
  c.config.dim = m.integer("dim", 1, largestDim);
  c.config.curvature = m.positive("curvature");
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
}

Status checkFinite(const Tensor &t, const std::string &path,
                   const std::string &name) {
  for (int64_t i = 0; i < t.numElements(); ++i) {
    double x = t.number(i);
    if (!std::isfinite(x))
      return expects(path, fmt::format("tensor {} to be finite", name),
                     fmt::format("{} at element {}", x, i));
  }
  return Status::success();
}

/// Fills one group from tensors named `prefix` + name.
Status readGroup(Safetensors &file, const std::string &path,
                 const std::string &prefix, const RilmConfig &config,
                 std::vector<Tensor> &group, std::set<std::string> &known) {
  std::vector<FileTensor> entries = fileTensors(config);
  // Shapes first: nothing is allocated by a size that the file does not hold.
  for (const FileTensor &entry : entries) {
    std::string name = prefix + entry.name;
    known.insert(name);
    Tensor *t = file.find(name);
    std::string want =
        fmt::format("tensor {} to be {} {}", name, rt::name(entry.type),
                    rt::shapeText(entry.shape));
    if (!t)
      return expects(path, want, "none");
    if (t->dtype() != entry.type || t->shape() != entry.shape)
      return expects(path, want,
                     fmt::format("{} {}", rt::name(t->dtype()),
                                 rt::shapeText(t->shape())));
    if (Status s = checkFinite(*t, path, name); !s)
      return s;
  }
  for (const Parameter &p : getParameters(config))
    group.emplace_back(storageType(config, p), p.shape);
  for (const FileTensor &entry : entries)
    copyParts(entry, *file.find(prefix + entry.name), group, /*toFile=*/false);
  return Status::success();
}

/// Adam divides by the root of a second moment.
Status checkSecondMoments(const Checkpoint &c, const std::string &path) {
  std::vector<Parameter> list = getParameters(c.config);
  for (size_t i = 0; i < list.size(); ++i) {
    const Tensor &t = c.state.v[i];
    for (int64_t k = 0; k < t.numElements(); ++k) {
      double x = t.number(k);
      if (x < 0)
        return expects(
            path,
            fmt::format("second moments v of {} of 0 or more", list[i].name),
            fmt::format("{}", x));
    }
  }
  return Status::success();
}

/// Curvature and temperature stand in the metadata, and as logarithms in the
/// tensors where they are learnt: both must be numbers in range, and the same.
Status checkLearntNumbers(const Checkpoint &c, const std::string &path) {
  struct Number {
    const char *key;
    double stated, current;
  };
  for (Number n : {Number{"curvature", c.config.curvature,
                          currentCurvature(c.config, c.state)},
                   Number{"tau", c.config.tau, currentTau(c.config, c.state)}})
    // Written exactly; another machine's exp may differ in the last place.
    if (!(n.current > 0 && std::isfinite(n.current) &&
          std::abs(n.current - n.stated) <= 1e-9 * n.stated))
      return expects(path,
                     fmt::format("metadata \"{}\" to be the {} learnt, {}",
                                 n.key, n.key, n.current),
                     fmt::format("{}", n.stated));
  return Status::success();
}

Status checkInsideBall(const Checkpoint &c, const std::string &path) {
  if (!c.config.isHyperbolic())
    return Status::success();
  double limit = 1 / std::sqrt(currentCurvature(c.config, c.state));
  std::vector<Parameter> list = getParameters(c.config);
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].isPoint)
      continue;
    const Tensor &t = c.state.parameters[i];
    for (int64_t r = 0; r < t.dim(0); ++r) {
      double square = 0;
      for (int64_t j = 0; j < t.dim(1); ++j) {
        double x = t.number(r * t.dim(1) + j);
        square += x * x;
      }
      if (!(std::sqrt(square) < limit))
        return expects(
            path,
            fmt::format("rows of {} shorter than {:.6g}", list[i].name, limit),
            fmt::format("{:.6g} in row {}", std::sqrt(square), r));
    }
  }
  return Status::success();
}

} // namespace

double geo::currentCurvature(const RilmConfig &config,
                             const ModelState &state) {
  return exponential(config, state, "log_c", config.curvature);
}

double geo::currentTau(const RilmConfig &config, const ModelState &state) {
  return exponential(config, state, "log_tau", config.tau);
}

Status geo::writeCheckpoint(const std::string &path, const Checkpoint &c) {
  std::vector<std::pair<std::string, Tensor>> made;
  auto addGroup = [&](const std::string &prefix,
                      const std::vector<Tensor> &group) {
    // copyParts reads and writes by one signature.
    auto &parts = const_cast<std::vector<Tensor> &>(group);
    for (const FileTensor &entry : fileTensors(c.config)) {
      Tensor whole(entry.type, entry.shape);
      copyParts(entry, whole, parts, /*toFile=*/true);
      made.emplace_back(prefix + entry.name, std::move(whole));
    }
  };
  addGroup("", c.state.parameters);
  addGroup("m.", c.state.m);
  addGroup("v.", c.state.v);
  std::vector<rt::TensorToWrite> tensors;
  for (auto &[name, tensor] : made)
    tensors.push_back({name, &tensor});
  const RilmConfig &config = c.config;
  auto flag = [](bool b) { return std::string(b ? "1" : "0"); };
  return rt::writeSafetensors(
      path, tensors,
      {{"format", formatName},
       {"model", name(config.kind)},
       {"dtype", name(config.storage)},
       {"dim", std::to_string(config.dim)},
       {"curvature", fmt::format("{}", currentCurvature(config, c.state))},
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
       {"progress", progressText(c)}});
}

Expected<Checkpoint> geo::readCheckpoint(const std::string &path) {
  Expected<Safetensors> file = rt::readSafetensors(path);
  if (!file)
    return file.status();
  Checkpoint c;
  Metadata metadata(*file, path);
  readMetadata(metadata, c, path);
  if (!metadata.status)
    return metadata.status;
  std::set<std::string> known;
  for (auto [prefix, group] :
       {std::pair("", &c.state.parameters), std::pair("m.", &c.state.m),
        std::pair("v.", &c.state.v)})
    if (Status s = readGroup(*file, path, prefix, c.config, *group, known); !s)
      return s;
  for (auto &[name, tensor] : file->tensors)
    if (!known.count(name))
      return expects(path, "no other tensors", rt::quote(name));
  for (auto check : {checkSecondMoments, checkLearntNumbers, checkInsideBall})
    if (Status s = check(c, path); !s)
      return s;
  return c;
}
