// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of geo-numerics, and its run over a file.
#include "frontend/tools/ToolFailures.h"
#include "frontend/tools/geo-numerics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace geo::numerics;
using namespace mlir;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"geo-numerics options"};
  cl::opt<std::string> file{cl::Positional, cl::Required,
                            cl::desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::init("cpu"), cl::cat(category),
      cl::desc(
          "loops, cpu, simt, or interpret (long double, nothing rounded: shows "
          "whether formulas and gradients are right)")};
  cl::opt<bool> simtCheck{
      "simt-check", cl::cat(category),
      cl::desc("simt: a race, an access outside of a buffer and the like is an "
               "error, naming kernel, thread and op")};
  cl::opt<std::string> manifold{"manifold", cl::cat(category),
                                cl::desc("Only the lines of this manifold")};
  cl::opt<std::string> op{"op", cl::cat(category),
                          cl::desc("Only the lines of this op")};
  cl::opt<bool> json{"json", cl::cat(category),
                     cl::desc("Print one line of JSON instead of a table")};
  cl::opt<std::string> pairMath{
      "pair-math", cl::init("f64"), cl::cat(category),
      cl::desc("Arithmetic of pair programs: f64 or f32")};
  cl::opt<std::string> dtype{
      "dtype", cl::init("f32"), cl::cat(category),
      cl::desc("Storage of rows: f32, or f64 (inputs need not be float32 then, "
               "and the bar is 1e-12)")};
  cl::opt<std::string> check{
      "check", cl::cat(category), cl::value_desc("file"),
      cl::desc("Exit with 1 if a line exceeds 1e-6 (f64: 1e-12) or cannot run, "
               "but for those "
               "that this JSON file allows: {\"value\": {id: reason}, \"vjp\": "
               "{id: reason}, \"unsupported\": {op: reason}}")};
  cl::opt<bool> emit{"emit", cl::cat(category),
                     cl::desc("Print the module of each op instead")};
};

int usageError(const llvm::Twine &message) {
  llvm::errs() << "geo-numerics: " << message << '\n';
  return 2;
}

/// Lines by the compilation that serves them, in the order of the file.
using Groups = std::vector<std::pair<Key, std::vector<const Line *>>>;

llvm::Expected<Groups> groupLines(const std::vector<Line> &lines,
                                  const std::vector<ManifoldSpec> &manifolds,
                                  const Options &options, Report &report) {
  std::map<Key, size_t> index;
  Groups groups;
  for (const Line &line : lines) {
    if ((!options.manifold.empty() && line.manifold != options.manifold) ||
        (!options.op.empty() && line.op != options.op))
      continue;
    ++report.all.lines;
    ++report.ops[line.op].lines;
    const OpSpec *op = findOp(line);
    auto manifold = llvm::find_if(manifolds, [&](const ManifoldSpec &m) {
      return m.name == line.manifold;
    });
    if (!op || manifold == manifolds.end()) {
      ++report.all.unsupported;
      ++report.ops[line.op].unsupported;
      report.unsupported.push_back(&line);
      continue;
    }
    llvm::Expected<Key> key =
        getKey(line, *op, *manifold, options.pairMath, options.dtype == "f64");
    if (!key)
      return llvm::createStringError(options.file + ":" +
                                     llvm::Twine(line.number) + ": " +
                                     llvm::toString(key.takeError()));
    auto [it, isNew] = index.try_emplace(*key, groups.size());
    if (isNew)
      groups.push_back({*key, {}});
    groups[it->second].second.push_back(&line);
  }
  return groups;
}

/// Runs one group; a line that cannot run scores NaN.
bool runGroup(MLIRContext &context, const Key &key,
              llvm::ArrayRef<const Line *> lines, StringRef target,
              bool simtCheck, Report &report) {
  auto module = parseSourceString<ModuleOp>(makeModule(key), &context);
  std::unique_ptr<Program> program;
  if (module)
    program = makeProgram(target, std::move(module), simtCheck);
  if (!program)
    llvm::errs() << "geo-numerics: expects a module that compiles, but got an "
                    "error for "
                 << key.text() << '\n';
  bool ok = program != nullptr;
  for (const Line *line : lines) {
    Score lineScore{std::nan(""), std::nan(""), ""};
    Outcome outcome;
    if (program && succeeded(runLine(key, *line, *program, outcome)))
      lineScore = score(*line, outcome, report.bars.isWide);
    else
      ok = false;
    report.all.add(*line, lineScore, report.bars);
    report.ops[line->op].add(*line, lineScore, report.bars);
    report.scores.push_back({line, lineScore});
  }
  return ok;
}
} // namespace

int geo::numerics::run(int argc, char **argv, DialectRegistry &registry,
                       const std::vector<ManifoldSpec> &manifolds) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Values and gradients of geo's ops against reference vectors.\n\n"
          "  geo-numerics refvec.jsonl --target=loops --manifold poincare\n",
          &errors))
    return usageError(geo::tools::getUsageMessage(message));
  if (!llvm::is_contained({"loops", "cpu", "simt", "interpret"},
                          options.target))
    return usageError(
        "expects --target loops, cpu, simt or interpret, but got " +
        options.target);
  if (options.pairMath != "f64" && options.pairMath != "f32")
    return usageError("expects --pair-math f64 or f32, but got " +
                      options.pairMath);
  bool wide = options.dtype == "f64";
  if (!wide && options.dtype != "f32")
    return usageError("expects --dtype f32 or f64, but got " + options.dtype);
  if (wide && options.pairMath == "f32")
    return usageError("expects --pair-math f64 with --dtype f64, but got f32");
  Allowed allowed;
  if (!options.check.empty()) {
    auto read = readAllowed(options.check);
    if (!read)
      return usageError(llvm::toString(read.takeError()));
    allowed = std::move(*read);
  }
  auto lines = readLines(options.file, wide);
  if (!lines)
    return usageError(llvm::toString(lines.takeError()));
  Report report;
  report.bars = wide ? wideBars : narrowBars;
  auto groups = groupLines(*lines, manifolds, options, report);
  if (!groups)
    return usageError(llvm::toString(groups.takeError()));
  if (report.all.lines == 0)
    return usageError("expects --manifold and --op to select lines of " +
                      options.file + ", but got none");
  if (options.emit) {
    for (auto &[key, members] : *groups)
      llvm::outs() << "// " << key.text() << '\n' << makeModule(key) << '\n';
    return 0;
  }

  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool ok = true;
  for (auto &[key, members] : *groups)
    ok &= runGroup(context, key, members, options.target, options.simtCheck,
                   report);
  if (options.json)
    printJson(llvm::outs(), report);
  else
    printTable(llvm::outs(), report);
  if (!options.check.empty())
    ok &= check(llvm::errs(), report, allowed);
  return ok ? 0 : 1;
}
