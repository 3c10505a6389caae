// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled models: PyTorch's losses and gradients, padding, masks, collapse.
#include "frontend/data/Rng.h"
#include "frontend/train/Initial.h"
#include "frontend/train/StepInputs.h"
#include "runtime/simt/Report.h"
#include "test/e2e/TorchDump.h"

#include <gtest/gtest.h>

using namespace geo;
using geo::test::TorchDump;
using rt::DType;
using rt::Tensor;

namespace {

class Compiled
    : public testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
  std::string target() const { return std::get<0>(GetParam()); }
  TorchDump dump() const {
    return TorchDump(std::string(GEOC_E2E_INPUTS) + "/" +
                     std::get<1>(GetParam()) + ".json");
  }
  void TearDown() override {
    for (const rt::simt::Report &report : rt::simt::takeReports())
      ADD_FAILURE() << report.message();
  }
  /// The compiled gradient, made once for each target and dump; null after a
  /// failure.
  Session *session(const RilmConfig &config) {
    static std::map<ParamType, std::optional<Session>> sessions;
    auto [at, isNew] = sessions.try_emplace(GetParam());
    if (isNew) {
      SessionOptions options;
      options.target = target();
      options.simtCheck = true;
      options.parts.gradient = true;
      auto made = Session::create(config, options);
      EXPECT_TRUE(made) << made.message();
      if (made)
        at->second = std::move(*made);
    }
    return at->second ? &*at->second : nullptr;
  }
};

ModelState stateOf(const TorchDump &dump) {
  ModelState state = makeInitialState(dump.config, {});
  size_t i = 0;
  for (const Parameter &p : getParameters(dump.config)) {
    Tensor &t = state.parameters[i++];
    const std::vector<double> &values = dump.parameters.at(p.name);
    for (int64_t k = 0; k < t.numElements(); ++k) {
      if (p.isNumber())
        t.data<double>()[k] = values[k];
      else
        t.data<float>()[k] = float(values[k]);
    }
  }
  return state;
}

std::vector<double> toDouble(const Tensor &t) {
  std::vector<double> result(t.numElements());
  for (int64_t i = 0; i < t.numElements(); ++i)
    result[i] = t.dtype() == DType::F64 ? t.data<double>()[i]
                                        : double(t.data<float>()[i]);
  return result;
}

TEST_P(Compiled, AgreesWithPyTorch) {
  TorchDump d = dump();
  Session *compiled = session(d.config);
  ASSERT_TRUE(compiled);
  ModelState state = stateOf(d);
  std::vector<Tensor> gradients;
  StepResult r = compiled->gradient(state, d.input(), gradients);
  EXPECT_NEAR(r.loss / d.loss, 1, 1e-5);
  EXPECT_EQ(r.clippedStates, 0);
  size_t i = 0;
  for (const Parameter &p : getParameters(d.config))
    EXPECT_LT(
        TorchDump::error(d.gradients.at(p.name), toDouble(gradients[i++])),
        1e-5)
        << p.name;
}

/// More steps and rows of padding change neither loss nor gradients.
TEST_P(Compiled, PaddingChangesNothing) {
  TorchDump d = dump();
  Session *compiled = session(d.config);
  ASSERT_TRUE(compiled);
  ModelState state = stateOf(d);
  std::vector<Tensor> plain, padded;
  StepResult a = compiled->gradient(state, d.input(), plain);

  TorchDump wide = dump();
  int64_t steps = d.steps + 4, rows = d.rows + 2;
  std::vector<int32_t> tokens((steps + 1) * rows, 0);
  std::vector<float> mask((steps + 1) * rows, 0), valid(steps * rows, 0),
      noStart(rows, 0);
  for (int64_t t = 0; t <= d.steps; ++t)
    for (int64_t r = 0; r < d.rows; ++r) {
      tokens[t * rows + r] = d.tokens[t * d.rows + r];
      mask[t * rows + r] = d.mask[t * d.rows + r];
      if (t < d.steps)
        valid[t * rows + r] = 1;
    }
  wide.steps = steps;
  wide.rows = rows;
  wide.tokens = tokens;
  wide.mask = mask;
  wide.valid = valid;
  wide.noStart = noStart;
  StepResult b = compiled->gradient(state, wide.input(), padded);
  EXPECT_EQ(a.scored, b.scored);
  EXPECT_NEAR(a.loss, b.loss, 1e-6 * a.loss);
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_LT(TorchDump::error(toDouble(plain[i]), toDouble(padded[i])), 1e-5)
        << i;
}

