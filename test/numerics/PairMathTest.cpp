// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pair programs with math f32 against math f64, and those against the
// interpreter, at row lengths and table sizes that no vector width divides.
#include "frontend/tools/Registration.h"
#include "frontend/tools/geo-numerics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace geo;
using namespace geo::numerics;

namespace {
/// `far`: a hundred times as far, and along the first words. `opposite`: nearly
/// opposite to them.
enum class Place { inside, far, opposite };

struct Case {
  const char *target, *manifold, *op;
  int64_t d, v;
  Place place = Place::inside;
  double bar = 5e-6;
};

std::ostream &operator<<(std::ostream &os, const Case &c) {
  return os << c.op << " on " << c.manifold << ", d = " << c.d
            << ", V = " << c.v << ", " << c.target;
}

constexpr int64_t numRows = 5;
constexpr double tau = 0.75, curvature = 1.25;
using Tensors = std::vector<rt::Tensor>;

/// Rows of norm 0.1 to 0.8.
rt::Tensor makePoints(std::mt19937 &random, int64_t rows, int64_t d) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> radius(0.1, 0.8);
  rt::Tensor points(rt::DType::F32, {rows, d});
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<double> row(d);
    double sum = 0;
    for (double &x : row) {
      x = normal(random);
      sum += x * x;
    }
    double scale = radius(random) / std::sqrt(sum);
    for (int64_t k = 0; k < d; ++k)
      points.data<float>()[i * d + k] = float(row[k] * scale);
  }
  return points;
}

class PairMathTest : public testing::TestWithParam<Case> {
protected:
  PairMathTest() {
    registerGeoDialects(registry);
    for (ManifoldSpec &spec : getDefaultManifolds())
      if (spec.name == GetParam().manifold)
        manifold = spec;
    isTable = findOp(GetParam().op)->result == ResultKind::table;
  }

  /// The value, then the gradients by h, E, tau and the curvature if any.
  Tensors run(llvm::StringRef target, llvm::StringRef math) {
    const Case &c = GetParam();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    Key key{findOp(c.op), &manifold, c.d, c.v, 0, math.str()};
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(makeModule(key), &context);
    EXPECT_TRUE(module);
    auto program = makeProgram(target, std::move(module));
    Tensors arguments = makeArguments(), value, gradients;
    value.push_back(makeOutput());
    gradients.push_back(rt::Tensor::scalar(0.0));
    gradients.emplace_back(rt::DType::F32, std::vector<int64_t>{numRows, c.d});
    gradients.emplace_back(rt::DType::F32, std::vector<int64_t>{c.v, c.d});
    gradients.push_back(rt::Tensor::scalar(0.0));
    if (manifold.hasCurvature)
      gradients.push_back(rt::Tensor::scalar(0.0));
    EXPECT_TRUE(program);
    if (!program)
      return {};
    EXPECT_TRUE(succeeded(program->call("value", arguments, value)));
    arguments.push_back(makeCotangent());
    EXPECT_TRUE(succeeded(program->call("vjp", arguments, gradients)));
    gradients[0] = std::move(value[0]);
    return gradients;
  }

  void expectClose(const Tensors &got, const Tensors &want, double bar) {
    const char *names[] = {"value", "dh", "dE", "dtau", "dc"};
    ASSERT_EQ(got.size(), want.size());
    for (size_t k = 0; k < got.size(); ++k) {
      double difference = 0, scale = 0;
      for (int64_t i = 0; i < got[k].numElements(); ++i) {
        double g = read(got[k], i), w = read(want[k], i);
        ASSERT_TRUE(std::isfinite(g)) << names[k];
        difference = std::max(difference, std::abs(g - w));
        scale = std::max(scale, std::abs(w));
      }
      EXPECT_GT(scale, 0) << names[k];
      if (got[k].rank() == 0) // as geo-numerics scores numbers
        scale = std::max(scale, norm(makeCotangent()) * norm(want[0]) /
                                    (k == 3 ? tau : curvature));
      EXPECT_LE(difference, bar * scale) << names[k];
    }
  }

private:
  static double read(const rt::Tensor &tensor, int64_t i) {
    return tensor.dtype() == rt::DType::F32 ? tensor.data<float>()[i]
                                            : tensor.data<double>()[i];
  }

