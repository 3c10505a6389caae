// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Optimizer.h"

#include "../../runtime/TempFolder.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace geo;
using Json = nlohmann::ordered_json;

TEST(Schedule, Factors) {
  Schedule s;
  auto at = [&](int64_t updates, int64_t epoch = 0) {
    return s.factor(updates, 100, epoch, double(updates) / 100);
  };
  s.kind = ScheduleKind::constant;
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(99), 1);
  s.kind = ScheduleKind::cosine;
  EXPECT_EQ(at(0), 1);
  EXPECT_NEAR(at(50), 0.5, 1e-15);
  EXPECT_NEAR(at(100), 0, 1e-15);
  s.warmup = 20;
  EXPECT_EQ(at(0), 1.0 / 20);
  EXPECT_EQ(at(19), 1);
  EXPECT_EQ(at(20), 1);
  EXPECT_NEAR(at(60), 0.5, 1e-15);
  EXPECT_NEAR(at(100), 0, 1e-15);
  s.warmup = 1000; // longer than the run
  EXPECT_EQ(at(99), 0.1);
  s = Schedule();
  s.kind = ScheduleKind::step;
  s.stepEvery = 3;
  s.stepFactor = 0.1;
  EXPECT_EQ(at(5, 2), 1);
  EXPECT_EQ(at(5, 3), 0.1);
  EXPECT_DOUBLE_EQ(at(5, 7), 0.01);
}

TEST(Optimizer, SettingsOfOneParameter) {
  RilmConfig model;
  model.kind = RilmKind::flat;
  OptimizerConfig c;
  c.lr = 0.1;
  c.weightDecay = 0.01;
  ASSERT_TRUE(parseParameterFlag("E:lr=0.05,weight-decay=0", c));
  ASSERT_TRUE(parseParameterFlag("W:frozen", c));
  ASSERT_TRUE(parseParameterFlag("b:weight-decay=1e-3", c));
  ASSERT_TRUE(check(model, c)) << check(model, c).message();
  std::vector<Parameter> list = getParameters(model); // E, root, Wh, We, b
  EXPECT_EQ(resolve(c, list[0]).lrFactor, 0.5);
  EXPECT_EQ(resolve(c, list[0]).weightDecay, 0);
  EXPECT_EQ(resolve(c, list[1]).weightDecay, 0.01);
  EXPECT_TRUE(resolve(c, list[2]).frozen);
  EXPECT_TRUE(resolve(c, list[3]).frozen);
  EXPECT_EQ(resolve(c, list[4]).weightDecay, 1e-3);
  EXPECT_EQ(getTrained(model, c), (std::vector<size_t>{0, 1, 4}));
  EXPECT_EQ(getSlots(model, c).size(), 6u);
  c.kind = OptimizerKind::rsgd;
  EXPECT_EQ(getSlots(model, c).size(), 0u);
  c.momentum = 0.9;
  EXPECT_EQ(getSlots(model, c).size(), 3u);

  auto again = parseOptimizer(toJson(c), "f");
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(toJson(*again), toJson(c));
}

TEST(Optimizer, RefusesFlags) {
  OptimizerConfig c;
  auto message = [&](const char *text) {
    return parseParameterFlag(text, c).message();
  };
  for (const char *text :
       {"", "E", "E:", ":lr=1", "E:rate=1", "E:lr", "E:frozen=1", "E:,"})
    EXPECT_EQ(message(text),
              "--param: expects NAME:lr=..,weight-decay=..,frozen, but got '" +
                  std::string(text) + "'")
        << text;
  EXPECT_EQ(message("E:lr=fast"),
            "--param E: expects lr to be a number, but got 'fast'");
  EXPECT_EQ(message("E:lr=1,lr=2"),
            "--param E: expects distinct settings, but got 'lr' twice");
}

