// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// geo.even against values with 30 digits.
#include "test/lowering/Harness.h"
#include <cmath>
#include <limits>

using namespace geo;
using namespace geo::test;

namespace {

struct Reference {
  const char *fn;
  int order;
  double z;
  long double value;
};

const Reference references[] = {
#include "test/lowering/EvenReferences.inc"
};

const char *names[] = {"tanhc", "artanhc", "asinhc", "sinhc",
                       "coshq", "sinc",    "cosq",   "asinc"};

/// One function per even function and order, on a row of numbers.
std::string getModule(const std::string &type) {
  std::string text;
  for (std::string fn : names)
    for (int order = 0; order < 3; ++order) {
      std::string number = std::to_string(order);
      text += "func.func @" + fn + number + "(%Z: tensor<?x" + type +
              ">) -> tensor<?x" + type +
              "> {\n  %F = geo.rowwise rows(%z = " + "%Z : tensor<?x" + type +
              ">) {\n    %f = geo.even " + fn + " %z {order = " + number +
              " : i64} : " + type + "\n    geo.yield %f : " + type +
              "\n  } -> (tensor<?x" + type + ">)\n  return %F : tensor<?x" +
              type + ">\n}\n";
    }
  return text;
}

template <class T> void check(const char *type, long double epsilon) {
  Program program(getModule(type), Target::loops);
  ASSERT_TRUE(program) << program.errors;
  long double worst[3] = {};
  for (const Reference &reference : references) {
    Array<T> z({1}), f({1}, NAN);
    z(0) = static_cast<T>(reference.z);
    if (z(0) != static_cast<T>(reference.z) || z(0) != reference.z)
      continue; // the reference is for another z
    std::string name = reference.fn + std::to_string(reference.order);
    program(name.c_str(), z, f);
    long double want = reference.value;
    if (std::abs(want) > std::numeric_limits<T>::max()) {
      EXPECT_EQ(f(0), std::copysign(std::numeric_limits<T>::infinity(),
                                    static_cast<T>(want)))
          << name;
      continue;
    }
    // Below the normal numbers only the absolute error counts.
    long double unit = std::max<long double>(
        std::abs(want) * epsilon, std::numeric_limits<T>::min() * epsilon);
    // Zeros of sine and cosine: relative to the envelope.
    bool oscillates = name[0] == 's' || name[0] == 'c';
    if (oscillates)
      unit = std::max<long double>(
          unit, epsilon / std::max(1.0, std::pow(std::abs(reference.z),
                                                 (1 + reference.order) / 2.0)));
    long double error = std::abs(f(0) - want) / unit;
    worst[reference.order] = std::max(worst[reference.order], error);
    EXPECT_LE(error, reference.order == 0   ? 4
                     : reference.order == 1 ? 12
                                            : 32)
        << name << " at " << reference.z << ": " << f(0) << ", not " << want;
  }
  for (int order = 0; order < 3; ++order)
    std::printf("%s order %d: at most %.1Lf units of 2^-%d\n", type, order,
                worst[order], std::numeric_limits<T>::digits);
}

/// Every function and order on the squared differences of a pair program, less
/// an offset, so that neighbours in one vector are of both signs.
std::string getPairModule(const std::string &math) {
  std::string text;
  for (std::string fn : names)
    for (int order = 0; order < 3; ++order) {
      std::string number = std::to_string(order);
      text += "func.func @" + fn + number +
              "(%X: tensor<1x1xf32>, %Y: tensor<37x1xf32>, %o: f64) -> "
              "tensor<1x37xf32> {\n  %F = geo.pairwise none grams(%g = sqdiff "
              "%X, %Y : tensor<1x1xf32>, tensor<37x1xf32>) shared(%k = %o : "
              "f64) math " +
              math + " {\n    %z = arith.subf %g, %k : " + math +
              "\n    %f = geo.even " + fn + " %z {order = " + number +
              " : i64} : " + math + "\n    geo.yield %f : " + math +
              "\n  } -> (tensor<1x37xf32>)\n  return %F : "
              "tensor<1x37xf32>\n}\n";
    }
  return text;
}

TEST(Even, VectorsOfBothSigns) {
  Program reference(getPairModule("f64"), Target::loops);
  ASSERT_TRUE(reference) << reference.errors;
  Array<float> x({1, 1}, 0.f), y({37, 1});
  for (int i = 0; i < 37; ++i)
    y(i, 0) = static_cast<float>((i * 7 % 37) / 32.0 - 0.125);
  for (const char *math : {"f32", "f64"}) {
    Program program(getPairModule(math), Target::cpu);
    ASSERT_TRUE(program) << program.errors;
    for (std::string fn : names)
      for (int order = 0; order < 3; ++order)
        for (double offset : {0.375, 0.875}) {
          std::string name = fn + std::to_string(order);
          Array<float> want({1, 37}, NAN), got({1, 37}, NAN);
          reference(name.c_str(), x, y, offset, want);
          program(name.c_str(), x, y, offset, got);
          for (int i = 0; i < 37; ++i) {
            // artanhc and asinc end at 1.
            if (std::isnan(want(0, i)) || std::isinf(want(0, i)))
              continue;
            EXPECT_NEAR(got(0, i), want(0, i), 4e-6 * std::abs(want(0, i)))
                << name << " " << math << " at " << y(i, 0) * y(i, 0) - offset;
          }
        }
  }
}

/// Outside the domain NaN, at infinity the limit; nothing traps.
TEST(Even, OutsideOfTheDomain) {
  Program program(getModule("f64"), Target::loops);
  ASSERT_TRUE(program) << program.errors;
  auto at = [&](const char *name, double z) {
    Array<double> in({1}), out({1}, 0.0);
    in(0) = z;
    program(name, in, out);
    return out(0);
  };
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(at("asinhc0", -1.5)));
  EXPECT_TRUE(std::isnan(at("asinc0", 1.5)));
  EXPECT_TRUE(std::isnan(at("artanhc0", 1.5)));
  EXPECT_EQ(at("artanhc0", -inf), 0);
  EXPECT_EQ(at("tanhc0", inf), 0);
  for (std::string fn : names)
    for (int order = 0; order < 3; ++order)
      EXPECT_TRUE(std::isnan(at((fn + std::to_string(order)).c_str(), NAN)))
          << fn << order;
}

TEST(Even, Double) { check<double>("f64", 0x1p-53L); }
TEST(Even, Float) { check<float>("f32", 0x1p-24L); }

} // namespace