  static double norm(const rt::Tensor &tensor) {
    double sum = 0;
    for (int64_t i = 0; i < tensor.numElements(); ++i)
      sum += read(tensor, i) * read(tensor, i);
    return std::sqrt(sum);
  }

  rt::Tensor makeOutput() {
    if (isTable)
      return rt::Tensor(rt::DType::F32, {numRows, GetParam().v});
    return rt::Tensor(rt::DType::F64, {numRows});
  }

  Tensors makeArguments() {
    const Case &c = GetParam();
    std::mt19937 random(7);
    Tensors arguments;
    arguments.push_back(makePoints(random, numRows, c.d));
    arguments.push_back(makePoints(random, c.v, c.d));
    move(arguments[0].data<float>(), arguments[1].data<float>());
    arguments.push_back(rt::Tensor::scalar(tau));
    if (!isTable) {
      rt::Tensor targets(rt::DType::I32, {numRows});
      for (int64_t i = 0; i < numRows; ++i)
        targets.data<int32_t>()[i] = int32_t((i * 7 + 3) % c.v);
      arguments.push_back(std::move(targets));
    }
    if (manifold.hasCurvature)
      arguments.push_back(rt::Tensor::scalar(curvature));
    return arguments;
  }

  static void move(float *h, float *e) {
    const Case &c = GetParam();
    if (c.place == Place::inside)
      return;
    if (c.place == Place::far) {
      std::for_each(h, h + numRows * c.d, [](float &x) { x *= 100; });
      std::for_each(e, e + c.v * c.d, [](float &x) { x *= 100; });
    }
    float along = c.place == Place::far ? 2.7f : -1, rest = 1e-3f;
    for (int64_t k = 0; k < numRows * c.d; ++k)
      e[k] = along * h[k] + (c.place == Place::far ? 0 : rest * e[k]);
  }

  rt::Tensor makeCotangent() {
    std::mt19937 random(11);
    std::uniform_real_distribution<float> uniform(-1, 1);
    rt::Tensor cotangent = makeOutput();
    for (int64_t i = 0; i < cotangent.numElements(); ++i)
      if (isTable)
        cotangent.data<float>()[i] = uniform(random);
      else
        cotangent.data<double>()[i] = uniform(random);
    return cotangent;
  }

  mlir::DialectRegistry registry;
  ManifoldSpec manifold;
  bool isTable = false;
};

TEST_P(PairMathTest, SingleAgreesWithDoubleAndLongDouble) {
  llvm::StringRef target = GetParam().target;
  Tensors inDouble = run(target, "f64");
  {
    SCOPED_TRACE("f32 against f64");
    expectClose(run(target, "f32"), inDouble, GetParam().bar);
  }
  SCOPED_TRACE("f64 against the interpreter");
  expectClose(inDouble, run("interpret", "f64"), 1e-6);
}

constexpr Case cases[] = {
    {"loops", "euclidean", "distance_softmax", 3, 101},
    {"loops", "poincare", "nll", 97, 37},
    {"cpu", "euclidean", "distance_softmax", 1, 13},
    {"cpu", "euclidean", "nll", 3, 101},
    {"cpu", "euclidean", "distance_softmax", 97, 37},
    {"cpu", "euclidean", "nll", 130, 67},
    {"cpu", "euclidean", "distance_softmax", 1000, 19},
    {"cpu", "poincare", "nll", 1, 13},
    {"cpu", "poincare", "distance_softmax", 3, 101},
    {"cpu", "poincare", "nll", 97, 37},
    {"cpu", "poincare", "distance_softmax", 130, 67},
    {"cpu", "poincare", "nll", 1000, 19},
    {"loops", "lorentz", "nll", 7, 13},
    {"cpu", "lorentz", "distance_softmax", 97, 37},
    {"cpu", "lorentz", "distance_softmax", 97, 37, Place::far, 2e-5},
    {"cpu", "lorentz", "nll", 3, 101, Place::far, 2e-5},
    {"loops", "sphere", "nll", 7, 13},
    {"cpu", "sphere", "distance_softmax", 97, 37},
    {"cpu", "sphere", "distance_softmax", 97, 37, Place::opposite, 2e-5},
    {"cpu", "sphere", "nll", 3, 101, Place::opposite},
};

INSTANTIATE_TEST_SUITE_P(Sizes, PairMathTest, testing::ValuesIn(cases));
} // namespace
