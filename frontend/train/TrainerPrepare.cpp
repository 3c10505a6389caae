// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/data/Ids.h"
#include "frontend/models/ModelFile.h"
#include "frontend/train/Initial.h"
#include "frontend/train/InitialFile.h"
#include "frontend/train/TrainerImpl.h"
#include "runtime/AtomicFile.h"

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using data::Batches;
using rt::Expected;
using rt::expects;
using rt::Status;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char *outputs[] = {"metrics.jsonl", "best.safetensors",
                                   "last.safetensors"};

/// FNV-1a of the words, so that a run is not resumed on another text.
static std::string fingerprint(const data::Lines &lines) {
  uint64_t hash = 0xcbf29ce484222325;
  auto mix = [&](uint64_t x) { hash = (hash ^ x) * 0x100000001b3; };
  for (int32_t id : lines.ids)
    mix(uint64_t(id));
  for (int64_t s : lines.starts)
    mix(uint64_t(s));
  for (int32_t id : lines.targets)
    mix(uint64_t(id));
  return fmt::format("{:016x}", hash);
}

static std::string fingerprint(const std::string &text) {
  data::Lines bytes;
  bytes.ids.assign(text.begin(), text.end());
  return fingerprint(bytes);
}

/// What a resumed run must share, by flag.
static Json describe(const TrainOptions &o, const data::Corpus &corpus) {
  Json json{{"model", name(o.config.kind)},
            {"dtype", name(o.config.storage)},
            {"corpus", fingerprint(corpus[data::Split::Train])},
            {"vocab", o.config.vocabulary},
            {"dim", o.config.dim},
            {"learn-curvature", o.config.learnCurvature},
            {"learn-tau", o.config.learnTau},
            {"truncate", o.config.truncate},
            {"protocol", data::name(o.protocol)},
            {"context", o.context},
            {"batch", o.batch},
            {"epochs", o.epochs},
            {"seed", o.seed},
            {"schedule", name(o.schedule.kind)},
            {"warmup", o.schedule.warmup},
            {"step-every", o.schedule.stepEvery},
            {"step-factor", o.schedule.stepFactor},
            {"clip", o.clip},
            {"init", *o.embeddingStd},
            {"weight-scale", *o.weightScale},
            {"dropout", o.dropout},
            {"curvature", o.config.curvature},
            {"manifold", o.config.manifold},
            {"tau", o.config.tau}};
  if (o.config.file)
    json["model-file"] = fingerprint(o.config.file->text);
  json.update(toJson(o.optimizer));
  return json;
}

Status Trainer::Impl::load() {
  if (options.out.empty())
    return expects("--out", "a folder", "none");
  auto corpus =
      options.ids.empty()
          ? data::loadCorpus(options.corpus, options.vocabulary.value_or(2000))
          : data::loadIds(options.ids, options.targets, options.vocabulary);
  if (!corpus)
    return corpus.status();
  options.config.vocabulary = corpus->vocabulary.size();
  state.config = options.config;
  state.optimizer = options.optimizer;
  state.protocol = options.protocol;
  state.context = options.context;
  state.training = describe(options, *corpus).dump();
  data::BatchOptions batching;
  batching.protocol = options.protocol;
  batching.context = options.context;
  batching.batch = options.batch;
  batching.seed = options.seed;
  for (auto [split, into] : {std::pair(data::Split::Train, &train),
                             std::pair(data::Split::Valid, &valid)}) {
    batching.shuffle = split == data::Split::Train;
    auto made =
        Batches::create((*corpus)[split], batching,
                        options.ids.empty() ? options.corpus : options.ids);
    if (!made)
      return made.status();
    *into = std::move(*made);
  }
  state.vocabulary = std::move(corpus->vocabulary);
  return Status::success();
}

Status Trainer::Impl::resume() {
  auto found = readCheckpoint(path("last.safetensors"));
  if (!found)
    return found.status();
  Json then = Json::parse(found->training, nullptr, /*allow_exceptions=*/false);
  Json now = Json::parse(state.training);
  if (!then.is_object())
    return expects(path("last.safetensors"), "the options of a run",
                   rt::quote(found->training));
  then.emplace("dtype", name(Storage::f32)); // of runs that had no choice
  then.emplace("manifold", "");
  for (auto &[flag, value] : now.items())
    if (then.value(flag, Json()) != value)
      return expects("--" + flag,
                     rt::quote(then.value(flag, Json()).dump()) +
                         " as in the run to resume",
                     rt::quote(value.dump()));
  if (found->vocabulary.all() != state.vocabulary.all())
    return expects(options.ids.empty() ? "--corpus" : "--ids",
                   "the text of the run to resume", "another");
  // The line of options and the model itself must tell the same story.
  const RilmConfig &a = found->config, &b = state.config;
  if (a.kind != b.kind || a.storage != b.storage || a.dim != b.dim ||
      a.manifold != b.manifold || a.vocabulary != b.vocabulary ||
      a.learnCurvature != b.learnCurvature || a.learnTau != b.learnTau ||
      (!a.learnCurvature && a.curvature != b.curvature) ||
      (!a.learnTau && a.tau != b.tau) || a.truncate != b.truncate ||
      found->protocol != state.protocol || found->context != state.context ||
      (a.file && b.file && a.file->text != b.file->text) ||
      toJson(found->optimizer) != toJson(state.optimizer))
    return expects(path("last.safetensors"), "the model that its options name",
                   "another");
  RilmConfig config = state.config;
  state = std::move(*found);
  state.config = config;
  if (state.progress.batches > train->size())
    return expects(
        path("last.safetensors"),
        fmt::format("at most the {} batches of an epoch", train->size()),
        fmt::format("{}", state.progress.batches));
  return readMetrics();
}

