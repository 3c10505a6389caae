// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/CompiledChecker.h"
#include "test/lib/Session.h"
#include <cmath>
#include <deque>

using namespace mlir;
using namespace geo;
using namespace geo::test;

namespace {

/// A number or tensor of type `type` in memory, row-major, with its descriptor.
class Buffer {
public:
  Buffer(Type type, const Datum &value)
      : element(getElementTypeOrSelf(type)), isTensor(isa<TensorType>(type)),
        value(value), bytes(value.size() * sizeof(double)) {
    for (int64_t i = 0; i < value.size(); ++i)
      store(i, value.data[i]);
    auto address = reinterpret_cast<int64_t>(bytes.data());
    descriptor = {address, address, 0};
    llvm::append_range(descriptor, value.shape);
    int64_t stride = value.size();
    for (int64_t size : value.shape)
      descriptor.push_back(size ? stride /= size : 0);
  }

  void *get() { return isTensor ? descriptor.data() : (void *)bytes.data(); }
  /// What is in memory now.
  Datum load() const {
    Datum result = value;
    for (int64_t i = 0; i < value.size(); ++i)
      result.data[i] = at(i);
    return result;
  }

private:
  template <class T> T &get(int64_t i) const {
    return const_cast<T *>(reinterpret_cast<const T *>(bytes.data()))[i];
  }
  void store(int64_t i, long double x) {
    if (element.isF32())
      get<float>(i) = static_cast<float>(x);
    else if (element.isF64())
      get<double>(i) = static_cast<double>(x);
    else if (element.isInteger(32))
      get<int32_t>(i) = static_cast<int32_t>(x);
    else
      get<int64_t>(i) = static_cast<int64_t>(x); // index
  }
  long double at(int64_t i) const {
    if (element.isF32())
      return get<float>(i);
    if (element.isF64())
      return get<double>(i);
    if (element.isInteger(32))
      return get<int32_t>(i);
    return get<int64_t>(i);
  }

  Type element;
  bool isTensor;
  Datum value;
  std::vector<char> bytes;
  SmallVector<int64_t> descriptor;
};

} // namespace

static ::testing::AssertionResult compare(const Datum &compiled,
                                          const Datum &exact,
                                          long double tolerance, size_t index) {
  long double largest = 0;
  for (long double x : exact.data)
    largest = std::fmax(largest, std::fabs(x));
  long double bound = tolerance * (largest + 0.1L);
  for (int64_t i = 0; i < exact.size(); ++i)
    if (!(std::fabs(compiled.data[i] - exact.data[i]) <= bound))
      return ::testing::AssertionFailure()
             << "result " << index << ", element " << i << ": expects "
             << exact.data[i] << " +- " << bound << ", but got "
             << compiled.data[i];
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult geo::test::checkCompiled(StringRef source,
                                                    ArrayRef<Datum> arguments,
                                                    Target target,
                                                    long double tolerance) {
  Session session(source);
  auto fail = [&](const char *what) {
    return ::testing::AssertionFailure() << what << '\n' << session.diagnostics;
  };
  if (func::FuncOp primal = session.lookup("f"))
    session.differentiate(getFloatArguments(primal));
  func::FuncOp function = session.lookup("f_gradient");
  if (!function)
    return fail("cannot expand and differentiate @f");

  std::deque<Buffer> buffers; // their addresses hold
  SmallVector<void *> pointers;
  auto add = [&](Type type, const Datum &value) {
    buffers.emplace_back(type, value);
    pointers.push_back(buffers.back().get());
  };
  SmallVector<Datum> rounded;
  for (auto [type, argument] :
       llvm::zip_equal(function.getArgumentTypes(), arguments)) {
    add(type, argument);
    rounded.push_back(buffers.back().load());
  }
  auto exact = interpret(function, rounded);
  if (failed(exact))
    return fail("cannot interpret @f_gradient");
  for (auto [type, result] :
       llvm::zip_equal(function.getResultTypes(), *exact)) {
    // What is not written shows.
    Datum unset = result;
    llvm::fill(unset.data, -77);
    add(type, unset);
  }

  CompileOptions options;
  options.target = target;
  std::unique_ptr<Executable> executable = compile(*session.module, options);
  if (!executable || !executable->lookup("f_gradient"))
    return fail("cannot compile @f_gradient");
  executable->lookup("f_gradient")(pointers.data());
  for (auto [i, result] : llvm::enumerate(*exact)) {
    auto same =
        compare(buffers[rounded.size() + i].load(), result, tolerance, i);
    if (!same)
      return same;
  }
  return ::testing::AssertionSuccess();
}

/// The same program with f64 for f32 throughout.
static std::string widen(StringRef source) {
  std::string text = source.str();
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos; at += 3)
    text.replace(at, 3, "f64");
  return text;
}

::testing::AssertionResult geo::test::checkAll(StringRef source,
                                               ArrayRef<Datum> arguments) {
  auto same = checkGradient(source, arguments);
  auto check = [&](StringRef text, Target target, long double tolerance,
                   const char *what) {
    if (!same)
      return;
    same = checkCompiled(text, arguments, target, tolerance);
    if (!same)
      same << " (" << what << ')';
  };
  check(source, Target::loops, 1e-5L, "loops");
  check(source, Target::cpu, 1e-5L, "cpu");
  check(source, Target::simt, 1e-5L, "simt");
  // Conversions have no wider form.
  if (source.contains("extf") || source.contains("truncf"))
    return same;
  check(widen(source), Target::cpu, 1e-12L, "cpu, f64");
  return same;
}
