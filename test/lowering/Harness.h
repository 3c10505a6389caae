// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a module given as text, and calls its functions on arrays.
#ifndef GEOC_TEST_LOWERING_HARNESS_H
#define GEOC_TEST_LOWERING_HARNESS_H

#include "gtest/gtest.h"

#include "lowering/Compiler.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/simt/Report.h"
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace geo::test {

/// As users call it.
inline std::string name(Target target) {
  return target == Target::cpu    ? "cpu"
         : target == Target::simt ? "simt"
                                  : "loops";
}

/// An array and its memref descriptor.
template <class T> class Array {
public:
  explicit Array(std::vector<int64_t> dims, T value = T())
      : shape(std::move(dims)) {
    int64_t size = 1;
    for (int64_t n : shape)
      size *= n;
    data.assign(size, value);
  }

  T &operator()(int64_t i) { return data[i]; }
  T &operator()(int64_t i, int64_t j) { return data[i * shape[1] + j]; }
  T &operator()(int64_t i, int64_t j, int64_t k) {
    return data[(i * shape[1] + j) * shape[2] + k];
  }

  /// {base, aligned, offset, sizes, strides}; holds until the next call.
  void *pack() {
    auto address = reinterpret_cast<int64_t>(data.data());
    descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), shape.begin(), shape.end());
    std::vector<int64_t> strides(shape.size(), 1);
    for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
      strides[i] = strides[i + 1] * shape[i + 1];
    descriptor.insert(descriptor.end(), strides.begin(), strides.end());
    return descriptor.data();
  }

  std::vector<int64_t> shape;
  std::vector<T> data;

private:
  std::vector<int64_t> descriptor;
};

template <class T> void *pack(Array<T> &array) { return array.pack(); }
template <class T> void *pack(T &number) { return &number; }

/// A compiled module of text.
class Program {
public:
  Program(const std::string &text, Target target,
          const std::string &cacheDirectory = "",
          const std::string &machine = "", bool checkPoints = false);

  /// Null, with the diagnostics in `errors`, if it did not compile.
  explicit operator bool() const { return executable != nullptr; }

  template <class... Args> void operator()(const char *name, Args &...args) {
    void *pointers[] = {pack(args)...};
    auto entry = executable->lookup(name);
    ASSERT_NE(entry, nullptr) << name;
    entry(pointers);
    for (const rt::simt::Report &report : rt::simt::takeReports())
      ADD_FAILURE() << report.message();
  }

  std::string errors;
  std::unique_ptr<Executable> executable;
};

/// The error of `got` in units in the last place of `want` as a T, which is
/// normal; what is no number, or infinite, must be the same (else 1e9).
template <class T> double ulps(T got, long double want) {
  T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isinf(rounded) || std::isnan(got))
    return got == rounded || (std::isnan(got) && std::isnan(rounded)) ? 0 : 1e9;
  T size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
  T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::abs(got - want) / step);
}

/// Uniform numbers in [low, high], the same for every run.
template <class T>
void fill(Array<T> &array, double low, double high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (T &x : array.data)
    x = static_cast<T>(uniform(random));
}

} // namespace geo::test

#endif // GEOC_TEST_LOWERING_HARNESS_H
