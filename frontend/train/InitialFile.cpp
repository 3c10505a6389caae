// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/InitialFile.h"
#include "runtime/AtomicFile.h"
#include "runtime/Safetensors.h"

#include <cmath>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using rt::Expected;
using rt::expects;
using rt::quote;
using rt::Status;
using rt::Tensor;
using Json = nlohmann::ordered_json;

namespace {

/// A row-major matrix in double; a vector is one row, a number [1, 1].
struct Matrix {
  int64_t rows = 1, columns = 1;
  std::vector<double> data;
};

Matrix toMatrix(const Tensor &t) {
  Matrix m;
  if (t.rank() > 0)
    m.columns = t.dim(size_t(t.rank()) - 1);
  m.rows = m.columns ? t.numElements() / m.columns : 0;
  for (int64_t i = 0; i < t.numElements(); ++i)
    m.data.push_back(t.number(i));
  return m;
}

Matrix transpose(const Matrix &m) {
  Matrix made{m.columns, m.rows, std::vector<double>(m.data.size())};
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < m.columns; ++j)
      made.data[j * m.rows + i] = m.data[i * m.columns + j];
  return made;
}

Expected<Json> readJson(const std::string &path) {
  Expected<std::string> text = rt::readFile(path);
  if (!text)
    return text.status();
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return expects(path, "JSON", "another text");
  return json;
}

class Loader {
public:
  Loader(const RilmConfig &config, const data::Vocabulary &vocabulary,
         const std::string &path, const std::string &mapPath)
      : config(config), vocabulary(vocabulary), path(path), mapPath(mapPath) {}

  Status run(ModelState &state) {
    Expected<rt::Safetensors> read = rt::readSafetensors(path);
    if (!read)
      return read.status();
    file = std::move(*read);
    Expected<Json> map = readJson(mapPath);
    if (!map)
      return map.status();
    if (!map->is_object() || map->empty())
      return expects(mapPath, "an object from parameters to tensors",
                     quote(map->dump()));
    std::vector<Parameter> list = getParameters(config);
    for (auto &[name, rule] : map->items()) {
      auto at = std::find_if(list.begin(), list.end(),
                             [&, n = name](auto &p) { return p.name == n; });
      if (at == list.end())
        return expects(mapPath,
                       "parameters of this model (" + names(list) + ")",
                       quote(name));
      Tensor &t = state.parameters[size_t(at - list.begin())];
      if (Status s = load(t, *at, rule); !s)
        return s;
    }
    return Status::success();
  }

private:
  static std::string names(const std::vector<Parameter> &list) {
    std::string text;
    for (const Parameter &p : list)
      text += (text.empty() ? "" : ", ") + p.name;
    return text;
  }

  Status load(Tensor &t, const Parameter &p, const Json &rule) {
    std::string where = mapPath + ": " + p.name;
    Json object = rule.is_string() ? Json{{"from", rule}} : rule;
    if (!object.is_object() || !object.contains("from") ||
        !object["from"].is_string())
      return expects(where, "the name of a tensor, or an object with \"from\"",
                     quote(rule.dump()));
    std::string from = object["from"];
    const Tensor *source = file.find(from);
    if (!source)
      return expects(path, "a tensor " + quote(from), "none of this name");
    if (source->dtype() != rt::DType::F32 && source->dtype() != rt::DType::F64)
      return expects(path, "tensor " + quote(from) + " of F32 or F64",
                     name(source->dtype()));
    Matrix m = toMatrix(*source);
    for (auto &[key, value] : object.items())
      if (Status s = apply(m, key, value, where); !s)
        return s;
    if (Status s = reorder(m, object, where); !s)
      return s;
    changeNumbers(m, object);
    // [1, d] takes [d], and a number [1].
    int64_t columns = p.shape.empty() ? 1 : p.shape.back();
    if (m.columns != columns || int64_t(m.data.size()) != t.numElements())
      return expects(where, "numbers of shape " + rt::shapeText(p.shape),
                     fmt::format("[{}, {}]", m.rows, m.columns));
    return store(t, p, m, where);
  }

