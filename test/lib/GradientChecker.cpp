// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/GradientChecker.h"
#include "test/lib/Session.h"
#include <cmath>

using namespace mlir;
using namespace geo;
using namespace geo::test;

using L = long double;

/// Element by element; the message names the first that is off.
static ::testing::AssertionResult compare(const Datum &derived,
                                          const Datum &differences, L tolerance,
                                          int64_t argument) {
  if (derived.shape != differences.shape)
    return ::testing::AssertionFailure()
           << "argument " << argument << ": another shape than the gradient's";
  L largest = 0;
  for (L x : differences.data)
    largest = std::fmax(largest, std::fabs(x));
  for (int64_t i = 0; i < derived.size(); ++i) {
    L want = differences.data[i], got = derived.data[i];
    L bound = tolerance * (std::fabs(want) + 0.01L * largest + 1e-4L);
    if (!(std::fabs(want - got) <= bound))
      return ::testing::AssertionFailure()
             << "argument " << argument << ", element " << i << ": expects "
             << want << " +- " << bound << ", but got " << got;
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult geo::test::checkGradient(StringRef source,
                                                    ArrayRef<Datum> arguments,
                                                    GradientOptions options) {
  Session session(source);
  auto fail = [&](const char *what) {
    return ::testing::AssertionFailure() << what << '\n' << session.diagnostics;
  };
  func::FuncOp primal = session.lookup("f");
  if (!primal)
    return fail("cannot parse and expand @f");
  if (options.wrt.empty())
    options.wrt = getFloatArguments(primal);
  session.differentiate(options.wrt);
  primal = session.lookup("f");
  func::FuncOp derived = session.lookup("f_gradient");
  if (!derived)
    return fail("cannot differentiate @f");

  auto values = interpret(primal, arguments);
  auto results = interpret(derived, arguments);
  if (failed(values) || failed(results))
    return fail("cannot interpret");
  size_t numValues = values->size();
  for (size_t i = 0; i < numValues; ++i)
    if ((*values)[i].data != (*results)[i].data)
      return fail("the derived function changes a result of @f");
  for (auto [i, argument] : llvm::enumerate(options.wrt)) {
    FailureOr<Datum> differences = finiteDifferenceGradient(
        primal, arguments, argument, options.step, options.freezes);
    if (failed(differences))
      return fail("cannot interpret @f near its arguments");
    auto same = compare((*results)[numValues + i], *differences,
                        options.tolerance, argument);
    if (!same)
      return same;
  }
  return ::testing::AssertionSuccess();
}

static FailureOr<SmallVector<Datum>>
interpretIn(Session &session, StringRef name, ArrayRef<Datum> arguments) {
  func::FuncOp function = session.lookup(name);
  FailureOr<SmallVector<Datum>> results = failure();
  if (function)
    results = interpret(function, arguments);
  if (failed(results))
    ADD_FAILURE() << session.diagnostics;
  return results;
}

FailureOr<SmallVector<Datum>>
geo::test::interpretSource(StringRef source, ArrayRef<Datum> arguments) {
  Session session(source);
  return interpretIn(session, "f", arguments);
}

FailureOr<SmallVector<Datum>>
geo::test::interpretGradient(StringRef source, ArrayRef<Datum> arguments,
                             ArrayRef<int64_t> wrt) {
  Session session(source);
  session.differentiate(wrt);
  return interpretIn(session, "f_gradient", arguments);
}

Datum geo::test::spread(ArrayRef<int64_t> shape, double low, double high,
                        int seed) {
  // Multiples of the golden ratio, mod 1, are distinct and evenly spread.
  constexpr L golden = 0.6180339887498948482L;
  Datum result = Datum::zeros(shape);
  L next = 0.1L * seed;
  for (L &x : result.data) {
    next = std::fmod(next + golden, 1.0L);
    x = low + (high - low) * next;
  }
  return result;
}

Datum geo::test::makeIds(ArrayRef<int64_t> shape, int64_t count) {
  Datum ids = Datum::zeros(shape);
  for (int64_t i = 0; i < ids.size(); ++i)
    ids.data[i] = static_cast<L>((3 * i + 1) % count);
  return ids;
}

Datum geo::test::withNorm(Datum rows, L norm) {
  int64_t d = rows.shape[1];
  for (int64_t r = 0; r < rows.shape[0]; ++r) {
    L sum = 0;
    for (int64_t k = 0; k < d; ++k)
      sum += rows.data[r * d + k] * rows.data[r * d + k];
    for (int64_t k = 0; k < d; ++k)
      rows.data[r * d + k] *= norm / std::sqrt(sum);
  }
  return rows;
}
