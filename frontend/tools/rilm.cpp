// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rilm: trains, evaluates and runs RiLM models.
#include "frontend/tools/rilm.h"
#include "frontend/models/ModelFile.h"
#include "frontend/tools/ToolFailures.h"
#include "lowering/Compiler.h"
#include "runtime/Threads.h"
#include "runtime/simt/Report.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

int tools::report(const rt::Status &status, int code) {
  fmt::print(stderr, "rilm: {}\n", status.message());
  return code;
}

void tools::printJson(const nlohmann::ordered_json &json) {
  fmt::print("{}\n",
             json.dump(-1, ' ', /*ensure_ascii=*/false,
                       nlohmann::ordered_json::error_handler_t::replace));
}

CLI::Option *tools::addModel(CLI::App &command, RilmKind &kind) {
  return command
      .add_option_function<std::string>(
          "--model",
          [&kind](const std::string &text) {
            std::optional<RilmKind> parsed = parseRilmKind(text);
            if (!parsed)
              throw CLI::ValidationError(
                  "--model",
                  "expects flat, hyp or naive, but got " + rt::quote(text));
            kind = *parsed;
          },
          "flat (h + phi), hyp (Moebius addition on the ball) or naive "
          "(exponential map at h; collapses)")
      ->default_str(name(kind));
}

void tools::addModelFile(CLI::App &command, std::string &path,
                         std::initializer_list<const char *> builtin) {
  CLI::Option *option = command.add_option(
      "--model-file", path,
      "Instead of a built-in model: a recurrence and decoder of your own, a "
      ".mlir file (docs/model-files.md)");
  for (const char *flag : builtin)
    option->excludes(command.get_option(flag));
}

rt::Status tools::loadModelFile(const std::string &path, RilmConfig &config) {
  if (path.empty())
    return rt::Status::success();
  auto file = readModelFile(path);
  if (!file)
    return file.status();
  int64_t vocabulary = config.vocabulary, truncate = config.truncate;
  config = configOf(*file);
  config.vocabulary = vocabulary;
  config.truncate = truncate;
  return rt::Status::success();
}

template <typename T>
static CLI::Option *addStorageTo(CLI::App &command, T &storage,
                                 const char *help) {
  return command.add_option_function<std::string>(
      "--dtype",
      [&storage](const std::string &text) {
        std::optional<Storage> parsed = parseStorage(text);
        if (!parsed)
          throw CLI::ValidationError("--dtype", "expects f32 or f64, but got " +
                                                    rt::quote(text));
        const Storage given = *parsed; // where T is optional, too
        storage = given;
      },
      help);
}

CLI::Option *tools::addStorage(CLI::App &command, Storage &storage) {
  return addStorageTo(command, storage,
                      "Storage of parameters, states and tables: f32 or f64")
      ->default_str(name(storage));
}

CLI::Option *tools::addStorage(CLI::App &command,
                               std::optional<Storage> &storage) {
  return addStorageTo(command, storage,
                      "f32 or f64, as the checkpoint is (default: what it is)");
}

rt::Status tools::checkStorage(const std::string &checkpoint, Storage stored,
                               std::optional<Storage> asked) {
  if (asked && *asked != stored)
    return rt::expects(
        "--dtype",
        fmt::format("{} as in {}", name(stored), rt::quote(checkpoint)),
        name(*asked));
  return rt::Status::success();
}

void tools::addRunOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option("--threads", options.threads, "Threads; 0: as OpenMP decides")
      ->capture_default_str();
  command
      .add_option("--target", options.target,
                  "cpu, loops (slow, the reference), or simt (kernels of "
                  "a GPU, run on the host)")
      ->capture_default_str();
  command.add_flag("--check-points,!--no-check-points", options.checkPoints,
                   fmt::format("Stop at a point that is not on its manifold, "
                               "naming op, row, norm and limit (default: {})",
                               options.checkPoints ? "on" : "off"));
  command.add_flag(
      "--simt-check", options.simtCheck,
      "simt: stop at a race, an access outside of a buffer and the "
      "like, naming kernel, thread and op");
}

