// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/attention/Attention.h"
#include "frontend/data/Rng.h"
#include "runtime/Threads.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace geo;
using namespace geo::examples;
using rt::DType;
using rt::Tensor;

namespace {

/// Those of attention.mlir.
constexpr int64_t labels = 32, positions = 16;

/// Keys and values of a sequence, and one question for each key.
struct Sequence {
  Tensor keys{DType::I32, {positions}}, values{DType::I32, {positions}},
      queries{DType::I32, {positions}}, answers{DType::I32, {positions}};
};

class Model {
public:
  Model(const AttentionOptions &options, const Program &program)
      : program(program), random(options.seed) {
    std::vector<int64_t> shape{labels, options.dim};
    for (Tensor &table : tables) {
      table = Tensor(DType::F32, shape);
      Tensor z(DType::F32, shape);
      for (int64_t i = 0; i < z.numElements(); ++i)
        z.data<float>()[i] = float(0.5 * random.normal());
      program.call("initial", z, table);
    }
    for (Tensor &table : next)
      table = Tensor(DType::F32, shape);
  }

  Sequence draw() {
    Sequence s;
    std::vector<int32_t> keys(labels), order(positions);
    for (int32_t i = 0; i < int32_t(labels); ++i)
      keys[size_t(i)] = i;
    for (int32_t i = 0; i < int32_t(positions); ++i)
      order[size_t(i)] = i;
    random.shuffle(keys);
    random.shuffle(order);
    for (int64_t i = 0; i < positions; ++i) {
      s.keys.data<int32_t>()[i] = keys[size_t(i)];
      s.values.data<int32_t>()[i] = int32_t(random.below(labels));
    }
    for (int64_t i = 0; i < positions; ++i) {
      int32_t at = order[size_t(i)];
      s.queries.data<int32_t>()[i] = s.keys.data<int32_t>()[at];
      s.answers.data<int32_t>()[i] = s.values.data<int32_t>()[at];
    }
    return s;
  }

  double step(double lr) {
    Sequence s = draw();
    double loss = 0, nextBeta = 0, nextTau = 0;
    program.call("step", tables[0], tables[1], tables[2], logBeta, logTau, lr,
                 s.queries, s.keys, s.values, s.answers, loss, next[0], next[1],
                 next[2], nextBeta, nextTau);
    for (int i = 0; i < 3; ++i)
      std::swap(tables[i], next[i]);
    logBeta = nextBeta;
    logTau = nextTau;
    return loss;
  }

  double accuracy(int64_t sequences) {
    double right = 0;
    Tensor p(DType::F32, {positions, labels});
    for (int64_t n = 0; n < sequences; ++n) {
      Sequence s = draw();
      program.call("answers", tables[0], tables[1], tables[2], logBeta, logTau,
                   s.queries, s.keys, s.values, p);
      for (int64_t i = 0; i < positions; ++i) {
        const float *row = p.data<float>() + i * labels;
        right += std::max_element(row, row + labels) - row ==
                 s.answers.data<int32_t>()[i];
      }
    }
    return right / double(sequences * positions);
  }

  double logBeta = 0, logTau = 0;

private:
  const Program &program;
  data::Rng random;
  Tensor tables[3], next[3]; ///< queries, keys, values
};

} // namespace

static rt::Status check(const AttentionOptions &o) {
  struct Size {
    const char *flag;
    int64_t value, least, most;
  };
  for (Size s :
       {Size{"--dim", o.dim, 1, 4096}, Size{"--steps", o.steps, 0, 1 << 24},
        Size{"--threads", o.threads, 0, 4096}})
    if (s.value < s.least || s.value > s.most)
      return rt::expects(
          s.flag, std::to_string(s.least) + " to " + std::to_string(s.most),
          std::to_string(s.value));
  if (!(o.lr > 0) || !std::isfinite(o.lr))
    return rt::expects("--lr", "a positive number", std::to_string(o.lr));
  return {};
}

rt::Expected<AttentionResult>
examples::learnToAttend(const AttentionOptions &options) {
  if (rt::Status status = check(options); !status)
    return status;
  rt::Expected<std::string> space = getSpace(options.space);
  if (!space)
    return space.status();
  std::string d = std::to_string(options.dim), l = std::to_string(labels),
              n = std::to_string(positions);
  auto program = Program::load(
      options.model,
      {{"#space", *space},
       {"!table", "tensor<" + l + "x" + d + "xf32, #space>"},
       {"!coords", "tensor<" + l + "x" + d + "xf32>"},
       {"!queries", "tensor<?x" + d + "xf32, #space>"},
       {"!keys", "tensor<" + n + "x" + d + "xf32, #space>"},
       {"  formula @sqdistance(q: row, k: column)", options.space + "(q, k)"}},
      options.target);
  if (!program)
    return program.status();
  rt::setNumThreads(options.threads);
  auto begin = std::chrono::steady_clock::now();
  Model model(options, *program);
  AttentionResult result;
  int64_t last = std::min<int64_t>(100, options.steps);
  for (int64_t i = 0; i < options.steps; ++i) {
    double left = double(options.steps - i) / double(options.steps);
    double loss = model.step(options.lr * left);
    if (!std::isfinite(loss))
      return rt::expects("--lr", "a rate that keeps the loss finite",
                         std::to_string(loss) + " in step " +
                             std::to_string(i + 1));
    if (i >= options.steps - last)
      result.loss += loss / double(last);
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  result.accuracy = model.accuracy(200);
  result.beta = std::exp(model.logBeta);
  result.tau = std::exp(model.logTau);
  return result;
}
