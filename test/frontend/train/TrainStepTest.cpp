// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training step is the gradient, the clipping of its norm, Adam and the
// projection of points, one after the other.
#include "frontend/train/Initial.h"
#include "test/frontend/train/SmallBatch.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

using namespace geo;
using rt::DType;
using rt::Tensor;

namespace {

RilmConfig smallConfig(RilmKind kind, Storage storage = Storage::f32) {
  RilmConfig config;
  config.kind = kind;
  config.storage = storage;
  config.vocabulary = 10;
  config.dim = 5;
  config.learnTau = true;
  config.learnCurvature = config.isHyperbolic();
  return config;
}

/// Compiled once for each kind, with learnt temperature and curvature.
Session &sessionOf(RilmKind kind, Storage storage = Storage::f32) {
  static std::map<std::pair<RilmKind, Storage>, Session> sessions;
  auto at = sessions.find({kind, storage});
  if (at != sessions.end())
    return at->second;
  SessionOptions options;
  options.target = "loops";
  options.parts.train = options.parts.gradient = true;
  options.parts.evaluate = storage == Storage::f64;
  auto session = Session::create(smallConfig(kind, storage), options);
  if (!session) {
    ADD_FAILURE() << session.message();
    std::abort();
  }
  return sessions.emplace(std::pair(kind, storage), std::move(*session))
      .first->second;
}

double at(const Tensor &t, int64_t i) { return t.number(i); }

void set(Tensor &t, int64_t i, double x) {
  if (t.dtype() == DType::F64)
    t.data<double>()[i] = x;
  else
    t.data<float>()[i] = float(x);
}

/// Every parameter after `steps` updates by the textbook's Adam.
class AdamReference {
public:
  AdamReference(Session &session, double lr, double clip)
      : session(session), lr(lr), clip(clip) {}

  void step(ModelState &state, const StepInput &in) {
    std::vector<Tensor> gradients;
    session.gradient(state, in, gradients);
    double square = 0;
    for (const Tensor &g : gradients)
      for (int64_t i = 0; i < g.numElements(); ++i)
        square += at(g, i) * at(g, i);
    norm = std::sqrt(square);
    double scale = clip > 0 && norm > clip ? clip / norm : 1;
    ++state.updates;
    size_t k = 0, count = state.parameters.size();
    for (Tensor &p : state.parameters) {
      for (int64_t i = 0; i < p.numElements(); ++i) {
        double g = scale * at(gradients[k], i);
        double m = 0.9 * at(state.slots[k], i) + 0.1 * g;
        double v = 0.999 * at(state.slots[count + k], i) + 0.001 * g * g;
        double mHat = m / (1 - std::pow(0.9, state.updates));
        double vHat = v / (1 - std::pow(0.999, state.updates));
        double now = at(p, i) - lr * mHat / (std::sqrt(vHat) + 1e-8);
        set(p, i, now);
        set(state.slots[k], i, m);
        set(state.slots[count + k], i, v);
      }
      ++k;
    }
  }
  double norm = 0;

private:
  Session &session;
  double lr, clip;
};

class Step
    : public testing::TestWithParam<std::tuple<RilmKind, double, Storage>> {};

TEST_P(Step, IsClippedAdam) {
  auto [kind, clip, storage] = GetParam();
  RilmConfig config = smallConfig(kind, storage);
  Session &session = sessionOf(kind, storage);
  bool isWide = storage == Storage::f64;
  ModelState state = makeInitialState(config, {}),
             expected = makeInitialState(config, {});
  AdamReference reference(session, 0.01, clip);
  SmallBatch batch;
  for (int i = 0; i < 3; ++i) {
    reference.step(expected, batch.get());
    StepResult r = session.train(state, batch.get(), 0.01, clip);
    EXPECT_NEAR(r.gradientNorm, reference.norm,
                (isWide ? 1e-13 : 1e-5) * reference.norm);
    EXPECT_EQ(r.scored, 10);
    EXPECT_EQ(r.clippedPoints, 0);
  }
  EXPECT_EQ(state.updates, 3);
  std::vector<Parameter> list = getParameters(config);
  for (size_t k = 0; k < list.size(); ++k)
    for (int64_t i = 0; i < state.parameters[k].numElements(); ++i)
      EXPECT_NEAR(at(state.parameters[k], i), at(expected.parameters[k], i),
                  isWide ? 1e-12 : 2e-5)
          << list[k].name << " " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Step,
    testing::Combine(testing::Values(RilmKind::flat, RilmKind::hyp,
                                     RilmKind::naive),
                     testing::Values(0.0, 0.05),
                     testing::Values(Storage::f32, Storage::f64)));

// With f64 storage differences of the loss are good to 1e-9.
TEST(Wide, GradientIsThatOfTheLoss) {
  for (RilmKind kind : {RilmKind::flat, RilmKind::hyp, RilmKind::naive}) {
    RilmConfig config = smallConfig(kind, Storage::f64);
    Session &session = sessionOf(kind, Storage::f64);
    ModelState state = makeInitialState(config, {});
    SmallBatch batch;
    std::vector<Tensor> gradients;
    session.gradient(state, batch.get(), gradients);
    std::vector<Parameter> list = getParameters(config);
    for (size_t k = 0; k < list.size(); ++k) {
      Tensor &p = state.parameters[k];
      for (int64_t i = 0; i < p.numElements(); ++i) {
        constexpr double step = 1e-5;
        double x = at(p, i);
        auto lossAt = [&](double moved) {
          set(p, i, moved);
          return session.evaluate(state, batch.get()).loss;
        };
        double difference = (lossAt(x + step) - lossAt(x - step)) / (2 * step);
        set(p, i, x);
        EXPECT_NEAR(at(gradients[k], i), difference, 1e-8)
            << name(kind) << " " << list[k].name << " " << i;
      }
    }
  }
}

TEST(Projection, KeepsPointsInsideAndCountsThem) {
  RilmConfig config = smallConfig(RilmKind::hyp);
  Session &session = sessionOf(config.kind);
  InitialOptions initial;
  initial.embeddingStd = 2; // every row starts at the bound
  ModelState state = makeInitialState(config, initial);
  SmallBatch batch;
  double clipped = 0;
  for (int i = 0; i < 5; ++i)
    clipped += session.train(state, batch.get(), 0.5, 0).clippedPoints;
  EXPECT_GT(clipped, 5);
  for (int64_t r = 0; r < config.vocabulary; ++r) {
    double square = 0;
    for (int64_t j = 0; j < config.dim; ++j)
      square += std::pow(at(state.parameters[0], r * config.dim + j), 2);
    double c = valueOf(Positive::softplus, at(state.parameters[6], 0));
    EXPECT_LE(std::sqrt(square), 0.999 / std::sqrt(c) + 1e-6);
  }
}

TEST(NonFinite, LeavesTheStateAndNamesTheTensor) {
  RilmConfig config = smallConfig(RilmKind::flat);
  Session &session = sessionOf(config.kind);
  ModelState state = makeInitialState(config, {});
  state.parameters[2].data<float>()[3] = INFINITY; // Wh
  Tensor before = state.parameters[0].clone();
  SmallBatch batch;
  StepResult r = session.train(state, batch.get(), 0.01, 1);
  EXPECT_FALSE(std::isfinite(r.loss) && std::isfinite(r.gradientNorm));
  EXPECT_EQ(session.findNonFinite(state), "parameter Wh");
  EXPECT_EQ(state.updates, 0);
  for (int64_t i = 0; i < before.numElements(); ++i)
    EXPECT_EQ(at(before, i), at(state.parameters[0], i));
}

} // namespace
