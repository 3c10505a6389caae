// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Trainer.h"
#include "frontend/data/Ids.h"
#include "frontend/data/Progress.h"
#include "frontend/data/Rng.h"
#include "frontend/train/Initial.h"
#include "frontend/train/StepInputs.h"
#include "runtime/AtomicFile.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace geo;
using data::Batches;
using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Status;
using rt::Tensor;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Of a time limit, what is left for the last validation.
constexpr double validationShare = 0.05;

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Evaluation geo::evaluate(Session &session, ModelState &state,
                         const Batches &batches, data::Protocol protocol) {
  double total = 0, scored = 0, clipped = 0;
  for (int64_t i = 0; i < batches.size(); ++i) {
    StepInputs inputs(batches.get(i), protocol);
    StepResult r = session.evaluate(state, inputs.get());
    total += r.loss * r.scored;
    scored += r.scored;
    clipped += r.clippedStates;
  }
  return {std::exp(total / std::max(scored, 1.0)), int64_t(scored),
          int64_t(clipped)};
}

struct Trainer::Impl {
  TrainOptions options;
  Checkpoint state;
  std::optional<Batches> train, valid;
  std::optional<Session> session;
  std::vector<std::string> metrics; ///< lines, one per finished epoch
  double start = now();
  Tensor dropoutMask;

  std::string path(const char *name) const {
    return (fs::path(options.out) / name).string();
  }
  Status load();
  Status resume();
  Status prepareFolder();
  Expected<EpochMetrics> epoch();
  double progress() const;
  double timeUsed() const {
    return (now() - start) / (60 * options.maxMinutes);
  }
  bool outOfTime() const {
    return options.maxMinutes > 0 && timeUsed() >= 1 - validationShare;
  }
  float *makeDropout();
  Status save(const EpochMetrics &m);
};

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

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

/// What a resumed run must share, by flag.
static Json describe(const TrainOptions &o, const data::Corpus &corpus) {
  return {{"model", name(o.config.kind)},
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
          {"lr", *o.lr},
          {"schedule", o.schedule == Schedule::cosine ? "cosine" : "constant"},
          {"clip", o.clip},
          {"init", *o.embeddingStd},
          {"weight-scale", *o.weightScale},
          {"dropout", o.dropout},
          {"curvature", o.config.curvature},
          {"tau", o.config.tau}};
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
  if (a.kind != b.kind || a.dim != b.dim || a.vocabulary != b.vocabulary ||
      a.learnCurvature != b.learnCurvature || a.learnTau != b.learnTau ||
      (!a.learnCurvature && a.curvature != b.curvature) ||
      (!a.learnTau && a.tau != b.tau) || a.truncate != b.truncate ||
      found->protocol != state.protocol || found->context != state.context)
    return expects(path("last.safetensors"), "the model that its options name",
                   "another");
  RilmConfig config = state.config;
  state = std::move(*found);
  state.config = config;
  auto text = rt::readFile(path("metrics.jsonl"));
  if (!text)
    return text.status();
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    if (int64_t(metrics.size()) < state.epoch)
      metrics.push_back(line);
  return Status::success();
}

Status Trainer::Impl::prepareFolder() {
  std::error_code error;
  if (!options.resume && !options.force &&
      fs::exists(path("last.safetensors"), error))
    return expects("--out", "a folder without a run, --resume or --force",
                   rt::quote(options.out));
  fs::create_directories(options.out, error);
  if (error)
    return expects("--out", "a folder that can be made",
                   rt::quote(options.out) + ": " + error.message());
  // Opens and removes a temporary file of each: found out now, not after the
  // first epoch.
  for (const char *name :
       {"metrics.jsonl", "best.safetensors", "last.safetensors"})
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
    impl->state.state = makeInitialState(options.config, initial);
  }
  if (Status s = impl->prepareFolder(); !s)
    return s;
  SessionOptions sessionOptions;
  sessionOptions.target = options.target;
  sessionOptions.cacheDirectory = options.cacheDirectory;
  sessionOptions.parts.train = sessionOptions.parts.evaluate = true;
  auto session = Session::create(options.config, sessionOptions);
  if (!session)
    return session.status();
  impl->session = std::move(*session);
  return Trainer(std::move(impl));
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// How far the run is, from 0 to 1, in updates or in time.
double Trainer::Impl::progress() const {
  double done = double(state.state.updates) /
                double(options.epochs * std::max<int64_t>(train->size(), 1));
  if (options.maxMinutes > 0)
    done = std::max(done, timeUsed() / (1 - validationShare));
  return std::min(done, 1.0);
}

