// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers from their definitions, one number after the other, in
// doubles.
#ifndef GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H
#define GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H

#include "ManifoldReference.h"
#include "frontend/train/Session.h"
#include "test/frontend/train/SmallBatch.h"

#include <algorithm>
#include <cmath>

namespace geo {

inline double valueAt(const rt::Tensor &t, int64_t i) {
  return t.dtype() == rt::DType::F64 ? t.data<double>()[i]
                                     : double(t.data<float>()[i]);
}

/// What an optimizer knows of one point.
struct PointState {
  Row m;
  double v = 0;
};

/// Update t of the point x by the Riemannian optimizers, at rate a.
inline Row movePoint(const OptimizerConfig &config,
                     const ManifoldReference &manifold, const Row &x,
                     const Row &g, PointState &state, int t, double a,
                     double decay) {
  Row r = manifold.riemannianGradient(x, g), step;
  if (config.kind == OptimizerKind::rsgd) {
    state.m = sum(scale(config.momentum, state.m), r);
    step = scale(-a, state.m);
  } else {
    state.m = sum(scale(config.beta1, state.m), scale(1 - config.beta1, r));
    state.v =
        config.beta2 * state.v + (1 - config.beta2) * manifold.inner(x, r, r);
    double root = std::sqrt(state.v / (1 - std::pow(config.beta2, t)));
    step = scale(-a / (1 - std::pow(config.beta1, t)) / (root + config.epsilon),
                 state.m);
  }
  if (decay > 0)
    step = sum(step, scale(a * decay, manifold.logmapToOrigin(x)));
  Row y = config.retraction == Retraction::exp ? manifold.expmap(x, step)
                                               : manifold.retract(x, step);
  state.m = manifold.transport(x, y, state.m);
  return y;
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
    double c = curvature(); // of this step's start
    for (size_t k = 0; k < p.size(); ++k) {
      if (settings(k).frozen)
        continue;
      Row g;
      for (size_t i = 0; i < p[k].size(); ++i)
        g.push_back(scale * valueAt(gradients[k], i));
      if (config.kind != OptimizerKind::adam && list[k].isCurved)
        curved(k, g, lr, c);
      else
        flat(k, g, lr);
    }
  }

  double curvature() const {
    for (size_t k = 0; k < list.size(); ++k)
      if (list[k].isCurvature)
        return valueOf(list[k].positive, p[k][0]);
    return session.getConfig().curvature;
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

  void curved(size_t k, const Row &gradients, double lr, double c) {
    size_t d = size_t(list[k].shape[1]);
    for (size_t row = 0; row * d < p[k].size(); ++row) {
      auto slice = [&](const Row &r) {
        return Row(r.begin() + int64_t(row * d),
                   r.begin() + int64_t(row * d + d));
      };
      PointState state{slice(m[k]), v[k][row]};
      Row y = movePoint(config, BallReference(c), slice(p[k]), slice(gradients),
                        state, t, rate(k, lr), decay(k));
      v[k][row] = state.v;
      std::copy(y.begin(), y.end(), p[k].begin() + int64_t(row * d));
      std::copy(state.m.begin(), state.m.end(),
                m[k].begin() + int64_t(row * d));
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
