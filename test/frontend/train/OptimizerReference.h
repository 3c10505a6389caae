// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers from their definitions, one number after the other, in
// doubles.
#ifndef GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H
#define GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H

#include "frontend/train/Session.h"

#include <cmath>

namespace geo {

using Row = std::vector<double>;

/// A small batch: 3 sequences of 4 words and one of 2.
struct SmallBatch {
  std::vector<int32_t> tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 3, 0};
  std::vector<float> mask{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0};

  StepInput get() {
    StepInput in;
    in.steps = 3;
    in.rows = 3;
    in.ids = tokens.data();
    in.valid = mask.data();
    in.targets = tokens.data() + 3;
    in.mask = mask.data() + 3;
    in.startTargets = tokens.data();
    in.startMask = mask.data();
    return in;
  }
};

inline double valueAt(const rt::Tensor &t, int64_t i) {
  return t.dtype() == rt::DType::F64 ? t.data<double>()[i]
                                     : double(t.data<float>()[i]);
}

class OptimizerReference {
public:
  OptimizerReference(Session &session, const OptimizerConfig &config)
      : session(session), config(config),
        list(getParameters(session.getConfig())) {}

  void start(const ModelState &from) {
    for (const rt::Tensor &t : from.parameters) {
      Row row;
      for (int64_t i = 0; i < t.numElements(); ++i)
        row.push_back(valueAt(t, i));
      p.push_back(row);
      m.emplace_back(row.size());
      v.emplace_back(row.size());
      at.parameters.push_back(t.clone());
    }
  }

  const Row &parameter(size_t k) const { return p[k]; }

  void step(const StepInput &in, double lr, double clip) {
    // The gradient at these parameters, rounded to what the model stores.
    for (size_t k = 0; k < p.size(); ++k)
      for (size_t i = 0; i < p[k].size(); ++i) {
        rt::Tensor &t = at.parameters[k];
        if (t.dtype() == rt::DType::F64)
          t.data<double>()[i] = p[k][i];
        else
          t.data<float>()[i] = float(p[k][i]);
      }
    std::vector<rt::Tensor> gradients;
    session.gradient(at, in, gradients);
    double square = 0;
    for (size_t k = 0; k < p.size(); ++k)
      for (size_t i = 0; i < p[k].size() && !settings(k).frozen; ++i)
        square += std::pow(valueAt(gradients[k], i), 2);
    double norm = std::sqrt(square);
    double scale = clip > 0 && norm > clip ? clip / norm : 1;
    ++t;
    for (size_t k = 0; k < p.size(); ++k) {
      if (settings(k).frozen)
        continue;
      Row g;
      for (size_t i = 0; i < p[k].size(); ++i)
        g.push_back(scale * valueAt(gradients[k], i));
      flat(k, g, lr);
    }
  }

private:
  ParameterSettings settings(size_t k) const {
    auto found =
        config.parameters.find(list[k].name[0] == 'W' ? "W" : list[k].name);
    return found == config.parameters.end() ? ParameterSettings()
                                            : found->second;
  }
  double rate(size_t k, double lr) const {
    return settings(k).lr ? lr * *settings(k).lr / config.lr : lr;
  }
  double decay(size_t k) const {
    return settings(k).weightDecay.value_or(
        list[k].shape.size() == 2 ? config.weightDecay : 0);
  }

  void flat(size_t k, const Row &g, double lr) {
    double a = rate(k, lr);
    for (size_t i = 0; i < g.size(); ++i) {
      double moved;
      if (config.kind == OptimizerKind::rsgd) {
        m[k][i] = config.momentum * m[k][i] + g[i];
        moved = m[k][i];
      } else {
        m[k][i] = config.beta1 * m[k][i] + (1 - config.beta1) * g[i];
        v[k][i] = config.beta2 * v[k][i] + (1 - config.beta2) * g[i] * g[i];
        moved = m[k][i] / (1 - std::pow(config.beta1, t)) /
                (std::sqrt(v[k][i] / (1 - std::pow(config.beta2, t))) +
                 config.epsilon);
      }
      p[k][i] -= a * (moved + decay(k) * p[k][i]);
    }
  }

  Session &session;
  const OptimizerConfig &config;
  std::vector<Parameter> list;
  std::vector<Row> p, m, v;
  ModelState at;
  int t = 0;
};

} // namespace geo

#endif // GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H
