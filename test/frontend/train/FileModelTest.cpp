// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models that exist only as .mlir files, against the same models written down
// here in plain double: loss, gradient, an update, and generation.
#include "frontend/models/ModelFile.h"
#include "frontend/train/Initial.h"
#include "runtime/AtomicFile.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

using namespace geo;
using rt::DType;
using rt::Tensor;
using Row = std::vector<double>;

namespace {

struct SmallBatch {
  std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 3, 0};
  std::vector<float> mask{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0};

  StepInput get() {
    StepInput in;
    in.steps = in.rows = 3;
    in.ids = in.startTargets = tokens.data();
    in.valid = in.startMask = mask.data();
    in.targets = tokens.data() + 3;
    in.mask = mask.data() + 3;
    return in;
  }
};

/// The parameters by name, and arithmetic on rows.
struct Values {
  std::map<std::string, Row> p;

  double number(const char *name) { return p[name][0]; }
  Row row(const char *name, int64_t i, int64_t d) {
    auto at = p[name].begin() + i * d;
    return Row(at, at + d);
  }
  Row times(const Row &x, const char *matrix) {
    const Row &w = p[matrix];
    size_t columns = w.size() / x.size();
    Row y(columns, 0.0);
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < columns; ++j)
        y[j] += x[i] * w[i * columns + j];
    return y;
  }
};

double softplus(double x) { return std::log1p(std::exp(x)); }

struct Cell {
  virtual ~Cell() = default;
  virtual Row start(Values &v) = 0;
  virtual Row step(Values &v, const Row &h, int word) = 0;
  virtual double logit(Values &v, const Row &h, int word) = 0;
};

struct Gru : Cell {
  Row start(Values &v) override { return v.p["root"]; }
  Row step(Values &v, const Row &h, int word) override {
    size_t d = h.size();
    Row e = v.row("E", word, d), hz = v.times(h, "Uz"), hr = v.times(h, "Ur");
    Row xz = v.times(e, "Wz"), xr = v.times(e, "Wr"), xn = v.times(e, "Wn");
    Row rh(d), next(d);
    auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (size_t k = 0; k < d; ++k)
      rh[k] = h[k] * sigmoid(hr[k] + xr[k] + v.p["br"][k]);
    Row hn = v.times(rh, "Un");
    for (size_t k = 0; k < d; ++k) {
      double z = sigmoid(hz[k] + xz[k] + v.p["bz"][k]);
      double n = std::tanh(hn[k] + xn[k] + v.p["bn"][k]);
      next[k] = (1 - z) * h[k] + z * n;
    }
    return next;
  }
  double logit(Values &v, const Row &h, int word) override {
    Row e = v.row("E", word, h.size());
    double square = 0;
    for (size_t k = 0; k < h.size(); ++k)
      square += (h[k] - e[k]) * (h[k] - e[k]);
    return -square / softplus(v.number("tau"));
  }
};

struct LorentzCell : Cell {
  static double dot(const Row &x, const Row &y) {
    double sum = 0;
    for (size_t k = 0; k < x.size(); ++k)
      sum += x[k] * y[k];
    return sum;
  }
  static Row scaled(Row x, double s) {
    for (double &a : x)
      a *= s;
    return x;
  }
  static Row log0(const Row &x, double c) {
    double n = std::sqrt(c * dot(x, x));
    return n == 0 ? x : scaled(x, std::asinh(n) / n);
  }
  static Row exp0(const Row &x, double c) {
    double n = std::sqrt(c * dot(x, x));
    return n == 0 ? x : scaled(x, std::sinh(n) / n);
  }
  Row start(Values &) override { return Row(4, 0.0); }
  Row step(Values &v, const Row &h, int word) override {
    double c = softplus(v.number("c"));
    Row x = v.times(log0(v.row("E", word, 4), c), "U");
    Row y = v.times(log0(h, c), "W");
    for (size_t k = 0; k < 4; ++k)
      x[k] = std::tanh(x[k] + y[k] + v.p["b"][k]);
    return exp0(x, c);
  }
  double logit(Values &v, const Row &h, int word) override {
    double c = softplus(v.number("c"));
    Row e = v.row("E", word, 4);
    double times = std::sqrt(1 / c + dot(h, h)) * std::sqrt(1 / c + dot(e, e));
    return -std::acosh(c * (times - dot(h, e))) / std::sqrt(c);
  }
};

/// Mean over the scored words, those of the root included.
double reference(Cell &cell, Values &v, const StepInput &in, int words) {
  double sum = 0, count = 0;
  auto score = [&](const Row &h, int target) {
    double total = 0;
    for (int w = 0; w < words; ++w)
      total += std::exp(cell.logit(v, h, w));
    sum += std::log(total) - cell.logit(v, h, target);
    ++count;
  };
  for (int64_t r = 0; r < in.rows; ++r) {
    Row h = cell.start(v);
    if (in.startMask[r])
      score(h, in.startTargets[r]);
    for (int64_t t = 0; t < in.steps; ++t) {
      int64_t at = t * in.rows + r;
      if (in.valid[at])
        h = cell.step(v, h, in.ids[at]);
      if (in.mask[at])
        score(h, in.targets[at]);
    }
  }
  return sum / count;
}

