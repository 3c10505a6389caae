// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses over a vocabulary: memory that grows with rows plus words, not with
// rows times words; digits at more than 250,000 words.
#include "test/lowering/Harness.h"

#include "runtime/Allocator.h"

using namespace geo;
using namespace geo::test;

namespace {

constexpr int64_t dim = 8;

/// The mean loss of rows h of `manifold` against words e, and its gradient.
std::string makeModule(const std::string &manifold, const char *math) {
  std::string points = "tensor<?x8xf32, " + manifold + ">";
  std::string in = points + ", " + points + ", tensor<?xi32>";
  return "func.func private @loss(%h: " + points + ", %e: " + points +
         ", %y: tensor<?xi32>) -> f64 {\n  %tau = arith.constant 1.0 : f64\n"
         "  %nll = geo.distance_nll %h, %e targets(%y : tensor<?xi32>) "
         "tau(%tau) math " +
         math + " : " + points + ", " + points +
         R"mlir( -> tensor<?xf64>
  %sum = geo.rowwise rows(%r = %nll : tensor<?xf64>) {
    geo.yield %r : f64
  } -> () sums (f64)
  return %sum : f64
}
func.func @step(%h: )mlir" +
         points + ", %e: " + points +
         ", %y: tensor<?xi32>) -> (f64, tensor<?x8xf32>, tensor<?x8xf32>) {\n"
         "  %l, %dh, %de = geo.gradient @loss(%h, %e, %y) wrt [0, 1] : (" +
         in +
         ") -> (f64, tensor<?x8xf32>, tensor<?x8xf32>)\n"
         "  return %l, %dh, %de : f64, tensor<?x8xf32>, tensor<?x8xf32>\n}\n";
}

struct Inputs {
  Inputs(int64_t rows, int64_t words)
      : h({rows, dim}), e({words, dim}), dh({rows, dim}, NAN),
        de({words, dim}, NAN), y({rows}) {
    fill(h, -0.3, 0.3, 1);
    fill(e, -0.3, 0.3, 2);
    for (int64_t i = 0; i < rows; ++i)
      y(i) = static_cast<int32_t>((i + 1) * (words - 1) / rows);
  }
  void run(Program &program) { program("step", h, e, y, loss, dh, de); }
  Array<float> h, e, dh, de;
  Array<int32_t> y;
  double loss = NAN;
};

struct Case {
  const char *name, *manifold, *math;
};
class Vocabulary : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Manifolds, Vocabulary,
    testing::Values(Case{"flat", "#geo.euclidean", "f32"},
                    Case{"ball", "#geo.poincare<1.0>", "f32"},
                    Case{"ball_f64", "#geo.poincare<1.0>", "f64"},
                    Case{"hyperboloid", "#geo.lorentz<1.0>", "f32"},
                    Case{"sphere", "#geo.sphere<1.0>", "f32"},
                    Case{"product",
                         "#geo.product<#geo.poincare<1.0> x 3, "
                         "#geo.stereographic<-0.5> x 5>",
                         "f32"}),
    [](const auto &info) { return info.param.name; });

// Others keep the logits, rows x words floats, if not rows x words x d.
TEST_P(Vocabulary, MemoryIsNotRowsTimesWords) {
  Program program(makeModule(GetParam().manifold, GetParam().math),
                  Target::cpu);
  ASSERT_TRUE(program) << program.errors;
  // Strips of logits are kept up to a fixed size; all of them would be 36 MB.
  Inputs inputs(3000, 3000);
  rt::resetPoolPeak();
  int64_t start = rt::poolStatistics().currentBytes;
  inputs.run(program);
  EXPECT_TRUE(std::isfinite(inputs.loss));
  EXPECT_EQ(rt::poolStatistics().currentBytes, start);
  EXPECT_LT(rt::poolStatistics().peakBytes - start, 24 << 20);
}

// A sum of 300,000 terms in f32 would lose digits; so would softmax's
// denominator.
TEST(ManyWords, KeepTheirDigits) {
  for (const char *math : {"f64", "f32"}) {
    Program program(makeModule("#geo.poincare<1.0>", math), Target::cpu);
    ASSERT_TRUE(program) << program.errors;
    Inputs in(3, 300000);
    in.run(program);

    long double loss = 0;
    std::vector<long double> gradient(3 * dim);
    for (int64_t i = 0; i < 3; ++i) {
      long double a = 1, sum = 0, target = 0;
      for (int64_t k = 0; k < dim; ++k)
        a -= static_cast<long double>(in.h(i, k)) * in.h(i, k);
      std::vector<long double> weighted(dim);
      std::vector<long double> atTarget(dim);
      for (int64_t j = 0; j < in.e.shape[0]; ++j) {
        long double b = 1, r = 0;
        for (int64_t k = 0; k < dim; ++k) {
          long double x = in.h(i, k), y = in.e(j, k);
          b -= y * y;
          r += (x - y) * (x - y);
        }
        long double s = r / (a * b);
        long double root = std::asinh(std::sqrt(s));
        long double weight = std::exp(-4 * root * root);
        sum += weight;
        // d(4 root^2) = 4 root / sqrt(s (1 + s)) ds
        long double slope = -4 * root / std::sqrt(s * (1 + s));
        for (int64_t k = 0; k < dim; ++k) {
          long double x = in.h(i, k), y = in.e(j, k);
          long double d = slope * (2 * (x - y) / (a * b) + s * 2 * x / a);
          weighted[k] += weight * d;
          if (j == in.y(i))
            atTarget[k] = d;
        }
        if (j == in.y(i))
          target = -4 * root * root;
      }
      loss += std::log(sum) - target;
      for (int64_t k = 0; k < dim; ++k)
        gradient[i * dim + k] = weighted[k] / sum - atTarget[k];
    }
    EXPECT_NEAR(in.loss, loss, 1e-6 * loss) << math;
    long double largest = 0;
    for (long double x : gradient)
      largest = std::max(largest, std::abs(x));
    for (size_t i = 0; i < gradient.size(); ++i)
      EXPECT_NEAR(in.dh.data[i], gradient[i],
                  (math[1] == '6' ? 1e-6 : 1e-5) * largest)
          << math;
  }
}

} // namespace