TEST(Optimizer, Checks) {
  RilmConfig model;
  model.learnCurvature = true;
  auto message = [&](auto change) {
    OptimizerConfig c;
    change(c);
    return check(model, c).message();
  };
  EXPECT_EQ(message([](auto &) {}), "");
  EXPECT_EQ(message([](auto &c) { c.beta2 = 1; }),
            "--beta2: expects 0 to below 1, but got 1");
  EXPECT_EQ(message([](auto &c) { c.epsilon = 0; }),
            "--epsilon: expects a positive number, but got 0");
  EXPECT_EQ(message([](auto &c) { c.weightDecay = NAN; }),
            "--weight-decay: expects 0 or a positive number, but got nan");
  EXPECT_EQ(message([](auto &c) { c.momentum = 0.5; }),
            "--momentum: expects 0 with an optimizer other than rsgd, but got "
            "0.5");
  EXPECT_EQ(message([](auto &c) { c.parameters["X"].frozen = true; }),
            "--param: expects a parameter of this model (E, root, W, b, s, "
            "c), but got 'X'");
  EXPECT_EQ(message([](auto &c) { c.parameters["E"].lr = -1; }),
            "--param E: expects lr to be a positive number, but got -1");
  EXPECT_EQ(message([](auto &c) { c.parameters["E"].frozen = true; }),
            "--param E: expects points that are not frozen with "
            "--learn-curvature, but got frozen");
  EXPECT_EQ(message([](auto &c) {
              c.parameters["E"].frozen = c.parameters["c"].frozen = true;
            }),
            "");
  EXPECT_EQ(message([](auto &c) {
              for (const char *name : {"E", "root", "W", "b", "s", "c"})
                c.parameters[name].frozen = true;
            }),
            "--param: expects a parameter that is not frozen, but got none");
}

TEST(Optimizer, ParameterFile) {
  TempFolder folder;
  auto read = [&](const std::string &text, OptimizerConfig &c) {
    return readParameterFile(folder.write("p.json", text), c).message();
  };
  OptimizerConfig c;
  EXPECT_EQ(read(R"({"E": {"lr": 0.01, "weight-decay": 0}, "s": {"frozen":
                     true}})",
                 c),
            "");
  EXPECT_EQ(*c.parameters["E"].lr, 0.01);
  EXPECT_TRUE(c.parameters["s"].frozen);
  std::string path = folder / "p.json";
  for (auto [text, expected] :
       {std::pair(R"({"E": {"lr": "x"}})",
                  "lr to be a number, but got '\"x\"'"),
        std::pair(R"({"E": {"frozen": 1}})", "frozen to be true or false"),
        std::pair(R"({"E": {"rate": 1}})",
                  "lr, weight-decay or frozen, but got 'rate'"),
        std::pair(R"({"E": 3})", "an object of settings, but got number"),
        std::pair(R"([1])", "an object of parameters, but got array"),
        std::pair(R"({"E": {"lr": 1}, "E": {}})", "'E' twice"),
        std::pair(R"({"E": {"lr": 1, "lr": 2}})", "'lr' twice"),
        std::pair(R"({"E": {"lr": 1)", "a JSON object of parameters"),
        std::pair("", "a JSON object of parameters")}) {
    std::string message = read(text, c);
    EXPECT_EQ(message.rfind(path, 0), 0u) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
  std::string deep(100000, '[');
  EXPECT_NE(read(deep, c), "");
}

TEST(Optimizer, ParseRefusesWhatItWouldNotWrite) {
  OptimizerConfig c;
  c.parameters["E"].lr = 0.5;
  Json good = toJson(c);
  auto parses = [](const Json &json) {
    return bool(parseOptimizer(json, "f"));
  };
  EXPECT_TRUE(parses(good));
  EXPECT_FALSE(parses(Json()));
  EXPECT_FALSE(parses(Json::array()));
  for (auto &[key, value] : good.items()) {
    Json bad = good;
    bad.erase(key);
    EXPECT_FALSE(parses(bad)) << key;
    bad[key] = Json::array();
    EXPECT_FALSE(parses(bad)) << key;
  }
  good["more"] = 1;
  EXPECT_FALSE(parses(good));
}
