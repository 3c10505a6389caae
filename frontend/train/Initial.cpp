// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/train/Initial.h"
#include "frontend/data/Rng.h"

#include <cmath>

using namespace geo;
using rt::DType;
using rt::Tensor;

/// Scales rows that are longer than `limit` to it.
template <typename T> static void boundRows(Tensor &t, double limit) {
  int64_t d = t.dim(1);
  for (int64_t r = 0; r < t.dim(0); ++r) {
    T *row = t.data<T>() + r * d;
    double square = 0;
    for (int64_t j = 0; j < d; ++j)
      square += double(row[j]) * row[j];
    if (square <= limit * limit)
      continue;
    for (int64_t j = 0; j < d; ++j)
      row[j] = T(row[j] * (limit / std::sqrt(square)));
  }
}

/// Random rows or weights of type T.
template <typename T>
static void fill(Tensor &t, const Parameter &p, const RilmConfig &config,
                 const InitialOptions &options, data::Rng &random) {
  double bound = options.weightScale / std::sqrt(2.0 * double(config.dim));
  for (int64_t i = 0; i < t.numElements(); ++i)
    t.data<T>()[i] = T(p.isPoint ? random.normal() * options.embeddingStd
                                 : random.uniform(-bound, bound));
  // On other manifolds they are tangent vectors yet, see Session::project.
  if (p.isPoint && config.isHyperbolic() && config.manifold.empty())
    boundRows<T>(t, 0.999 / std::sqrt(config.curvature));
}

/// What a model file says.
template <typename T>
static void fillAsWritten(Tensor &t, const Parameter &p, data::Rng &random) {
  const Initial &initial = *p.initial;
  int64_t columns = p.shape.size() == 2 ? p.shape[1] : 1;
  for (int64_t i = 0; i < t.numElements(); ++i) {
    double x = 0;
    switch (initial.kind) {
    case Initial::constant:
      x = inverse(p.positive, initial.a);
      break;
    case Initial::normal:
      x = initial.a * random.normal();
      break;
    case Initial::uniform:
      x = random.uniform(initial.a, initial.b);
      break;
    case Initial::identity:
      x = i / columns == i % columns ? initial.a : 0;
      break;
    }
    t.data<T>()[i] = T(x);
  }
}

ModelState geo::makeInitialState(const RilmConfig &config,
                                 const InitialOptions &options,
                                 const OptimizerConfig &optimizer) {
  ModelState state;
  state.slots = makeSlots(config, optimizer);
  uint64_t stream = 0;
  for (const Parameter &p : getParameters(config)) {
    // One stream each: a parameter more does not change the others.
    data::Rng random(options.seed + 0x1217, ++stream);
    state.parameters.emplace_back(storageType(config, p), p.shape);
    Tensor &t = state.parameters.back();
    if (p.initial) {
      if (t.dtype() == DType::F64)
        fillAsWritten<double>(t, p, random);
      else
        fillAsWritten<float>(t, p, random);
    } else if (p.name == "s") {
      *t.data<double>() = 1 / std::sqrt(double(config.dim));
    } else if (p.name == "log_tau") {
      *t.data<double>() = std::log(config.tau);
    } else if (t.dtype() == DType::F64) {
      fill<double>(t, p, config, options, random);
    } else {
      fill<float>(t, p, config, options, random);
    }
  }
  return state;
}
