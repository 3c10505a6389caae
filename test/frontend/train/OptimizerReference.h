// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers from their definitions, one number after the other, in
// doubles.
#ifndef GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H
#define GEOC_TEST_FRONTEND_TRAIN_OPTIMIZERREFERENCE_H

#include "frontend/train/Session.h"

#include <algorithm>
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

/// The Poincare ball, c > 0, from its definitions: nothing here is guarded
/// against the rim or small norms.
struct BallReference {
  double c;

  static double dot(const Row &x, const Row &y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  }
  static Row scale(double r, const Row &x) {
    Row y = x;
    for (double &e : y)
      e *= r;
    return y;
  }
  static Row sum(const Row &x, const Row &y) {
    Row z = x;
    for (size_t i = 0; i < z.size(); ++i)
      z[i] += y[i];
    return z;
  }
  Row add(const Row &x, const Row &y) const {
    double xy = dot(x, y), xx = dot(x, x), yy = dot(y, y);
    return scale(1 / (1 + 2 * c * xy + c * c * xx * yy),
                 sum(scale(1 + 2 * c * xy + c * yy, x), scale(1 - c * xx, y)));
  }
  double lambda(const Row &x) const { return 2 / (1 - c * dot(x, x)); }
  Row expmap(const Row &x, const Row &v) const {
    double n = std::sqrt(c * dot(v, v));
    return n == 0 ? x : add(x, scale(std::tanh(lambda(x) * n / 2) / n, v));
  }
  Row logmap(const Row &x, const Row &y) const {
    Row w = add(scale(-1, x), y);
    double n = std::sqrt(c * dot(w, w));
    return n == 0 ? w : scale(2 / lambda(x) * std::atanh(n) / n, w);
  }
  /// x (+) t v with t v as long as expmap's argument to first order.
  Row retract(const Row &x, const Row &v) const {
    double half = lambda(x) / 2;
    return add(x, scale(half / std::sqrt(1 + c * half * half * dot(v, v)), v));
  }
  Row gyration(const Row &a, const Row &b, const Row &w) const {
    return add(scale(-1, add(a, b)), add(a, add(b, w)));
  }
  Row transport(const Row &x, const Row &y, const Row &v) const {
    double n = std::sqrt(c * dot(v, v));
    if (n == 0)
      return v;
    // Gyrations are linear maps of vectors that are short enough to be points.
    Row turned = gyration(y, scale(-1, x), scale(0.1 / n, v));
    return scale(n / 0.1 * lambda(x) / lambda(y), turned);
  }
};

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
        curved(k, g, lr, {c});
      else
        flat(k, g, lr);
    }
  }

  double curvature() const {
    for (size_t k = 0; k < list.size(); ++k)
      if (list[k].name == "log_c")
        return std::exp(p[k][0]);
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

  void curved(size_t k, const Row &gradients, double lr,
              const BallReference &ball) {
    double a = rate(k, lr);
    size_t d = size_t(list[k].shape[1]);
    for (size_t row = 0; row * d < p[k].size(); ++row) {
      auto begin = [&](Row &r) { return r.begin() + int64_t(row * d); };
      Row x(begin(p[k]), begin(p[k]) + int64_t(d));
      Row first(begin(m[k]), begin(m[k]) + int64_t(d));
      Row g(gradients.begin() + int64_t(row * d),
            gradients.begin() + int64_t(row * d + d));
      double lambda = ball.lambda(x);
      Row r = ball.scale(1 / (lambda * lambda), g);
      Row step;
      if (config.kind == OptimizerKind::rsgd) {
        first = ball.sum(ball.scale(config.momentum, first), r);
        step = ball.scale(-a, first);
      } else {
        double &second = v[k][row];
        first = ball.sum(ball.scale(config.beta1, first),
                         ball.scale(1 - config.beta1, r));
        second = config.beta2 * second +
                 (1 - config.beta2) * lambda * lambda * ball.dot(r, r);
        double root = std::sqrt(second / (1 - std::pow(config.beta2, t)));
        step = ball.scale(-a / (1 - std::pow(config.beta1, t)) /
                              (root + config.epsilon),
                          first);
      }
      step =
          ball.sum(step, ball.scale(a * decay(k), ball.logmap(x, Row(d, 0))));
      Row y = config.retraction == Retraction::exp ? ball.expmap(x, step)
                                                   : ball.retract(x, step);
      first = ball.transport(x, y, first);
      std::copy(y.begin(), y.end(), begin(p[k]));
      std::copy(first.begin(), first.end(), begin(m[k]));
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
