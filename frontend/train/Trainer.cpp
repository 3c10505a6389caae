// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Trainer.h"
#include "frontend/data/Progress.h"
#include "frontend/data/Rng.h"
#include "frontend/train/StepInputs.h"
#include "frontend/train/TrainerImpl.h"
#include "runtime/AtomicFile.h"

#include <cmath>

#include <fmt/format.h>

using namespace geo;
using data::Batches;
using rt::DType;
using rt::Expected;
using rt::expects;
using rt::Status;
using rt::Tensor;

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

double Trainer::Impl::progress() const {
  double done = double(state.state.updates) /
                double(options.epochs * std::max<int64_t>(train->size(), 1));
  if (options.maxMinutes > 0)
    done = std::max(done, timeUsed() / (1 - validationShare));
  return std::min(done, 1.0);
}

void *Trainer::Impl::makeDropout() {
  if (!options.config.dropout)
    return nullptr;
  if (dropoutMask.rank() != 2)
    dropoutMask = Tensor(storageType(options.config),
                         {options.config.vocabulary, options.config.dim});
  // A stream of its own for each update, so that a resumed run has the same.
  data::Rng random(options.seed + 0x5eed, uint64_t(state.state.updates));
  auto limit = uint64_t(options.dropout * 65536);
  double keep = 1 / (1 - options.dropout);
  auto fill = [&](auto *mask) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < dropoutMask.numElements(); ++i) {
      bits = i % 4 == 0 ? random.next() : bits >> 16;
      mask[i] = (bits & 0xffff) < limit ? 0 : keep;
    }
  };
  if (dropoutMask.dtype() == DType::F64)
    fill(dropoutMask.data<double>());
  else
    fill(dropoutMask.data<float>());
  return dropoutMask.raw();
}

Status Trainer::Impl::updates(const std::function<void(int64_t)> &updated,
                              double &lr) {
  EpochProgress &p = state.progress;
  data::Progress::Options shown;
  if (options.quiet) {
    shown.terminal = data::Progress::Options::Terminal::No;
    shown.lineSeconds = 1e30;
  }
  data::Progress bar(
      fmt::format("epoch {}/{}", state.epoch + 1, options.epochs),
      train->scoredWords(), shown);
  while (p.batches < train->size() && !outOfTime()) {
    StepInputs inputs(train->get(p.batches), options.protocol);
    StepInput in = inputs.get();
    in.dropout = makeDropout();
    lr = options.optimizer.lr *
         options.schedule.factor(state.state.updates,
                                 options.epochs * train->size(), state.epoch,
                                 progress());
    StepResult r = session->train(state.state, in, lr, options.clip);
    if (r.outside) {
      bar.finish();
      return Status::error(fmt::format("update {} (epoch {}, batch {}): {}",
                                       state.state.updates, state.epoch + 1,
                                       p.batches, r.outside->message()));
    }
    if (!r.finding.empty()) {
      bar.finish();
      return Status::error(fmt::format("update {} (epoch {}, batch {}): {}",
                                       state.state.updates, state.epoch + 1,
                                       p.batches, r.finding));
    }
    if (!std::isfinite(r.loss) || !std::isfinite(r.gradientNorm)) {
      bar.finish();
      return expects(
          fmt::format("update {} (epoch {}, batch {})", state.state.updates + 1,
                      state.epoch + 1, p.batches),
          "finite numbers",
          fmt::format("loss {}, gradient norm {}; first not finite: {}", r.loss,
                      r.gradientNorm, session->findNonFinite(state.state)));
    }
    p.loss += r.loss * r.scored;
    p.scored += r.scored;
    p.gradientNorms += r.gradientNorm;
    p.clippedRows += int64_t(r.clippedPoints);
    p.clippedStates += int64_t(r.clippedStates);
    ++p.batches;
    bar.update(int64_t(p.scored), r.loss);
    if (options.checkpointEvery > 0 &&
        state.state.updates % options.checkpointEvery == 0)
      if (Status s = writeCheckpoint(path("last.safetensors"), state); !s)
        return s;
    if (updated)
      updated(state.state.updates);
  }
  return Status::success();
}

Expected<EpochMetrics>
Trainer::Impl::epoch(const std::function<void(int64_t)> &updated) {
  double begin = secondsNow();
  EpochMetrics m;
  m.epoch = state.epoch + 1;
  train->startEpoch(uint64_t(m.epoch));
  if (Status s = updates(updated, m.lr); !s)
    return s;
  const EpochProgress &p = state.progress;
  m.updates = state.state.updates;
  m.trainTokens = int64_t(p.scored);
  m.trainPerplexity = std::exp(p.loss / std::max(p.scored, 1.0));
  m.gradientNorm = p.gradientNorms / double(std::max<int64_t>(p.batches, 1));
  m.clippedRows = p.clippedRows;
  Evaluation e = evaluate(*session, state.state, *valid, options.protocol);
  m.validPerplexity = e.perplexity;
  m.scoredTokens = e.scoredTokens;
  m.clippedStates = p.clippedStates + e.clippedStates;
  if (options.config.isHyperbolic())
    m.curvatures = currentCurvatures(options.config, state.state);
  m.tau = currentTau(options.config, state.state);
  m.seconds = secondsNow() - begin;
  if (!std::isfinite(m.validPerplexity))
    return expects(fmt::format("validation after epoch {}", m.epoch),
                   "a finite perplexity", fmt::format("{}", m.validPerplexity));
  return m;
}

Status Trainer::Impl::writeMetrics() {
  std::string text;
  for (const std::string &line : metrics)
    text += line + "\n";
  return rt::writeFile(path("metrics.jsonl"), text);
}

/// Last comes last: a run that is killed before it is written repeats the
/// epoch's end, with the same results.
Status Trainer::Impl::saveEpoch(const EpochMetrics &m) {
  state.epoch = m.epoch;
  state.validPerplexity = m.validPerplexity;
  state.progress = EpochProgress();
  bool best = m.validPerplexity < state.bestPerplexity;
  state.epochsSinceBest = best ? 0 : state.epochsSinceBest + 1;
  if (best)
    state.bestPerplexity = m.validPerplexity;
  metrics.push_back(toJson(m));
  if (Status s = writeMetrics(); !s)
    return s;
  if (best)
    if (Status s = writeCheckpoint(path("best.safetensors"), state); !s)
      return s;
  return writeCheckpoint(path("last.safetensors"), state);
}

/// From here on the folder is this run's, and can be resumed.
Status Trainer::Impl::begin() {
  if (options.resume)
    return Status::success();
  std::error_code error;
  std::filesystem::remove(path("best.safetensors"), error);
  if (error)
    return expects(path("best.safetensors"), "a file that can be replaced",
                   error.message());
  if (Status s = writeMetrics(); !s)
    return s;
  return writeCheckpoint(path("last.safetensors"), state);
}

bool Trainer::Impl::finished() const {
  return state.epoch >= options.epochs || outOfTime() ||
         (options.patience > 0 && state.epochsSinceBest >= options.patience);
}

Status Trainer::run(const std::function<void(const EpochMetrics &)> &report,
                    const std::function<void(int64_t)> &updated) {
  if (Status s = impl->begin(); !s)
    return s;
  while (!impl->finished()) {
    Expected<EpochMetrics> m = impl->epoch(updated);
    if (!m)
      return m.status();
    if (Status s = impl->saveEpoch(*m); !s)
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

std::string Trainer::lastMetrics() const {
  return impl->metrics.empty() ? "" : impl->metrics.back();
}