void tools::setOneRowDefaults(RunOptions &options) {
  options.threads = 1;
  options.checkPoints = false;
}

rt::Status tools::apply(const RunOptions &options) {
  if (options.threads < 0 || options.threads > 4096)
    return rt::expects("--threads", "0 to 4096",
                       std::to_string(options.threads));
  if (!parseTarget(options.target))
    return rt::expects("--target", "cpu, loops or simt",
                       rt::quote(options.target));
  if (!rt::canStartThreads(options.threads))
    return rt::expects("--threads", "no more threads than the system starts",
                       std::to_string(options.threads));
  rt::setNumThreads(options.threads);
  return rt::Status::success();
}

SessionOptions tools::makeSessionOptions(const RunOptions &options) {
  SessionOptions session;
  session.target = options.target;
  session.checkPoints = options.checkPoints;
  session.simtCheck = options.simtCheck;
  session.cacheDirectory = cacheDirectory();
  return session;
}

std::string tools::cacheDirectory() {
  if (const char *own = std::getenv("GEOC_CACHE"))
    return own;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/geoc";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/geoc";
  return "";
}

/// Whether all of `text` is a number that a T holds.
template <typename T> static bool isNumber(const std::string &text) {
  T value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// CLI11 reads "" as 0, clamps what is out of range and wraps negative numbers
/// where none belong; this rejects them for every option, by its type.
static void requireExactNumbers(CLI::App &app) {
  for (CLI::Option *option : app.get_options()) {
    std::string type = option->get_type_name();
    const char *what = type == "INT"     ? "a whole number"
                       : type == "UINT"  ? "a whole number of 0 or more"
                       : type == "FLOAT" ? "a number"
                                         : nullptr;
    if (!what)
      continue;
    option->check([=](const std::string &text) {
      bool good = type == "INT"    ? isNumber<int64_t>(text)
                  : type == "UINT" ? isNumber<uint64_t>(text)
                                   : isNumber<double>(text);
      return good ? ""
                  : fmt::format("expects {} that 64 bits hold, but got {}",
                                what, rt::quote(text));
    });
  }
  for (CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; }))
    requireExactNumbers(*sub);
}

int main(int argc, char **argv) {
  handleFailures("rilm");
  // A step has some seventy regions of threads, and waking a thread takes some
  // 50 us: one that waits spins that long, but no longer, since it would cost
  // hours where another job shares the cores. OpenMP reads this when it starts,
  // later than here.
  if (!std::getenv("OMP_WAIT_POLICY"))
    setenv("KMP_BLOCKTIME", "100us", /*overwrite=*/0);
  CLI::App app("rilm: recurrent language models that decode by geodesic "
               "distance, compiled by Geoc");
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  rilm train --model hyp --corpus ptb/ --out run\n"
             "  rilm train --model-file cell.mlir --corpus ptb/ --out run\n"
             "  rilm eval --checkpoint run/last.safetensors --corpus ptb/\n"
             "  rilm generate --checkpoint run/last.safetensors --prompt "
             "\"the company\"\n"
             "`rilm SUBCOMMAND --help` shows each command's options.");
  int exitCode = 0;
  addTrain(app, exitCode);
  addEval(app, exitCode);
  addGenerate(app, exitCode);
  addExport(app, exitCode);
  addBench(app, exitCode);
  addCounts(app, exitCode);
  addParams(app, exitCode);
  requireExactNumbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // help
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    fmt::print(stderr, "rilm: {}\n`rilm --help` shows what there is.\n", text);
    return badInput;
  } catch (const std::system_error &error) { // fmt's, of a failed write
    return report(rt::expects("standard output", "to be written", error.what()),
                  failed);
  }
  if (auto reports = rt::simt::takeReports(); !reports.empty() && !exitCode)
    exitCode = report(rt::Status::error(reports.front().message()), failed);
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return report(
        rt::expects("standard output", "to be written", std::strerror(errno)),
        failed);
  return exitCode;
}
