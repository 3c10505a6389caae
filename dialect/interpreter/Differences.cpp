// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/interpreter/Differences.h"
#include <cmath>

using namespace mlir;
using namespace geo;

using L = long double;

namespace {
struct Slopes {
  L slope;   ///< of fourth order
  L jump;    ///< between the slopes of first order of both sides
  L largest; ///< value of the function
};

/// Differences of one function around one place.
class Differences {
public:
  static FailureOr<Differences>
  create(func::FuncOp function, ArrayRef<Datum> arguments, bool freezes) {
    Differences made(function, arguments, freezes);
    auto results = interpret(function, arguments, made.record());
    if (failed(results))
      return failure();
    made.middle = results->front().number();
    return made;
  }

  FailureOr<Slopes> at(unsigned wrt, int64_t element, L step) {
    L &x = moved[wrt].data[element];
    L origin = x;
    bool failedOnce = false;
    auto value = [&](L offset) -> L {
      x = origin + offset;
      frozen.startReplay();
      auto results = interpret(function, moved, record());
      failedOnce |= failed(results);
      return failed(results) ? NAN : results->front().number();
    };
    L right = value(step), left = value(-step);
    L far = value(2 * step) - value(-2 * step);
    x = origin;
    if (failedOnce)
      return failure();
    return Slopes{(8 * (right - left) - far) / (12 * step),
                  std::fabs(right + left - 2 * middle) / step,
                  std::fmax(std::fabs(middle),
                            std::fmax(std::fabs(left), std::fabs(right)))};
  }

private:
  Differences(func::FuncOp function, ArrayRef<Datum> arguments, bool freezes)
      : function(function), moved(arguments), freezes(freezes) {}
  FrozenValues *record() { return freezes ? &frozen : nullptr; }

  func::FuncOp function;
  SmallVector<Datum> moved;
  FrozenValues frozen;
  bool freezes;
  L middle = 0; ///< the value at the place
};
} // namespace

FailureOr<Datum> geo::finiteDifferenceGradient(func::FuncOp function,
                                               ArrayRef<Datum> arguments,
                                               unsigned wrt, L step,
                                               bool freezes) {
  auto differences = Differences::create(function, arguments, freezes);
  if (failed(differences))
    return failure();
  Datum gradient = Datum::zeros(arguments[wrt].shape);
  for (int64_t i = 0; i < gradient.size(); ++i) {
    FailureOr<Slopes> element = differences->at(wrt, i, step);
    if (failed(element))
      return failure();
    gradient.data[i] = element->slope;
  }
  return gradient;
}

/// The rounding of a function's value, by experience a few dozen of its last
/// places.
constexpr L valueNoise = 64 * 1.1e-19L;

FailureOr<std::optional<L>>
geo::adaptiveDifference(func::FuncOp function, ArrayRef<Datum> arguments,
                        unsigned wrt, int64_t element, L tolerance, L scale) {
  std::optional<L> none;
  auto differences = Differences::create(function, arguments, true);
  if (failed(differences))
    return failure();
  // A step that is longer than the row sees another place.
  L size = 0;
  for (L x : arguments[wrt].data)
    size = std::fmax(size, std::fabs(x));
  L step = 1e-2L * (size > 0 ? size : 1);
  Slopes before{NAN, NAN, 0};
  for (int i = 0; i < 12; ++i, step /= 10) {
    FailureOr<Slopes> now = differences->at(wrt, element, step);
    if (failed(now))
      return failure();
    L bound = tolerance * std::fmax(scale, std::fabs(now->slope));
    if (now->largest * valueNoise / step > bound)
      return none;
    if (std::fabs(now->slope - before.slope) <= bound) {
      // At a kink the slopes of both sides stay apart, however short the step.
      bool isSmooth = now->jump <= bound || now->jump <= before.jump / 2;
      return isSmooth ? std::optional<L>(now->slope) : none;
    }
    before = *now;
  }
  return none;
}