  /// Checks one key; transposes and cuts.
  Status apply(Matrix &m, const std::string &key, const Json &value,
               const std::string &where) {
    auto fail = [&](const char *what) {
      return expects(where, "\"" + key + "\" to be " + what,
                     quote(value.dump()));
    };
    if (key == "from" || key == "words")
      return value.is_string() ? Status::success() : fail("a name");
    if (key == "transpose" || key == "softplus" || key == "inverse") {
      if (!value.is_boolean())
        return fail("true or false");
      if (key == "transpose" && value.get<bool>())
        m = transpose(m);
      return Status::success();
    }
    if (key == "scale")
      return value.is_number() ? Status::success() : fail("a number");
    if (key != "columns")
      return expects(where,
                     "from, transpose, columns, words, softplus, inverse or "
                     "scale",
                     quote(key));
    if (!value.is_array() || value.size() != 2 ||
        !value[0].is_number_integer() || !value[1].is_number_integer())
      return fail("two whole numbers");
    int64_t a = value[0], b = value[1];
    if (a < 0 || a >= b || b > m.columns)
      return fail(
          fmt::format("0 <= a < b <= {} for {} columns", m.columns, m.columns)
              .c_str());
    Matrix cut{m.rows, b - a, {}};
    for (int64_t i = 0; i < m.rows; ++i)
      cut.data.insert(cut.data.end(), m.data.begin() + i * m.columns + a,
                      m.data.begin() + i * m.columns + b);
    m = std::move(cut);
    return Status::success();
  }

  /// Rows in the order of the vocabulary's words.
  Status reorder(Matrix &m, const Json &object, const std::string &where) {
    if (!object.contains("words"))
      return Status::success();
    std::string wordsPath = (std::filesystem::path(mapPath).parent_path() /
                             object["words"].get<std::string>())
                                .string();
    Expected<Json> words = readJson(wordsPath);
    if (!words)
      return words.status();
    if (!words->is_array() || int64_t(words->size()) != m.rows)
      return expects(wordsPath, fmt::format("a list of {} words", m.rows),
                     words->is_array() ? fmt::format("{}", words->size())
                                       : "no list");
    std::unordered_map<std::string, int64_t> rowOf;
    for (int64_t i = 0; i < m.rows; ++i) {
      if (!(*words)[size_t(i)].is_string())
        return expects(wordsPath, "words", quote((*words)[size_t(i)].dump()));
      rowOf.emplace((*words)[size_t(i)].get<std::string>(), i);
    }
    Matrix made{vocabulary.size(), m.columns, {}};
    for (const std::string &word : vocabulary.all()) {
      auto at = rowOf.find(word);
      if (at == rowOf.end())
        return expects(wordsPath, "the word " + quote(word) + " for " + where,
                       "none");
      auto begin = m.data.begin() + at->second * m.columns;
      made.data.insert(made.data.end(), begin, begin + m.columns);
    }
    m = std::move(made);
    return Status::success();
  }

  static void changeNumbers(Matrix &m, const Json &object) {
    bool softplus = object.value("softplus", false);
    bool inverse = object.value("inverse", false);
    double scale = object.value("scale", 1.0);
    for (double &x : m.data) {
      if (softplus)
        x = valueOf(Positive::softplus, x);
      if (inverse)
        x = 1 / x;
      x *= scale;
    }
  }

  Status store(Tensor &t, const Parameter &p, const Matrix &m,
               const std::string &where) {
    for (int64_t i = 0; i < t.numElements(); ++i) {
      double x = m.data[size_t(i)];
      if (!std::isfinite(x) || (p.positive != Positive::no && !(x > 0)))
        return expects(where,
                       p.positive != Positive::no ? "positive numbers"
                                                  : "finite numbers",
                       fmt::format("{} at {}", x, i));
      x = inverse(p.positive, x);
      if (t.dtype() == rt::DType::F64)
        t.data<double>()[i] = x;
      else
        t.data<float>()[i] = float(x);
    }
    return Status::success();
  }

  const RilmConfig &config;
  const data::Vocabulary &vocabulary;
  const std::string &path, &mapPath;
  rt::Safetensors file;
};

} // namespace

Status geo::loadInitial(ModelState &state, const RilmConfig &config,
                        const data::Vocabulary &vocabulary,
                        const std::string &path, const std::string &mapPath) {
  return Loader(config, vocabulary, path, mapPath).run(state);
}
