// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled updates against the definitions of the optimizers, in doubles.
#include "OptimizerReference.h"
#include "frontend/train/Initial.h"

#include <gtest/gtest.h>

using namespace geo;

namespace {

struct Case {
  const char *name;
  RilmKind kind;
  OptimizerConfig optimizer;
};

OptimizerConfig with(OptimizerKind kind,
                     const std::function<void(OptimizerConfig &)> &change) {
  OptimizerConfig c;
  c.kind = kind;
  c.lr = 0.02;
  change(c);
  return c;
}

class Optimizers : public testing::TestWithParam<Case> {};

TEST_P(Optimizers, FollowTheirDefinitions) {
  const Case &test = GetParam();
  RilmConfig config;
  config.kind = test.kind;
  config.vocabulary = 10;
  config.dim = 5;
  config.learnTau = true;
  config.learnCurvature =
      config.isHyperbolic() && test.optimizer.parameters.count("E") == 0;
  ASSERT_TRUE(check(config, test.optimizer))
      << check(config, test.optimizer).message();
  SessionOptions options;
  options.target = "loops";
  options.optimizer = test.optimizer;
  options.parts.train = options.parts.gradient = true;
  auto session = Session::create(config, options);
  ASSERT_TRUE(session) << session.message();

  InitialOptions initial;
  initial.embeddingStd = 0.2;
  ModelState state = makeInitialState(config, initial, test.optimizer);
  OptimizerReference reference(*session, test.optimizer);
  reference.start(state);
  std::vector<Parameter> list = getParameters(config);
  SmallBatch batch;
  for (int step = 1; step <= 10; ++step) {
    double lr = 0.02 / step, clip = step % 2 ? 0 : 0.1;
    reference.step(batch.get(), lr, clip);
    session->train(state, batch.get(), lr, clip);
    if (step != 1 && step != 10)
      continue;
    for (size_t k = 0; k < list.size(); ++k)
      for (int64_t i = 0; i < state.parameters[k].numElements(); ++i)
        EXPECT_NEAR(valueAt(state.parameters[k], i), reference.parameter(k)[i],
                    step == 1 ? 1e-6 : 2e-5)
            << list[k].name << " " << i << " after " << step;
  }
}

const Case cases[] = {
    {"flat_adam", RilmKind::flat, with(OptimizerKind::adam, [](auto &) {})},
    {"flat_adamw", RilmKind::flat,
     with(OptimizerKind::adam, [](auto &c) { c.weightDecay = 0.5; })},
    {"flat_settings", RilmKind::flat,
     with(OptimizerKind::adam,
          [](auto &c) {
            c.parameters["E"].frozen = true;
            c.parameters["W"].lr = 0.1;
            c.parameters["b"].weightDecay = 0.3;
          })},
    {"flat_sgd", RilmKind::flat,
     with(OptimizerKind::rsgd, [](auto &c) { c.weightDecay = 0.1; })},
    {"flat_momentum", RilmKind::flat,
     with(OptimizerKind::rsgd, [](auto &c) { c.momentum = 0.9; })},
    {"flat_radam", RilmKind::flat,
     with(OptimizerKind::radam,
          [](auto &c) {
            c.beta1 = 0;
            c.beta2 = 0.9;
          })},
    {"ball_adam", RilmKind::hyp,
     with(OptimizerKind::adam, [](auto &c) { c.weightDecay = 0.1; })},
    {"ball_frozen", RilmKind::hyp,
     with(OptimizerKind::adam,
          [](auto &c) {
            c.parameters["E"].frozen = true;
            c.parameters["s"].frozen = true;
          })},
    {"ball_rsgd_momentum", RilmKind::hyp,
     with(OptimizerKind::rsgd,
          [](auto &c) {
            c.momentum = 0.9;
            c.retraction = Retraction::firstOrder;
          })},
    {"ball_radam_decay", RilmKind::hyp,
     with(OptimizerKind::radam,
          [](auto &c) {
            c.weightDecay = 0.3;
            c.retraction = Retraction::firstOrder;
            c.parameters["root"].lr = 0.1;
          })},
};

INSTANTIATE_TEST_SUITE_P(Cases, Optimizers, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
