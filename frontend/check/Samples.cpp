// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Signatures.h"
#include "frontend/check/GradientCheck.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace geo;
using namespace geo::check;

using L = long double;

namespace {

/// What one sample is made with.
struct Recipe {
  const char *name;
  L pointFraction;    ///< of the domain, where there is a bound
  L rowScale;         ///< of vectors, and of points without a bound
  L number;           ///< of numbers; negative: random in (0.1, 0.9)
  bool equal = false; ///< all rows alike
  bool opposite = false;
};

constexpr Recipe recipes[] = {
    {"random 1", 0.5L, 0.5L, -1},
    {"random 2", 0.8L, 1.5L, -1},
    {"random 3", 0.2L, 0.2L, -1},
    {"zero", 0, 0, 0.5L},
    {"number 0", 0.5L, 0.5L, 0},
    {"number 2", 0.4L, 0.3L, 2},
    {"tiny", 1e-7L, 1e-7L, -1},
    {"tinier", 1e-15L, 1e-15L, -1},
    {"equal rows", 0.5L, 0.5L, -1, true},
    {"opposite rows", 0.5L, 0.5L, -1, false, true},
    {"near the limit", 0.999L, 3, -1},
    {"at the limit", 0.99999L, 3, -1},
    {"large", 0.9L, 100, -1},
};

/// Curvatures to try: every one alike.
SmallVector<double> curvatureValues(ManifoldOp page) {
  if (!page || page.getNumCurvatures() == 0)
    return {0.0};
  SmallVector<double> values{1.0, 0.3, 2.5, 1e-8};
  if (llvm::none_of(page.getPositive(), [](bool positive) { return positive; }))
    values.append({0.0, -0.7});
  return values;
}

class Maker {
public:
  Maker(FormulaOp formula, ManifoldOp page, bool narrow, ToDomain toDomain)
      : formula(formula), narrow(narrow), toDomain(toDomain),
        numCurvatures(page ? page.getNumCurvatures() : 0),
        signature(page ? getSignature(formula.getSymName()) : nullptr),
        isInPage(page), random(5) {}

  Sample make(const Recipe &recipe, double c) {
    Sample sample{recipe.name, {}};
    if (numCurvatures)
      sample.name += llvm::formatv(", curvature {0}", c).str();
    SmallVector<double> curvatures(numCurvatures, c);
    std::optional<Datum> first;
    for (unsigned i = 0; i < formula.getNumArguments(); ++i) {
      if (formula.getKind(i) == "number") {
        // The fraction of geo.project is in (0, 1).
        bool isFree =
            recipe.number >= 0 && !(signature && signature->name == "project");
        L x = isFree ? recipe.number : 0.5L + 0.4L * uniform();
        sample.values.push_back(Datum({1}, {rounded(x, false)}));
        continue;
      }
      Datum row = Datum::zeros({1, sampleLength});
      for (L &x : row.data)
        x = uniform() * recipe.rowScale;
      if (recipe.rowScale != 0 && isPoint(i))
        row = toDomain(row, curvatures, recipe.pointFraction);
      if (first && (recipe.equal || recipe.opposite))
        for (auto [x, y] : llvm::zip(row.data, first->data))
          x = recipe.equal ? y : -y;
      for (L &x : row.data)
        x = rounded(x, narrow);
      if (!first)
        first = row;
      sample.values.push_back(row);
    }
    for (double value : curvatures)
      sample.values.push_back(Datum(L(value)));
    return sample;
  }

private:
  L uniform() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  static L rounded(L x, bool narrow) {
    return narrow ? L(static_cast<float>(x)) : L(static_cast<double>(x));
  }
  /// Rows of formulas that are not standard are taken for points.
  bool isPoint(unsigned i) const {
    return signature ? signature->arguments[i].role == Role::point : isInPage;
  }

  FormulaOp formula;
  bool narrow;
  ToDomain toDomain;
  unsigned numCurvatures;
  const Signature *signature;
  bool isInPage;
  std::mt19937_64 random;
};

} // namespace

std::vector<Sample> check::makeSamples(FormulaOp formula, ManifoldOp page,
                                       bool narrow, ToDomain toDomain) {
  Maker maker(formula, page, narrow, toDomain);
  std::vector<Sample> samples;
  for (double c : curvatureValues(page))
    for (const Recipe &recipe : recipes)
      samples.push_back(maker.make(recipe, c));
  return samples;
}
