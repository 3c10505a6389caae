// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Checkpoint.h"
#include "frontend/train/CheckpointMetadata.h"
#include "runtime/Safetensors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

using namespace geo;
using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Safetensors;
using rt::Status;
using rt::Tensor;

namespace {

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
    if (config.file)
      result.push_back({p.name, type, p.shape, {i}});
    else if (p.name == "Wh")
      result.push_back({"W", type, {config.dim, 2 * config.dim}, {i, i + 1}});
    else if (p.name == "root")
      result.push_back({p.name, type, {config.dim}, {i}});
    else if (p.name != "We")
      result.push_back({p.name, type, p.shape, {i}});
  }
  return result;
}

/// The same for the optimizer's state: `parts` index getSlots().
std::vector<FileTensor> fileSlots(const RilmConfig &config,
                                  const OptimizerConfig &optimizer) {
  std::vector<FileTensor> result;
  std::vector<Parameter> list = getParameters(config);
  std::vector<Slot> slots = getSlots(config, optimizer);
  for (const char *prefix : {"m.", "v."})
    for (FileTensor entry : fileTensors(config)) {
      std::vector<size_t> parts;
      for (size_t parameter : entry.parts)
        for (size_t i = 0; i < slots.size(); ++i)
          if (slots[i].prefix == prefix && slots[i].parameter == parameter)
            parts.push_back(i);
      if (parts.empty())
        continue;
      // A number for each row has a type and shape of its own.
      const Slot &first = slots[parts[0]];
      if (first.shape != list[first.parameter].shape) {
        entry.type = first.type;
        entry.shape = first.shape;
      }
      result.push_back({prefix + entry.name, entry.type, entry.shape, parts});
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
  if (config.file) // says itself what its numbers mean
    return otherwise;
  std::vector<Parameter> list = getParameters(config);
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == parameter)
      return std::exp(*state.parameters[i].data<double>());
  return otherwise;
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

/// Fills a group from the tensors of `entries`.
Status readGroup(Safetensors &file, const std::string &path,
                 const std::vector<FileTensor> &entries,
                 std::vector<Tensor> &group, std::set<std::string> &known,
                 const std::function<std::vector<Tensor>()> &make) {
  // Shapes first: nothing is allocated by a size that the file does not hold.
  for (const FileTensor &entry : entries) {
    known.insert(entry.name);
    Tensor *t = file.find(entry.name);
    std::string want =
        fmt::format("tensor {} to be {} {}", entry.name, rt::name(entry.type),
                    rt::shapeText(entry.shape));
    if (!t)
      return expects(path, want, "none");
    if (t->dtype() != entry.type || t->shape() != entry.shape)
      return expects(path, want,
                     fmt::format("{} {}", rt::name(t->dtype()),
                                 rt::shapeText(t->shape())));
    if (Status s = checkFinite(*t, path, entry.name); !s)
      return s;
  }
  group = make();
  for (const FileTensor &entry : entries)
    copyParts(entry, *file.find(entry.name), group, /*toFile=*/false);
  return Status::success();
}

/// Adam divides by the root of a second moment.
Status checkSecondMoments(const Checkpoint &c, const std::string &path) {
  std::vector<Parameter> list = getParameters(c.config);
  std::vector<Slot> slots = getSlots(c.config, c.optimizer);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].prefix != "v.")
      continue;
    const Tensor &t = c.state.slots[i];
    for (int64_t k = 0; k < t.numElements(); ++k) {
      double x = t.number(k);
      if (x < 0)
        return expects(path,
                       fmt::format("second moments v of {} of 0 or more",
                                   list[slots[i].parameter].name),
                       fmt::format("{}", x));
    }
  }
  return Status::success();
}

/// Curvature and temperature stand in the metadata, and mapped in the tensors
/// where they are learnt: both must be numbers in range, and the same.
Status checkLearntNumbers(const Checkpoint &c, const std::string &path) {
  struct Number {
    const char *key;
    double stated, current;
  };
  std::vector<Number> numbers{
      {"tau", c.config.tau, currentTau(c.config, c.state)}};
  if (c.config.manifold.empty())
    numbers.push_back({"curvature", c.config.curvature,
                       currentCurvatures(c.config, c.state).front()});
  for (const Number &n : numbers)
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
  if (!c.config.isHyperbolic() || !c.config.manifold.empty())
    return Status::success();
  double limit = 1 / std::sqrt(currentCurvatures(c.config, c.state).front());
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

std::vector<double> geo::currentCurvatures(const RilmConfig &config,
                                           const ModelState &state) {
  std::vector<double> values;
  for (const Curvature &c : config.getCurvatures())
    values.push_back(c.value);
  std::vector<Parameter> list = getParameters(config);
  size_t next = 0;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].isCurvature)
      values[next++] =
          valueOf(list[i].positive, *state.parameters[i].data<double>());
  return values;
}

double geo::currentTau(const RilmConfig &config, const ModelState &state) {
  return exponential(config, state, "log_tau", config.tau);
}

Status geo::writeCheckpoint(const std::string &path, const Checkpoint &c) {
  std::vector<std::pair<std::string, Tensor>> made;
  auto addGroup = [&](const std::vector<FileTensor> &entries,
                      const std::vector<Tensor> &group) {
    // copyParts reads and writes by one signature.
    auto &parts = const_cast<std::vector<Tensor> &>(group);
    for (const FileTensor &entry : entries) {
      Tensor whole(entry.type, entry.shape);
      copyParts(entry, whole, parts, /*toFile=*/true);
      made.emplace_back(entry.name, std::move(whole));
    }
  };
  addGroup(fileTensors(c.config), c.state.parameters);
  addGroup(fileSlots(c.config, c.optimizer), c.state.slots);
  std::vector<rt::TensorToWrite> tensors;
  for (auto &[name, tensor] : made)
    tensors.push_back({name, &tensor});
  return rt::writeSafetensors(path, tensors, makeMetadata(c));
}

Expected<Checkpoint> geo::readCheckpoint(const std::string &path) {
  Expected<Safetensors> file = rt::readSafetensors(path);
  if (!file)
    return file.status();
  Checkpoint c;
  if (Status s = readMetadata(*file, path, c); !s)
    return s;
  std::set<std::string> known;
  auto makeParameters = [&] {
    std::vector<Tensor> group;
    for (const Parameter &p : getParameters(c.config))
      group.emplace_back(storageType(c.config, p), p.shape);
    return group;
  };
  if (Status s = readGroup(*file, path, fileTensors(c.config),
                           c.state.parameters, known, makeParameters);
      !s)
    return s;
  if (Status s = readGroup(*file, path, fileSlots(c.config, c.optimizer),
                           c.state.slots, known,
                           [&] { return makeSlots(c.config, c.optimizer); });
      !s)
    return s;
  for (auto &[name, tensor] : file->tensors)
    if (!known.count(name))
      return expects(path, "no other tensors", rt::quote(name));
  for (auto check : {checkSecondMoments, checkLearntNumbers, checkInsideBall})
    if (Status s = check(c, path); !s)
      return s;
  return c;
}
