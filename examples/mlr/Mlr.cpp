// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "examples/mlr/Mlr.h"
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

constexpr int64_t classes = mlrClasses;

/// Points and their classes.
struct Set {
  Tensor points, labels;
  int64_t size() const { return labels.numElements(); }
};

class Classifier {
public:
  Classifier(const MlrOptions &options, const Program &program)
      : options(options), program(program), random(options.seed),
        centres(DType::F32, {classes, options.dim}) {
    // Class 0 at the origin, 1 to 3 around it, and three around each of these,
    // behind it as seen from the origin.
    for (int64_t k = 1; k < classes; ++k) {
      int64_t parent = (k - 1) / 3, child = (k - 1) % 3;
      double third = 2 * M_PI / 3;
      double angle = parent == 0 ? third * double(child)
                                 : third * double(parent - 1) +
                                       third / 3 * double(child - 1);
      // Half of the distance: the ball's metric at the origin is 4 |dx|^2.
      double length = 0.5 * options.edge * (parent == 0 ? 1 : 2);
      float *v = centres.data<float>() + k * options.dim;
      v[0] = float(length * std::cos(angle));
      v[1] = float(length * std::sin(angle));
    }
    std::vector<int64_t> shape{classes, options.dim};
    bases = Tensor(DType::F32, shape);
    nextBases = Tensor(DType::F32, shape);
    nextNormals = Tensor(DType::F32, shape);
    normals = noise(shape, 0.1);
  }

  Set draw() {
    int64_t n = classes * options.samples, d = options.dim;
    Tensor v(DType::F32, {n, d}), tangent(DType::F32, {n, d});
    Set set{Tensor(DType::F32, {n, d}), Tensor(DType::I32, {n})};
    for (int64_t i = 0; i < n; ++i) {
      int64_t k = i % classes;
      set.labels.data<int32_t>()[i] = int32_t(k);
      std::copy_n(centres.data<float>() + k * d, d, v.data<float>() + i * d);
    }
    Tensor z = noise({n, d}, options.deviation);
    program.call("draw", v, z, tangent);
    program.call("points", tangent, set.points);
    return set;
  }

  /// Once over `set` in random order; the mean loss.
  double epoch(const Set &set, double lr) {
    int64_t n = set.size(), d = options.dim;
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      order[size_t(i)] = i;
    random.shuffle(order);
    double sum = 0;
    for (int64_t begin = 0; begin < n; begin += options.batch) {
      int64_t count = std::min(options.batch, n - begin);
      Tensor x(DType::F32, {count, d}), t(DType::I32, {count});
      for (int64_t i = 0; i < count; ++i) {
        int64_t from = order[size_t(begin + i)];
        std::copy_n(set.points.data<float>() + from * d, d,
                    x.data<float>() + i * d);
        t.data<int32_t>()[i] = set.labels.data<int32_t>()[from];
      }
      double loss = 0;
      program.call("step", bases, normals, x, t, lr, loss, nextBases,
                   nextNormals);
      std::swap(bases, nextBases);
      std::swap(normals, nextNormals);
      sum += loss * double(count);
    }
    return sum / double(n);
  }

  Tensor logits(Set &set) {
    Tensor z(DType::F32, {set.size(), classes});
    program.call("logits", bases, normals, set.points, z);
    return z;
  }

  /// One row for each pair of a point and a class.
  Tensor logitsByName(const Set &set) {
    int64_t n = set.size(), d = options.dim;
    std::vector<int64_t> shape{n * classes, d};
    Tensor p(DType::F32, shape), a(DType::F32, shape), x(DType::F32, shape);
    for (int64_t i = 0; i < n * classes; ++i) {
      auto copy = [&](const Tensor &from, int64_t row, Tensor &to) {
        std::copy_n(from.data<float>() + row * d, d, to.data<float>() + i * d);
      };
      copy(bases, i % classes, p);
      copy(normals, i % classes, a);
      copy(set.points, i / classes, x);
    }
    Tensor z(DType::F64, {n * classes});
    program.call("logits_by_name", p, a, x, z);
    return z;
  }