TEST_P(Compiled, NothingScoredIsZero) {
  TorchDump d = dump();
  Session *compiled = session(d.config);
  ASSERT_TRUE(compiled);
  ModelState state = stateOf(d);
  std::fill(d.mask.begin(), d.mask.end(), 0.0f);
  std::vector<Tensor> gradients;
  StepResult r = compiled->gradient(state, d.input(), gradients);
  EXPECT_EQ(r.loss, 0);
  EXPECT_EQ(r.scored, 0);
  for (const Tensor &t : gradients)
    for (double x : toDouble(t))
      EXPECT_EQ(x, 0);
}

std::string testName(
    const testing::TestParamInfo<std::tuple<std::string, std::string>> &info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Dumps, Compiled,
    testing::Combine(testing::Values("loops", "cpu", "simt"),
                     testing::Values("flat-windows", "flat-lines",
                                     "hyp-windows", "hyp-lines",
                                     "naive-windows", "naive-lines")),
    testName);

/// A model with PyTorch's default W and the paper's embeddings, untrained.
struct Untrained {
  RilmConfig config;
  std::optional<Session> session;
  ModelState state;

  explicit Untrained(RilmKind kind) {
    config.kind = kind;
    config.vocabulary = 200;
    config.dim = 64;
    SessionOptions options;
    options.target = "loops";
    options.parts.generate = options.parts.evaluate = true;
    auto made = Session::create(config, options);
    EXPECT_TRUE(made) << made.message();
    session = std::move(*made);
    InitialOptions initial;
    initial.embeddingStd = 0.3 / 8; // 0.3 / sqrt d
    state = makeInitialState(config, initial);
  }

  /// Least and largest |h| of 50 sequences after `steps` random words.
  std::pair<double, double> lengths(int steps) {
    Tensor id(DType::I32, {1}), valid(DType::F32, {1}),
        logs(DType::F32, {1, config.vocabulary});
    valid.data<float>()[0] = 1;
    std::vector<Tensor> prepared = session->prepareGeneration(state);
    data::Rng random(1);
    std::pair<double, double> range(HUGE_VAL, 0);
    for (int sequence = 0; sequence < 50; ++sequence) {
      std::vector<Tensor> states = initialStates(config, state);
      for (int step = 0; step < steps; ++step) {
        id.data<int32_t>()[0] = int32_t(random.below(config.vocabulary));
        session->generate(state, prepared, states, id, valid, logs);
      }
      double square = 0;
      for (int64_t j = 0; j < config.dim; ++j)
        square += std::pow(double(states[0].data<float>()[j]), 2);
      range.first = std::min(range.first, std::sqrt(square));
      range.second = std::max(range.second, std::sqrt(square));
    }
    return range;
  }

  StepResult evaluate() {
    data::Batch batch;
    batch.steps = 20;
    batch.rows = 20;
    batch.ids = Tensor(DType::I32, {20, 20});
    batch.mask = Tensor(DType::F32, {20, 20});
    data::Rng random(2);
    for (int64_t i = 0; i < batch.ids.numElements(); ++i) {
      batch.ids.data<int32_t>()[i] = int32_t(random.below(config.vocabulary));
      batch.mask.data<float>()[i] = 1;
    }
    batch.targets = batch.ids.clone();
    StepInputs inputs(std::move(batch), data::Protocol::Lines);
    return session->evaluate(state, inputs.get());
  }
};

/// The naive recurrence sits on the boundary after three or four words,
/// whatever they are, and then tells words apart no better than chance does;
/// Moebius addition stays inside.
TEST(NaiveCollapse, StatesSitOnTheBoundary) {
  Untrained naive(RilmKind::naive);
  EXPECT_LT(naive.lengths(1).second, 0.7);
  EXPECT_GT(naive.lengths(3).first, 0.97);
  EXPECT_NEAR(naive.lengths(5).first, 0.999, 1e-6);
  EXPECT_NEAR(naive.lengths(5).second, 0.999, 1e-6);
  StepResult r = naive.evaluate();
  EXPECT_EQ(r.scored, 400);
  EXPECT_GT(r.clippedStates, 250);
  EXPECT_GT(std::exp(r.loss), 200);
  EXPECT_LT(std::exp(r.loss), 2000);

  Untrained hyp(RilmKind::hyp);
  EXPECT_LT(hyp.lengths(5).second, 0.95);
  StepResult inside = hyp.evaluate();
  EXPECT_EQ(inside.clippedStates, 0);
  EXPECT_LT(std::exp(inside.loss), 1.3 * 200);
}

} // namespace
