// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/tools/rilm-optimizer.h"
#include "frontend/train/Trainer.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

namespace {
struct TrainCommand {
  TrainOptions options;
  std::string modelFile;
  RunOptions run;
  std::string protocol;
  OptimizerFlags optimizer;
  ScheduleFlags schedule;
  bool json = false;
};
} // namespace

static int runTrain(TrainCommand &command) {
  TrainOptions &options = command.options;
  if (!command.protocol.empty()) {
    auto protocol = data::parseProtocol(command.protocol);
    if (!protocol)
      return report(protocol.status(), badInput);
    options.askedProtocol = *protocol;
  }
  if (rt::Status s = loadModelFile(command.modelFile, options.config); !s)
    return report(s, badInput);
  if (rt::Status s = applyOptimizer(command.optimizer, options.optimizer); !s)
    return report(s, badInput);
  if (rt::Status s = applySchedule(command.schedule, options.schedule); !s)
    return report(s, badInput);
  if (rt::Status s = apply(command.run); !s)
    return report(s, badInput);
  options.target = command.run.target;
  options.checkPoints = command.run.checkPoints;
  options.simtCheck = command.run.simtCheck;
  options.cacheDirectory = cacheDirectory();
  options.quiet = command.json;

  auto trainer = Trainer::prepare(options);
  if (!trainer)
    return report(trainer.status(), badInput);
  if (!command.json)
    fmt::print("{}, {} parameters\n",
               command.modelFile.empty()
                   ? name(options.config.kind) + std::string(" RiLM")
                   : command.modelFile,
               trainer->numParameters());
  rt::Status status = trainer->run([&](const EpochMetrics &m) {
    if (!command.json) {
      fmt::print("epoch {}: train {:.2f}, valid {:.2f} perplexity, {:.0f} s\n",
                 m.epoch, m.trainPerplexity, m.validPerplexity, m.seconds);
      std::fflush(stdout);
    }
  });
  if (!status)
    return report(status, failed);
  if (command.json) {
    // What a resumed run found there may be anything.
    auto summary =
        nlohmann::ordered_json::parse(trainer->lastMetrics(), nullptr,
                                      /*allow_exceptions=*/false);
    if (!summary.is_object())
      summary = nlohmann::ordered_json::object();
    summary["model"] = name(options.config.kind);
    summary["parameters"] = trainer->numParameters();
    summary["checkpoint"] = trainer->lastPath();
    printJson(summary);
  } else {
    fmt::print("checkpoint: {}\n", trainer->lastPath());
  }
  return 0;
}

