// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command lines of all examples share.
#ifndef GEOC_EXAMPLES_SUPPORT_COMMANDLINE_H
#define GEOC_EXAMPLES_SUPPORT_COMMANDLINE_H

#include <CLI/CLI.hpp>
#include <optional>

namespace geo::examples {

/// --threads, --seed, --target and --json.
template <class Options>
void addRunOptions(CLI::App &app, Options &options, bool &json) {
  app.add_option("--threads", options.threads, "0: all")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--target", options.target, "cpu, loops or simt")
      ->capture_default_str();
  app.add_flag("--json", json, "Print one line of JSON");
}

/// The code to exit with at once, after --help (0) or a usage error (2).
inline std::optional<int> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  return std::nullopt;
}

} // namespace geo::examples

#endif // GEOC_EXAMPLES_SUPPORT_COMMANDLINE_H