  /// Logits by distance from the true centres.
  Tensor nearest(Set &set) {
    Tensor z(DType::F32, {set.size(), classes});
    program.call("nearness", centres, set.points, z);
    return z;
  }

private:
  Tensor noise(std::vector<int64_t> shape, double deviation) {
    Tensor t(DType::F32, std::move(shape));
    for (int64_t i = 0; i < t.numElements(); ++i)
      t.data<float>()[i] = float(deviation * random.normal());
    return t;
  }

  const MlrOptions &options;
  const Program &program;
  data::Rng random;
  Tensor centres; ///< as tangent vectors at the ball's origin
  Tensor bases, normals, nextBases, nextNormals;
};

} // namespace

static double accuracy(const Tensor &logits, const Set &set) {
  double right = 0;
  for (int64_t i = 0; i < set.size(); ++i) {
    const float *z = logits.data<float>() + i * classes;
    right +=
        std::max_element(z, z + classes) - z == set.labels.data<int32_t>()[i];
  }
  return right / double(set.size());
}

static rt::Status check(const MlrOptions &o) {
  struct Size {
    const char *flag;
    int64_t value, least, most;
  };
  for (Size s :
       {Size{"--dim", o.dim, 2, 4096}, Size{"--samples", o.samples, 1, 100000},
        Size{"--epochs", o.epochs, 0, 1 << 20},
        Size{"--batch", o.batch, 1, 1 << 20},
        Size{"--threads", o.threads, 0, 4096}})
    if (s.value < s.least || s.value > s.most)
      return rt::expects(
          s.flag, std::to_string(s.least) + " to " + std::to_string(s.most),
          std::to_string(s.value));
  for (auto [flag, value] : {std::pair("--lr", o.lr),
                             {"--edge", o.edge},
                             {"--deviation", o.deviation}})
    if (!(value > 0) || !std::isfinite(value))
      return rt::expects(flag, "a positive number", std::to_string(value));
  return {};
}

rt::Expected<MlrResult> examples::learnClasses(const MlrOptions &options) {
  if (rt::Status status = check(options); !status)
    return status;
  rt::Expected<std::string> space = getSpace(options.space);
  if (!space)
    return space.status();
  std::string d = std::to_string(options.dim), n = std::to_string(classes);
  auto program =
      Program::load(options.model,
                    {{"#space", *space},
                     {"!points", "tensor<?x" + d + "xf32, #space>"},
                     {"!rows", "tensor<?x" + d + "xf32>"},
                     {"!bases", "tensor<" + n + "x" + d + "xf32, #space>"},
                     {"!normals", "tensor<" + n + "x" + d + "xf32>"},
                     {"!drawn", "tensor<?x" + d + "xf32, #geo.poincare<1.0>>"},
                     {"!centres", "tensor<" + n + "x" + d + "xf32>"},
                     {"  formula @logit(x: row, p: column, a: column)",
                      options.space + "(x, p, a)"}},
                    options.target);
  if (!program)
    return program.status();
  rt::setNumThreads(options.threads);
  auto begin = std::chrono::steady_clock::now();
  Classifier classifier(options, *program);
  Set train = classifier.draw(), test = classifier.draw();
  MlrResult result;
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    double left = double(options.epochs - epoch) / double(options.epochs);
    result.loss = classifier.epoch(train, options.lr * left);
    if (!std::isfinite(result.loss))
      return rt::expects("--lr", "a rate that keeps the loss finite",
                         std::to_string(result.loss) + " in epoch " +
                             std::to_string(epoch + 1));
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  result.trainAccuracy = accuracy(classifier.logits(train), train);
  result.logits = classifier.logits(test);
  result.testAccuracy = accuracy(result.logits, test);
  result.logitsByName = classifier.logitsByName(test);
  result.nearestAccuracy = accuracy(classifier.nearest(test), test);
  return result;
}
