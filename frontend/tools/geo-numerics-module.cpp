// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The module that runs one op: its value, and its gradient by every input.
#include "frontend/tools/geo-numerics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace geo::numerics;
using llvm::formatv;
using llvm::StringRef;

namespace {
class ModuleWriter {
public:
  explicit ModuleWriter(const Key &key) : key(key) {
    std::string d = std::to_string(key.dim), v = std::to_string(key.tableRows);
    std::string x = key.wide ? "xf64" : "xf32";
    const std::string &m = key.manifold->encoding;
    types = {{'P', "tensor<?x" + d + x + ", " + m + ">"},
             {'E', "tensor<" + v + "x" + d + x + ", " + m + ">"},
             {'T', "tensor<?x" + d + x + ">"},
             {'N', "tensor<?xf64>"},
             {'L', "tensor<?x" + v + x + ">"},
             {'R', "vector<" + d + x + ">"},
             {'C', key.manifold->hasCurvature ? "curvature(%c)" : ""},
             {'A', key.manifold->hasCurvature ? ", %c" : ""},
             {'B', key.manifold->hasCurvature ? ", f64" : ""},
             {'M', key.manifold->name},
             {'X', d + x},
             {'K', formatv("{0:e17} : f64", key.constant).str()},
             {'F', "math " + key.pairMath}};
    for (const InputSpec &input : key.op->inputs)
      addInput(input);
    if (key.manifold->hasCurvature)
      addArgument("%c", "f64", true);
  }

  std::string write() { return writeValue() + writeObjective() + writeVjp(); }

private:
  struct Argument {
    std::string name, type;
    bool hasGradient;
  };

  void addArgument(std::string name, std::string type, bool hasGradient) {
    arguments.push_back({std::move(name), std::move(type), hasGradient});
  }

  /// Points come in as plain tensors, through a door.
  void addDoor(StringRef name, const std::string &plain, StringRef points) {
    addArgument(("%" + name + "_coords").str(), plain, true);
    doors += formatv("  %{0} = geo.point %{0}_coords : {1} -> {2}\n", name,
                     plain, points);
  }

  void addInput(const InputSpec &input) {
    std::string name = ("%" + input.name).str();
    switch (input.kind) {
    case InputKind::point:
      return addDoor(input.name, types['T'], types['P']);
    case InputKind::vector:
      return addArgument(name, types['T'], true);
    case InputKind::table:
      return addDoor(input.name,
                     formatv("tensor<{0}x{1}x{2}>", key.tableRows, key.dim,
                             key.wide ? "f64" : "f32"),
                     types['E']);
    case InputKind::number:
      return addArgument(name, "f64", true);
    case InputKind::constant:
      return;
    case InputKind::target:
      return addArgument(name, "tensor<?xi32>", false);
    }
  }

  std::string substitute(StringRef program) {
    std::string text;
    for (size_t i = 0; i < program.size(); ++i)
      if (program[i] == '$' && i + 1 < program.size())
        text += types[program[++i]];
      else
        text += program[i];
    return text;
  }

  /// Type of the plain output `%plain`.
  std::string getResultType() {
    switch (key.op->result) {
    case ResultKind::points:
    case ResultKind::vectors:
      return types['T'];
    case ResultKind::numbers:
      return types['N'];
    case ResultKind::table:
      return types['L'];
    }
    llvm_unreachable("unknown result");
  }

  /// The body up to the output, and the output's name.
  std::pair<std::string, std::string> getBody() {
    std::string body = doors + "  " + substitute(key.op->program) + "\n";
    if (key.op->result != ResultKind::points)
      return {body, "%out"};
    body += substitute("  %plain = geo.coords %out : $P -> $T\n");
    return {body, "%plain"};
  }

  std::string getSignature() {
    return llvm::join(llvm::map_range(arguments,
                                      [](const Argument &a) {
                                        return a.name + ": " + a.type;
                                      }),
                      ", ");
  }

  std::string writeValue() {
    auto [body, out] = getBody();
    return formatv(
        "func.func @value({0}) -> {1} {{\n{2}  return {3} : {1}\n}\n",
        getSignature(), getResultType(), body, out);
  }

  /// <ct, output>, summed over rows.
  std::string writeObjective() {
    auto [body, out] = getBody();
    std::string type = getResultType(), row = types['R'];
    std::string product = "%product = geo.dot %left, %right : ";
    if (key.op->result == ResultKind::numbers)
      product = "%product = arith.mulf %left, %right : f64";
    else if (key.op->result == ResultKind::table)
      product +=
          formatv("vector<{0}x{1}>", key.tableRows, key.wide ? "f64" : "f32");
    else
      product += row;
    return formatv(R"(func.func private @objective({0}, %ct: {1}) -> f64 {{
{2}  %total = geo.rowwise rows(%left = {3} : {1}, %right = %ct : {1}) {{
    {4}
    geo.yield %product : f64
  } -> () sums (f64)
  return %total : f64
}
)",
                   getSignature(), type, body, out, product);
  }

  std::string writeVjp() {
    std::string names, argumentTypes, wrt, results = "f64";
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      names += argument.name + ", ";
      argumentTypes += argument.type + ", ";
      if (!argument.hasGradient)
        continue;
      wrt += (wrt.empty() ? "" : ", ") + std::to_string(i);
      results += ", " + argument.type;
    }
    size_t count = 1 + llvm::count_if(arguments, [](const Argument &a) {
                     return a.hasGradient;
                   });
    return formatv(R"(func.func @vjp({0}, %ct: {1}) -> ({2}) {{
  %results:{3} = geo.gradient @objective({4}%ct) wrt [{5}] : ({6}{1}) -> ({2})
  return %results#0{7} : {2}
}
)",
                   getSignature(), getResultType(), results, count, names, wrt,
                   argumentTypes, listResults(count));
  }

  static std::string listResults(size_t count) {
    std::string text;
    for (size_t i = 1; i < count; ++i)
      text += ", %results#" + std::to_string(i);
    return text;
  }

  const Key &key;
  std::map<char, std::string> types;
  std::vector<Argument> arguments;
  std::string doors;
};
} // namespace

std::string geo::numerics::makeModule(const Key &key) {
  return ModuleWriter(key).write();
}
