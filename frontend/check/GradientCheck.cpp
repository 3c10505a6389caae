// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/check/GradientCheck.h"
#include "dialect/Signatures.h"
#include "dialect/interpreter/Differences.h"
#include "frontend/check/Programs.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace geo;
using namespace geo::check;

using L = long double;

namespace {

bool isFinite(const Datum &d) {
  return llvm::all_of(d.data, [](L x) { return std::isfinite(x); });
}

L largest(const Datum &d) {
  L m = 0;
  for (L x : d.data)
    m = std::fmax(m, std::fabs(x));
  return m;
}

/// Of the largest element; what is far below 1 counts as 0.
constexpr L floorOfScale = 1e-9L;
L errorOf(const Datum &got, const Datum &want) {
  L scale = largest(want) + floorOfScale, error = 0;
  for (auto [a, b] : llvm::zip(got.data, want.data)) {
    if (!std::isfinite(a) || !std::isfinite(b))
      return INFINITY;
    error = std::fmax(error, std::fabs(a - b) / scale);
  }
  return error;
}

std::string text(const Datum &d) {
  std::string result;
  llvm::raw_string_ostream os(result);
  bool isRow = d.size() > 1;
  os << (isRow ? "[" : "");
  llvm::interleaveComma(d.data, os,
                        [&](L x) { os << llvm::format("%.7g", double(x)); });
  os << (isRow ? "]" : "");
  return result;
}

/// The worst of one comparison of one argument.
struct Worst {
  bool compared = false;
  L error = 0;
  std::string where, detail;

  void add(L now, StringRef at, function_ref<std::string()> describe) {
    bool worse = !compared || now > error;
    compared = true;
    if (!worse)
      return;
    error = now;
    where = at.str();
    detail = describe();
  }
};

struct Row {
  std::string what, argument;
  Worst own, derived;
};

class Checker {
public:
  Checker(ModuleOp module, const GradientCheckOptions &options, raw_ostream &os)
      : module(module), options(options), os(os) {}

  FailureOr<unsigned> run() {
    for (Operation &op : *module.getBody()) {
      LogicalResult result = success();
      if (auto formula = dyn_cast<FormulaOp>(op))
        result = checkFormula(formula, nullptr);
      else if (auto page = dyn_cast<ManifoldOp>(op))
        result = checkPage(page);
      if (auto function = dyn_cast<func::FuncOp>(op);
          function && options.functions)
        result = checkFunction(function);
      if (failed(result))
        return failure();
    }
    print();
    return failures;
  }

private:
  /// The formulas of a page, and the standard ones that it inherits.
  LogicalResult checkPage(ManifoldOp page) {
    if (page.getSymName() == "any" && options.formulas)
      return page.emitOpError(
          "expects a page to check, but got @any, whose formulas call those of "
          "the page that inherits them; they are checked with every page");
    for (auto formula : page.getOps<FormulaOp>())
      if (failed(checkFormula(formula, page)))
        return failure();
    for (const Signature &signature : getSignatures()) {
      FormulaOp formula = lookupFormula(page, signature.name);
      if (formula && formula->getParentOp() != page &&
          failed(checkFormula(formula, page)))
        return failure();
    }
    return success();
  }

  LogicalResult checkFormula(FormulaOp formula, ManifoldOp page) {
    if (!options.formulas)
      return success();
    if (page && !isComplete(formula, page))
      return success(); // a part of pages that are like this one
    SmallVector<Row> rows;
    std::string name =
        (page ? "@" + page.getSymName() + "::" : StringRef()).str() + "@" +
        formula.getSymName().str();
    for (unsigned i = 0; i < formula.getNumArguments(); ++i)
      rows.push_back(
          {name, cast<StringAttr>(formula.getArgNames()[i]).str(), {}, {}});
    if (page)
      for (Attribute c : page.getCurvatures())
        rows.push_back({name, cast<StringAttr>(c).str(), {}, {}});
    unsigned defined = 0;
    for (bool narrow : {false, true}) {
      auto program = FormulaProgram::create(module, formula, page, narrow);
      if (failed(program) ||
          failed(compare(*program, formula, page, narrow, rows, defined)))
        return failure();
    }
    report(formula.getLoc(), rows);
    if (defined == 0) {
      ++failures;
      emitError(formula.getLoc())
          << name
          << ": expects a value at some of the points, but got NaN at all";
    }
    return success();
  }