void tools::addTrain(CLI::App &app, int &exitCode) {
  auto command = std::make_shared<TrainCommand>();
  TrainOptions &o = command->options;
  CLI::App *sub = app.add_subcommand("train", "Train a model on a text");
  sub->footer(
      "Examples:\n"
      "  rilm train --model hyp --corpus ptb/ --vocab 2000 --out run\n"
      "  rilm train --model flat --corpus novel.txt --protocol windows "
      "--batch 128 --out run\n"
      "  rilm train --model hyp --corpus ptb/ --vocab 2000 --out run --resume\n"
      "  rilm train --model hyp --ids ids.npy --out run\n"
      "OUT gets metrics.jsonl (a line per epoch), last.safetensors and "
      "best.safetensors.");
  addModel(*sub, o.config.kind);
  sub->add_option("--corpus", o.corpus,
                  "A text file (split 90/5/5 by lines), or a folder with "
                  "files *.train.*, *.valid.*, *.test.*");
  sub->add_option("--ids", o.ids,
                  "Instead of a text: word numbers in a .npy file (int32 or "
                  "int64, split 90/5/5), or a folder with ids.train.npy, "
                  "ids.valid.npy, ids.test.npy");
  sub->add_option("--targets", o.targets,
                  "With --ids: what follows each word, a .npy file as long, or "
                  "a folder with targets.train.npy, ... (default: the next "
                  "word)");
  sub->add_option("--out", o.out, "Folder for metrics and checkpoints")
      ->required();
  auto add = [&](const char *flag, auto &value, const char *text) {
    return sub->add_option(flag, value, text);
  };
  add("--vocab", o.vocabulary,
      "Most frequent words to keep (default: 2000), or with --ids the number "
      "of words (default: what they ask for)");
  add("--dim", o.config.dim, "Dimension d")->capture_default_str();
  addStorage(*sub, o.config.storage);
  add("--context", o.context, "Words of a sequence")->capture_default_str();
  add("--batch", o.batch, "Sequences of an update")->capture_default_str();
  add("--epochs", o.epochs,
      "Passes over the text (0: only write the first checkpoint)")
      ->capture_default_str();
  add("--max-minutes", o.maxMinutes,
      "End after this time, the schedule with it (0: no limit)")
      ->capture_default_str();
  add("--seed", o.seed, "Of initial values, shuffling and dropout")
      ->capture_default_str();
  add("--protocol", command->protocol,
      "lines: every line by itself, each word scored; windows: the stream in "
      "windows, the first word not scored (default: lines, with --ids "
      "windows)");
  add("--lr", o.lr, "Learning rate (default: 0.003; rsgd: 1, radam: 0.02)");
  addOptimizer(*sub, command->optimizer, o.optimizer);
  addSchedule(*sub, command->schedule, o.schedule);
  add("--clip", o.clip, "Largest norm of the gradient (0: off)")
      ->capture_default_str();
  add("--init", o.embeddingStd,
      "Standard deviation of a coordinate of an initial embedding (default: "
      "0.1 flat, 0.05 hyp and naive)");
  add("--weight-scale", o.weightScale,
      "Initial W and b are uniform within this over sqrt(2 d) (default: 0.1 "
      "flat, 0.3 hyp and naive)");
  add("--dropout", o.dropout, "Of the words' input terms")
      ->capture_default_str();
  add("--curvature", o.config.curvature, "c > 0 of the ball")
      ->capture_default_str();
  add("--manifold", o.config.manifold,
      "hyp: the manifold of states and words, as #geo.lorentz<1.0> or "
      "\"#geo.product<#geo.poincare<1.0> x 64, #geo.euclidean x 64>\" "
      "(default: the ball of --curvature)")
      ->excludes(sub->get_option("--curvature"));
  sub->add_flag("--learn-curvature", o.config.learnCurvature,
                "Learn c from there on");
  add("--tau", o.config.tau, "Temperature of the decoder")
      ->capture_default_str();
  sub->add_flag("--learn-tau", o.config.learnTau, "Learn tau from there on");
  add("--truncate", o.truncate,
      "Cut the state's gradient every so many steps (0: never; default: 0 "
      "flat and hyp, 8 naive)");
  add("--keep-memory", o.keepMegabytes,
      "Megabytes that a recurrence may keep for the gradient; the rest is "
      "computed again (default: no limit)");
  add("--checkpoint-every", o.checkpointEvery,
      "Also write last.safetensors after so many updates (0: after epochs "
      "only)")
      ->capture_default_str();
  add("--patience", o.patience,
      "End after so many epochs without a better validation perplexity (0: "
      "never)")
      ->capture_default_str();
  addModelFile(*sub, command->modelFile,
               {"--model", "--dim", "--dtype", "--init", "--weight-scale",
                "--curvature", "--manifold", "--learn-curvature", "--tau",
                "--learn-tau", "--dropout"});
  add("--init-from", o.initialFile,
      "Begin with tensors of this safetensors file, those that --init-map "
      "names");
  add("--init-map", o.initialMap,
      "JSON from parameters to tensors (docs/coming-from-geoopt.md)");
  addRunOptions(*sub, command->run);
  sub->add_flag("--resume", o.resume, "Continue the run in OUT");
  sub->add_flag("--force", o.force, "Replace the run in OUT");
  sub->add_flag("--json", command->json, "Print one line of JSON at the end");
  sub->callback([command, &exitCode] { exitCode = runTrain(*command); });
}