Status Trainer::Impl::readMetrics() {
  auto text = rt::readFile(path("metrics.jsonl"));
  if (!text)
    return text.status();
  std::istringstream lines(*text);
  // A run that is killed may leave one line more than its checkpoint has
  // epochs.
  for (std::string line; std::getline(lines, line);)
    if (int64_t(metrics.size()) < state.epoch)
      metrics.push_back(line);
  if (int64_t(metrics.size()) < state.epoch)
    return expects(
        path("metrics.jsonl"),
        fmt::format("the {} epochs of last.safetensors", state.epoch),
        fmt::format("{} lines", metrics.size()));
  return Status::success();
}

Status Trainer::Impl::prepareFolder() {
  std::error_code error;
  if (!options.resume && !options.force &&
      (fs::exists(path("last.safetensors"), error) ||
       fs::exists(path("best.safetensors"), error)))
    return expects("--out", "a folder without a run, --resume or --force",
                   rt::quote(options.out));
  fs::create_directories(options.out, error);
  if (error)
    return expects("--out", "a folder that can be made",
                   rt::quote(options.out) + ": " + error.message());
  for (const char *name : outputs)
    rt::removeAbandoned(path(name));
  // Opens and removes a temporary file of each: found out now, not after the
  // first epoch.
  for (const char *name : outputs)
    if (Status s = rt::AtomicFile(path(name)).open(); !s)
      return s;
  return Status::success();
}

/// Which text there is, and how it is read.
static Status chooseInput(TrainOptions &o) {
  if (o.corpus.empty() == o.ids.empty())
    return expects("--corpus", "a text, or --ids instead of it",
                   o.ids.empty() ? "none" : "both");
  if (!o.targets.empty() && o.ids.empty())
    return expects("--targets", "--ids beside it", "none");
  o.protocol = o.askedProtocol.value_or(
      o.ids.empty() ? data::Protocol::Lines : data::Protocol::Windows);
  if (!o.targets.empty() && o.protocol == data::Protocol::Lines)
    return expects("--protocol", "windows with --targets", "lines");
  return Status::success();
}

Expected<Trainer> Trainer::prepare(TrainOptions options) {
  if (Status s = chooseInput(options); !s)
    return s;
  if (Status s = completeOptions(options); !s)
    return s;
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  if (Status s = impl->load(); !s)
    return s;
  options.config = impl->options.config;
  if (options.resume) {
    if (Status s = impl->resume(); !s)
      return s;
  } else {
    InitialOptions initial;
    initial.seed = options.seed;
    initial.embeddingStd = *options.embeddingStd;
    initial.weightScale = *options.weightScale;
    impl->state.state =
        makeInitialState(options.config, initial, options.optimizer);
  }
  if (Status s = impl->prepareFolder(); !s)
    return s;
  SessionOptions sessionOptions;
  sessionOptions.target = options.target;
  sessionOptions.optimizer = options.optimizer;
  sessionOptions.checkPoints = options.checkPoints;
  sessionOptions.simtCheck = options.simtCheck;
  sessionOptions.batch.rows = options.batch * options.context;
  if (options.keepMegabytes)
    sessionOptions.batch.keepBytes =
        static_cast<int64_t>(std::min(*options.keepMegabytes, 1e9) * 1e6);
  sessionOptions.cacheDirectory = options.cacheDirectory;
  sessionOptions.parts.train = sessionOptions.parts.evaluate = true;
  bool startsElsewhere =
      options.config.file || !options.config.manifold.empty();
  sessionOptions.parts.project = startsElsewhere && !options.resume;
  auto session = Session::create(options.config, sessionOptions);
  if (!session)
    return session.status();
  impl->session = std::move(*session);
  if (sessionOptions.parts.project)
    impl->session->project(impl->state.state);
  if (!options.initialFile.empty())
    if (Status s = loadInitial(impl->state.state, options.config,
                               impl->state.vocabulary, options.initialFile,
                               options.initialMap);
        !s)
      return s;
  return Trainer(std::move(impl));
}
