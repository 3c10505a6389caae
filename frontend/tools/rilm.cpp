// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rilm: trains, evaluates and runs RiLM models.
#include "frontend/tools/rilm.h"
#include "runtime/Threads.h"

#include <cstdlib>

#include <fmt/format.h>

using namespace geo;
using namespace geo::tools;

int tools::report(const rt::Status &status, int code) {
  fmt::print(stderr, "rilm: {}\n", status.message());
  return code;
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

void tools::addRunOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option("--threads", options.threads, "Threads; 0: as OpenMP decides")
      ->capture_default_str();
  command
      .add_option("--target", options.target,
                  "cpu, or loops (slow, the reference)")
      ->capture_default_str();
}

rt::Status tools::apply(const RunOptions &options) {
  if (options.threads < 0 || options.threads > 4096)
    return rt::expects("--threads", "0 to 4096",
                       std::to_string(options.threads));
  rt::setNumThreads(options.threads);
  return rt::Status::success();
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

int main(int argc, char **argv) {
  // Threads that spin while they wait cost nothing on idle cores, but hours
  // where another job shares them. OpenMP reads this when it starts, later than
  // here.
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  CLI::App app("rilm: recurrent language models that decode by geodesic "
               "distance, compiled by Geoc");
  app.require_subcommand(1);
  app.footer("Examples:\n"
             "  rilm train --model hyp --corpus ptb/ --out run\n"
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // help
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    fmt::print(stderr, "rilm: {}\n`rilm --help` shows what there is.\n", text);
    return badInput;
  }
  return exitCode;
}
