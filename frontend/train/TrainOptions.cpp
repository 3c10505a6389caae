// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/models/Manifold.h"
#include "frontend/train/Trainer.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using rt::expects;
using rt::Status;

/// What trains well, by model; see docs/tutorial.md.
struct ModelDefaults {
  double embeddingStd, weightScale;
  int64_t truncate;
};
static ModelDefaults defaultsOf(RilmKind kind) {
  switch (kind) {
  case RilmKind::flat:
    return {0.1, 0.1, 0};
  case RilmKind::hyp:
    return {0.05, 0.3, 0};
  case RilmKind::naive:
    return {0.05, 0.3, 8};
  case RilmKind::file: // says how its parameters begin
    return {0.05, 0.3, 0};
  }
  return {};
}

static double defaultRate(OptimizerKind kind) {
  switch (kind) {
  case OptimizerKind::adam:
    return 3e-3;
  case OptimizerKind::rsgd:
    return 1;
  case OptimizerKind::radam:
    return 0.02;
  }
  return 0;
}

Status geo::completeOptions(TrainOptions &o) {
  ModelDefaults defaults = defaultsOf(o.config.kind);
  o.optimizer.lr = o.lr.value_or(defaultRate(o.optimizer.kind));
  double init =
      *(o.embeddingStd = o.embeddingStd.value_or(defaults.embeddingStd));
  double scale =
      *(o.weightScale = o.weightScale.value_or(defaults.weightScale));
  o.truncate = o.config.truncate = o.truncate.value_or(defaults.truncate);
  struct Check {
    const char *flag, *what;
    double value;
    bool ok;
  };
  auto positive = [](double x) { return std::isfinite(x) && x > 0; };
  auto notNegative = [](double x) { return std::isfinite(x) && x >= 0; };
  const Check checks[] = {
      {"--curvature", "c > 0", o.config.curvature,
       positive(o.config.curvature)},
      {"--tau", "a positive number", o.config.tau, positive(o.config.tau)},
      {"--clip", "0 (off) or a positive number", o.clip, notNegative(o.clip)},
      {"--init", "a positive number", init, positive(init)},
      {"--weight-scale", "0 or a positive number", scale, notNegative(scale)},
      {"--dropout", "a number from 0 to below 1", o.dropout,
       o.dropout >= 0 && o.dropout < 1},
      {"--keep-memory", "0 or a positive number", o.keepMegabytes.value_or(0),
       notNegative(o.keepMegabytes.value_or(0))},
      {"--max-minutes", "0 (no limit) or a positive number", o.maxMinutes,
       notNegative(o.maxMinutes)},
      {"--truncate", "0 (off) or a number to 2^30", double(o.config.truncate),
       o.config.truncate >= 0 && o.config.truncate <= (1 << 30)},
      {"--dim", "1 to 65536", double(o.config.dim),
       o.config.dim >= 1 && o.config.dim <= 65536},
      {"--epochs", "0 (write the first checkpoint) to 2^30", double(o.epochs),
       o.epochs >= 0 && o.epochs <= (1 << 30)},
      {"--warmup", "0 or a number of updates to 2^30",
       double(o.schedule.warmup),
       o.schedule.warmup >= 0 && o.schedule.warmup <= (1 << 30)},
      {"--step-every", "1 or more epochs", double(o.schedule.stepEvery),
       o.schedule.stepEvery >= 1},
      {"--step-factor", "a number above 0 and at most 1", o.schedule.stepFactor,
       o.schedule.stepFactor > 0 && o.schedule.stepFactor <= 1},
      {"--checkpoint-every", "0 (after epochs only) or a number of updates",
       double(o.checkpointEvery), o.checkpointEvery >= 0},
      {"--patience", "0 (off) or a number of epochs", double(o.patience),
       o.patience >= 0},
      {"--batch", "1 or more", double(o.batch), o.batch >= 1},
      {"--context", "1 or more", double(o.context), o.context >= 1}};
  for (const Check &c : checks)
    if (!c.ok)
      return expects(c.flag, c.what, fmt::format("{}", c.value));
  if (o.config.file && o.dropout > 0)
    return expects("--dropout", "0 with --model-file",
                   fmt::format("{}", o.dropout));
  if (o.initialFile.empty() != o.initialMap.empty())
    return expects("--init-from", "a file and --init-map", "one of the two");
  if (o.resume && !o.initialFile.empty())
    return expects("--init-from", "no --resume, which continues",
                   rt::quote(o.initialFile));
  if (!o.config.manifold.empty() && o.config.kind != RilmKind::hyp)
    return expects("--manifold", std::string("model hyp"), name(o.config.kind));
  if (Status s = readManifold(o.config, "--manifold"); !s)
    return s;
  if (o.config.learnCurvature &&
      (!o.config.isHyperbolic() || o.config.getCurvatures().empty()))
    return expects("--learn-curvature", std::string("a curvature"),
                   o.config.manifold.empty() ? name(o.config.kind)
                                             : rt::quote(o.config.manifold));
  o.config.dropout = o.dropout > 0;
  o.config.scoreRoot = o.protocol == data::Protocol::Lines;
  return check(o.config, o.optimizer);
}

std::string geo::toJson(const EpochMetrics &m) {
  nlohmann::ordered_json json{
      {"epoch", m.epoch},
      {"train_ppl", m.trainPerplexity},
      {"valid_ppl", m.validPerplexity},
      {"scored_tokens", m.scoredTokens},
      {"train_tokens", m.trainTokens},
      {"updates", m.updates},
      {"clipped_rows", m.clippedRows},
      {"clipped_states", m.clippedStates},
      {"gradient_norm", m.gradientNorm},
      {"lr", m.lr},
      {"curvature", m.curvatures.empty() ? 0.0 : m.curvatures[0]},
      {"tau", m.tau},
      {"seconds", m.seconds}};
  if (m.curvatures.size() > 1)
    json["curvatures"] = m.curvatures;
  return json.dump();
}