struct Case {
  const char *file;
  bool lorentz, wide;
};

class FileModels
    : public testing::TestWithParam<std::tuple<Case, const char *>> {
protected:
  void SetUp() override {
    auto [which, target] = GetParam();
    auto text =
        rt::readFile(std::string(GEOC_FRONTEND_INPUTS "/") + which.file);
    ASSERT_TRUE(text) << text.message();
    if (which.wide)
      for (size_t at; (at = text->find("xf32")) != std::string::npos;)
        text->replace(at, 4, "xf64");
    auto file = parseModelFile(*text, which.file);
    ASSERT_TRUE(file) << file.message();
    config = configOf(*file);
    EXPECT_EQ(config.storage, Storage::f64);
    config.vocabulary = 10;
    if (which.lorentz)
      cell = std::make_unique<LorentzCell>();
    else
      cell = std::make_unique<Gru>();
    SessionOptions options;
    options.target = target;
    options.parts = {true, true, true, true, true};
    options.optimizer.kind = OptimizerKind::adam;
    auto made = Session::create(config, options);
    ASSERT_TRUE(made) << made.message();
    session.emplace(std::move(*made));
    state = makeInitialState(config, {}, options.optimizer);
    session->project(state);
    list = getParameters(config);
  }

  void checkGeneration();

  Values values() {
    Values v;
    for (size_t i = 0; i < list.size(); ++i) {
      Row &row = v.p[list[i].name];
      for (int64_t k = 0; k < state.parameters[i].numElements(); ++k)
        row.push_back(state.parameters[i].number(k));
    }
    return v;
  }

  RilmConfig config;
  std::unique_ptr<Cell> cell;
  std::optional<Session> session;
  ModelState state;
  std::vector<Parameter> list;
  SmallBatch batch;
};

void FileModels::checkGeneration() {
  Values v = values();
  std::vector<Tensor> prepared = session->prepareGeneration(state),
                      states = initialStates(config, state);
  Tensor id(DType::I32, {1}), valid(DType::F32, {1}), logs(DType::F64, {1, 10});
  Row h = cell->start(v);
  for (int word : {-1, 3, 7}) {
    *id.data<int32_t>() = std::max(word, 0);
    *valid.data<float>() = word >= 0;
    session->generate(state, prepared, states, id, valid, logs);
    if (word >= 0)
      h = cell->step(v, h, word);
    double total = 0;
    for (int w = 0; w < 10; ++w)
      total += std::exp(cell->logit(v, h, w));
    for (int w = 0; w < 10; ++w)
      EXPECT_NEAR(logs.number(w), cell->logit(v, h, w) - std::log(total), 1e-12)
          << "after " << word << ", of " << w;
  }
}

TEST_P(FileModels, AreTheReferences) {
  checkGeneration();
  Values v = values();
  StepInput in = batch.get();
  double want = reference(*cell, v, in, 10);
  EXPECT_NEAR(session->evaluate(state, in).loss, want, 1e-13 * want);
  std::vector<Tensor> gradients;
  EXPECT_NEAR(session->gradient(state, in, gradients).loss, want, 1e-13 * want);
  Values before = v;
  StepResult r = session->train(state, in, 0.01, 0);
  EXPECT_NEAR(r.loss, want, 1e-13 * want);
  EXPECT_EQ(r.scored, 10);
  double square = 0;
  for (size_t i = 0; i < list.size(); ++i)
    for (int64_t k = 0; k < gradients[i].numElements(); ++k) {
      double &x = v.p[list[i].name][k], origin = x;
      auto at = [&](double offset) {
        x = origin + offset;
        return reference(*cell, v, in, 10);
      };
      constexpr double step = 1e-4;
      double near = at(step) - at(-step), far = at(2 * step) - at(-2 * step);
      x = origin;
      double difference = (8 * near - far) / (12 * step);
      double got = gradients[i].number(k);
      EXPECT_NEAR(got, difference, 1e-10) << list[i].name << " " << k;
      square += got * got;
      // The first step of Adam.
      double moved = origin - 0.01 * got / (std::fabs(got) + 1e-8);
      EXPECT_NEAR(state.parameters[i].number(k), moved, 1e-12)
          << list[i].name << " " << k;
    }
  EXPECT_NEAR(r.gradientNorm, std::sqrt(square), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Cells, FileModels,
    testing::Combine(testing::Values(Case{"gru.mlir", false, false},
                                     Case{"lorentz-cell.mlir", true, true}),
                     testing::Values("loops", "cpu")));

TEST(Softplus, IsInverted) {
  for (double x : {1e-12, 1e-3, 0.5, 1.0, 20.0, 700.0})
    EXPECT_NEAR(softplus(inverse(Positive::softplus, x)), x, 1e-14 * x) << x;
  EXPECT_EQ(inverse(Positive::exp, 1.0), 0);
}

} // namespace
