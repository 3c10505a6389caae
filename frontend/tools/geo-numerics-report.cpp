// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What geo-numerics prints, and its check against a bar.
#include "frontend/tools/geo-numerics.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace geo::numerics;
using llvm::formatv;

namespace {
void writeWorst(llvm::json::OStream &json, const Worst &worst) {
  json.object([&] {
    json.attribute("id", worst.line ? llvm::json::Value(worst.line->id)
                                    : llvm::json::Value(nullptr));
    // JSON has no NaN.
    json.attribute("error", std::isfinite(worst.error)
                                ? llvm::json::Value(worst.error)
                                : llvm::json::Value(nullptr));
  });
}

void writeSummary(llvm::json::OStream &json, const Summary &summary,
                  const Bars &bars) {
  json.attribute("lines", summary.lines);
  json.attribute("unsupported", summary.unsupported);
  json.attribute("nan", summary.nan);
  auto above = [&](llvm::StringRef key, const int64_t *counts) {
    json.attributeObject(key, [&] {
      for (int i = 0; i < 3; ++i)
        json.attribute(bars.names[i], counts[i]);
    });
  };
  above("value_gt", summary.valueAbove);
  above("vjp_gt", summary.vjpAbove);
  json.attributeObject("worst", [&] {
    json.attributeBegin("value");
    writeWorst(json, summary.value);
    json.attributeEnd();
    json.attributeBegin("vjp");
    writeWorst(json, summary.vjp);
    json.attributeEnd();
  });
}

void printRow(llvm::raw_ostream &os, llvm::StringRef op, const Summary &s) {
  auto worst = [](const Worst &w) {
    if (!w.line)
      return std::string("-");
    return formatv("{0:e1} {1}", w.error, w.line->id).str();
  };
  os << formatv("{0,-20} {1,6} {2,6} {3,5} {4,6} {5,6}  {6,-22} {7,-22}\n", op,
                s.lines, s.unsupported, s.nan, s.valueAbove[0], s.vjpAbove[0],
                worst(s.value), worst(s.vjp));
}
} // namespace

void geo::numerics::printJson(llvm::raw_ostream &os, const Report &report) {
  llvm::json::OStream json(os);
  json.object([&] {
    writeSummary(json, report.all, report.bars);
    json.attributeObject("ops", [&] {
      for (auto &[op, summary] : report.ops)
        json.attributeObject(op, [&, &summary = summary] {
          writeSummary(json, summary, report.bars);
        });
    });
  });
  os << '\n';
}

void geo::numerics::printTable(llvm::raw_ostream &os, const Report &report) {
  os << formatv("{0,-20} {1,6} {2,6} {3,5} {4,6} {5,6}  {6,-22} {7,-22}\n",
                "op", "lines", "unsup.", "NaN",
                std::string(">") + report.bars.names[0], "vjp", "worst value",
                "worst vjp");
  for (auto &[op, summary] : report.ops)
    printRow(os, op, summary);
  printRow(os, "all", report.all);
  constexpr int maxListed = 40;
  int listed = 0;
  for (auto &[line, score] : report.scores) {
    if (score.value <= report.bars.ofValue(*line) &&
        score.vjp <= report.bars.ofVjp(*line))
      continue;
    if (listed++ == 0)
      os << "\nAbove " << report.bars.names[0]
         << ": id, manifold, op, region, d, c; errors of value and "
            "vjp, and the vjp's worst input\n";
    if (listed > maxListed)
      continue;
    os << formatv("{0} {1} {2} {3} d={4} c={5}: {6:e1} {7:e1} {8}\n", line->id,
                  line->manifold, line->op, line->region, line->dim, line->c,
                  score.value, score.vjp, score.worstInput);
  }
  if (listed > maxListed)
    os << "... and " << listed - maxListed << " more\n";
}

bool geo::numerics::check(llvm::raw_ostream &os, const Report &report,
                          const Allowed &allowed) {
  bool ok = true;
  auto fail = [&](const Line &line, const llvm::Twine &message) {
    os << formatv("{0} ({1} on {2}, {3}): expects {4}\n", line.id, line.op,
                  line.manifold, line.region, message.str());
    ok = false;
  };
  for (const Line *line : report.unsupported)
    if (!allowed.unsupported.count(line->op))
      fail(*line, "a supported op, but got none");
  auto expect = [&](const Line &line, llvm::StringRef what, double error,
                    double bar, const std::map<std::string, std::string> &ids) {
    // Nothing allows a NaN.
    if (!(error <= bar) && (std::isnan(error) || !ids.count(line.id)))
      fail(line,
           formatv("{0} within {1}, but got {2:e2}", what,
                   bar == report.bars.limits[0] ? report.bars.names[0]
                                                : formatv("{0:e0}", bar).str(),
                   error)
               .str());
  };
  for (auto &[line, score] : report.scores) {
    expect(*line, "a value", score.value, report.bars.ofValue(*line),
           allowed.value);
    expect(*line, "a vjp", score.vjp, report.bars.ofVjp(*line), allowed.vjp);
  }
  return ok;
}
