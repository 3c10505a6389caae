// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of an optimizer and its schedule, for several subcommands.
#include "frontend/tools/rilm-optimizer.h"

using namespace geo;
using namespace geo::tools;

/// The one of `values` that goes by the name `text`.
template <typename T>
static rt::Status choose(const char *flag, const std::string &text, T &into,
                         std::initializer_list<T> values) {
  std::string names;
  for (T value : values) {
    names += (names.empty() ? "" : ", ") + std::string(name(value));
    if (text == name(value)) {
      into = value;
      return rt::Status::success();
    }
  }
  return rt::expects(flag, "one of " + names, rt::quote(text));
}

rt::Status tools::applyOptimizer(const OptimizerFlags &flags,
                                 OptimizerConfig &optimizer) {
  if (rt::Status s = choose(
          "--optimizer", flags.optimizer, optimizer.kind,
          {OptimizerKind::adam, OptimizerKind::rsgd, OptimizerKind::radam});
      !s)
    return s;
  if (rt::Status s =
          choose("--retraction", flags.retraction, optimizer.retraction,
                 {Retraction::exp, Retraction::firstOrder});
      !s)
    return s;
  // What stands on the command line comes later, and so counts.
  if (!flags.parameterFile.empty())
    if (rt::Status s = readParameterFile(flags.parameterFile, optimizer); !s)
      return s;
  for (const std::string &text : flags.parameters)
    if (rt::Status s = parseParameterFlag(text, optimizer); !s)
      return s;
  return rt::Status::success();
}

rt::Status tools::applySchedule(const ScheduleFlags &flags,
                                Schedule &schedule) {
  return choose(
      "--schedule", flags.schedule, schedule.kind,
      {ScheduleKind::constant, ScheduleKind::cosine, ScheduleKind::step});
}

void tools::addOptimizer(CLI::App &sub, OptimizerFlags &flags,
                         OptimizerConfig &optimizer) {
  auto add = [&](const char *flag, auto &value, const char *text) {
    return sub.add_option(flag, value, text);
  };
  add("--optimizer", flags.optimizer,
      "adam (with projection), rsgd (Riemannian SGD) or radam (Riemannian "
      "Adam)")
      ->capture_default_str();
  add("--retraction", flags.retraction,
      "How rsgd and radam move points: exp, or first-order")
      ->capture_default_str();
  add("--momentum", optimizer.momentum, "Of rsgd")->capture_default_str();
  add("--beta1", optimizer.beta1, "Of adam and radam")->capture_default_str();
  add("--beta2", optimizer.beta2, "Of adam and radam")->capture_default_str();
  add("--epsilon", optimizer.epsilon, "Of adam and radam")
      ->capture_default_str();
  add("--weight-decay", optimizer.weightDecay,
      "Of points and matrices, decoupled from the gradient")
      ->capture_default_str();
  add("--param", flags.parameters,
      "Settings of one parameter (E, root, W, b, s, c, log_tau), as "
      "E:lr=0.001,weight-decay=0 or s:frozen; may be repeated")
      ->expected(1)
      ->take_all();
  add("--param-file", flags.parameterFile,
      "The same as a JSON file: {\"E\": {\"lr\": 0.001}, \"s\": "
      "{\"frozen\": true}}");
}

void tools::addSchedule(CLI::App &sub, ScheduleFlags &flags,
                        Schedule &schedule) {
  sub.add_option("--schedule", flags.schedule,
                 "constant, cosine (to 0) or step (see --step-every)")
      ->capture_default_str();
  sub.add_option("--warmup", schedule.warmup,
                 "Updates in which the rate rises from 0")
      ->capture_default_str();
  sub.add_option("--step-every", schedule.stepEvery,
                 "Epochs after which --schedule step lowers the rate")
      ->capture_default_str();
  sub.add_option("--step-factor", schedule.stepFactor,
                 "What it multiplies it by")
      ->capture_default_str();
}