  /// `defined` counts the points where the value is not NaN.
  LogicalResult compare(FormulaProgram &program, FormulaOp formula,
                        ManifoldOp page, bool narrow, MutableArrayRef<Row> rows,
                        unsigned &defined) {
    for (const Sample &sample :
         makeSamples(formula, page, narrow,
                     [&](const Datum &row, ArrayRef<double> c, L fraction) {
                       return program.toDomain(row, c, fraction);
                     })) {
      SmallVector<Datum> arguments(sample.values);
      arguments.push_back(program.cotangent());
      auto value = interpret(program.primal(), arguments);
      if (failed(value))
        return failure();
      if (llvm::none_of(value->front().data, [](L x) { return std::isnan(x); }))
        ++defined;
      if (!isFinite(value->front()))
        continue; // outside of the domain
      auto derived = interpret(program.derived(), arguments);
      FailureOr<SmallVector<Datum>> own = failure();
      if (formula.hasOwnVjp())
        own = interpret(program.own(), arguments);
      if (failed(derived) || (formula.hasOwnVjp() && failed(own)))
        return failure();
      std::string where = sample.name + (narrow ? ", f32" : ", f64");
      for (size_t i = 0; i < rows.size(); ++i) {
        Datum want = (*derived)[1 + i];
        auto at = [&](const Datum &got, const char *a, const Datum &other,
                      const char *b) {
          std::string result;
          for (auto [row, x] : llvm::zip(rows, sample.values))
            result +=
                (result.empty() ? "" : ", ") + row.argument + " = " + text(x);
          return result + ": " + a + " " + text(got) + ", " + b + " " +
                 text(other);
        };
        std::optional<Datum> differences =
            difference(program.primal(), arguments, i, want);
        if (differences)
          rows[i].derived.add(errorOf(want, *differences), where, [&] {
            return at(want, "derived", *differences, "differences");
          });
        if (failed(own))
          continue;
        // Where the derived one has no number, the own one may be there for it.
        bool usable = isFinite(want);
        if (usable)
          rows[i].own.add(errorOf((*own)[1 + i], want), where, [&] {
            return at((*own)[1 + i], "own", want, "derived");
          });
        else if (differences)
          rows[i].own.add(errorOf((*own)[1 + i], *differences), where, [&] {
            return at((*own)[1 + i], "own", *differences, "differences");
          });
      }
    }
    return success();
  }

  /// Absent where the function has no derivative, or no digits.
  std::optional<Datum> difference(func::FuncOp function,
                                  ArrayRef<Datum> arguments, unsigned wrt,
                                  const Datum &derived) {
    Datum result = Datum::zeros(arguments[wrt].shape);
    L scale = isFinite(derived) ? largest(derived) : 0;
    for (int64_t k = 0; k < result.size(); ++k) {
      auto element = adaptiveDifference(
          function, arguments, wrt, k, options.bar / 100, scale + floorOfScale);
      if (failed(element) || !*element)
        return std::nullopt;
      result.data[k] = **element;
    }
    return result;
  }

  LogicalResult checkFunction(func::FuncOp function) {
    FailureOr<std::optional<FunctionProgram>> made =
        FunctionProgram::create(module, function);
    if (failed(made))
      return failure();
    if (!*made)
      return success();
    FunctionProgram &program = **made;
    SmallVector<Row> rows;
    for (unsigned i : program.wrt())
      rows.push_back({"@" + function.getSymName().str(),
                      "argument " + std::to_string(i),
                      {},
                      {}});
    for (int seed = 0; seed < 3; ++seed) {
      SmallVector<Datum> arguments = program.makeArguments(seed);
      auto derived = interpret(program.derived(), arguments);
      if (failed(derived))
        return failure();
      for (auto [k, i] : llvm::enumerate(program.wrt())) {
        const Datum &want = (*derived)[1 + k];
        std::optional<Datum> differences =
            difference(program.primal(), arguments, i, want);
        if (differences)
          rows[k].derived.add(errorOf(want, *differences),
                              "random " + std::to_string(seed + 1), [&] {
                                return "derived " + text(want) +
                                       ", differences " + text(*differences);
                              });
      }
    }
    report(function.getLoc(), rows);
    return success();
  }

  void report(Location loc, ArrayRef<Row> rows) {
    for (const Row &row : rows) {
      table.push_back(row);
      for (auto [worst, what] : {std::pair(&row.own, "own vjp"),
                                 std::pair(&row.derived, "derived gradient")}) {
        if (worst->error <= options.bar)
          continue;
        ++failures;
        emitError(loc) << row.what << ": expects the " << what << " of "
                       << row.argument << " to be right to "
                       << printShortest(options.bar) << ", but got an error of "
                       << llvm::formatv("{0:e2}", double(worst->error)).str()
                       << " at " << worst->where << "; " << worst->detail;
      }
    }
  }

  void print() {
    if (table.empty()) {
      os << "no formula or function to check\n";
      return;
    }
    size_t names = 8, arguments = 8;
    for (const Row &row : table) {
      names = std::max(names, row.what.size());
      arguments = std::max(arguments, row.argument.size());
    }
    auto line = [&](StringRef a, StringRef b, StringRef c, StringRef d,
                    StringRef e) {
      os << llvm::left_justify(a, names) << "  "
         << llvm::left_justify(b, arguments) << "  "
         << llvm::left_justify(c, 14) << "  " << llvm::left_justify(d, 19)
         << "  " << e << '\n';
    };
    line("formula", "argument", "own - derived", "derived - differences",
         "worst at");
    for (const Row &row : table) {
      auto number = [](const Worst &w) {
        return w.compared ? llvm::formatv("{0:e1}", double(w.error)).str()
                          : std::string("-");
      };
      const Worst &worst =
          row.own.error > row.derived.error ? row.own : row.derived;
      line(row.what, row.argument, number(row.own), number(row.derived),
           worst.where);
    }
  }

  ModuleOp module;
  const GradientCheckOptions &options;
  raw_ostream &os;
  std::vector<Row> table;
  unsigned failures = 0;
};

} // namespace

FailureOr<unsigned> geo::checkGradients(ModuleOp module,
                                        const GradientCheckOptions &options,
                                        raw_ostream &os) {
  return Checker(module, options, os).run();
}