float *Trainer::Impl::makeDropout() {
  if (!options.config.dropout)
    return nullptr;
  if (dropoutMask.rank() != 2)
    dropoutMask =
        Tensor(DType::F32, {options.config.vocabulary, options.config.dim});
  // A stream of its own for each update, so that a resumed run has the same.
  data::Rng random(options.seed + 0x5eed, uint64_t(state.state.updates));
  auto limit = uint64_t(options.dropout * 65536);
  float keep = float(1 / (1 - options.dropout));
  float *mask = dropoutMask.data<float>();
  uint64_t bits = 0;
  for (int64_t i = 0; i < dropoutMask.numElements(); ++i) {
    bits = i % 4 == 0 ? random.next() : bits >> 16;
    mask[i] = (bits & 0xffff) < limit ? 0.0f : keep;
  }
  return mask;
}

Expected<EpochMetrics> Trainer::Impl::epoch() {
  double begin = now();
  EpochMetrics m;
  m.epoch = state.epoch + 1;
  train->startEpoch(uint64_t(m.epoch));
  data::Progress::Options shown;
  if (options.quiet) {
    shown.terminal = data::Progress::Options::Terminal::No;
    shown.lineSeconds = 1e30;
  }
  data::Progress bar(fmt::format("epoch {}/{}", m.epoch, options.epochs),
                     train->scoredWords(), shown);
  double total = 0, scored = 0, norms = 0;
  int64_t updates = 0;
  for (int64_t i = 0; i < train->size() && !outOfTime(); ++i) {
    StepInputs inputs(train->get(i), options.protocol);
    StepInput in = inputs.get();
    in.dropout = makeDropout();
    m.lr = *options.lr;
    if (options.schedule == Schedule::cosine)
      m.lr *= 0.5 * (1 + std::cos(M_PI * progress()));
    StepResult r = session->train(state.state, in, m.lr, options.clip);
    if (!std::isfinite(r.loss) || !std::isfinite(r.gradientNorm)) {
      bar.finish();
      return expects(
          fmt::format("update {} (epoch {}, batch {})", state.state.updates + 1,
                      m.epoch, i),
          "finite numbers",
          fmt::format("loss {}, gradient norm {}; first not finite: {}", r.loss,
                      r.gradientNorm, session->findNonFinite(state.state)));
    }
    total += r.loss * r.scored;
    scored += r.scored;
    norms += r.gradientNorm;
    m.clippedRows += int64_t(r.clippedPoints);
    m.clippedStates += int64_t(r.clippedStates);
    ++updates;
    bar.update(int64_t(scored), r.loss);
  }
  bar.finish();
  m.updates = state.state.updates;
  m.trainTokens = int64_t(scored);
  m.trainPerplexity = std::exp(total / std::max(scored, 1.0));
  m.gradientNorm = norms / double(std::max<int64_t>(updates, 1));
  Evaluation e = evaluate(*session, state.state, *valid, options.protocol);
  m.validPerplexity = e.perplexity;
  m.scoredTokens = e.scoredTokens;
  m.clippedStates += e.clippedStates;
  m.curvature = options.config.isHyperbolic()
                    ? currentCurvature(options.config, state.state)
                    : 0;
  m.tau = currentTau(options.config, state.state);
  m.seconds = now() - begin;
  return m;
}

Status Trainer::Impl::save(const EpochMetrics &m) {
  state.epoch = m.epoch;
  state.validPerplexity = m.validPerplexity;
  bool best = m.validPerplexity < state.bestPerplexity;
  if (best)
    state.bestPerplexity = m.validPerplexity;
  metrics.push_back(toJson(m));
  std::string text;
  for (const std::string &line : metrics)
    text += line + "\n";
  if (Status s = rt::writeFile(path("metrics.jsonl"), text); !s)
    return s;
  if (best)
    if (Status s = writeCheckpoint(path("best.safetensors"), state); !s)
      return s;
  return writeCheckpoint(path("last.safetensors"), state);
}

Status Trainer::run(const std::function<void(const EpochMetrics &)> &report) {
  while (impl->state.epoch < impl->options.epochs && !impl->outOfTime()) {
    Expected<EpochMetrics> m = impl->epoch();
    if (!m)
      return m.status();
    if (!std::isfinite(m->validPerplexity))
      return expects(fmt::format("validation after epoch {}", m->epoch),
                     "a finite perplexity",
                     fmt::format("{}", m->validPerplexity));
    if (Status s = impl->save(*m); !s)
      return s;
    report(*m);
  }
  return Status::success();
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Trainer::Trainer(Trainer &&) noexcept = default;
Trainer::~Trainer() = default;
const Checkpoint &Trainer::checkpoint() const { return impl->state; }
std::string Trainer::lastPath() const { return impl->path("last.safetensors"); }
std::string Trainer::bestPath() const { return impl->path("best.safetensors"); }

int64_t Trainer::numParameters() const {
  int64_t total = 0;
  for (const Tensor &t : impl->state.state.parameters)
    total += t.numElements();
  return total;
}
