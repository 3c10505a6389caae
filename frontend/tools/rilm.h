// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands of rilm, one file each.
#ifndef GEOC_FRONTEND_TOOLS_RILM_H
#define GEOC_FRONTEND_TOOLS_RILM_H

#include "frontend/models/RilmConfig.h"
#include "frontend/train/Session.h"
#include "runtime/Status.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace geo::tools {

/// Exit codes: bad usage or input, and what went wrong afterwards.
constexpr int badInput = 2, failed = 1;

/// Adds a subcommand to `app`; its callback sets `exitCode`.
void addTrain(CLI::App &app, int &exitCode);
void addEval(CLI::App &app, int &exitCode);
void addGenerate(CLI::App &app, int &exitCode);
void addExport(CLI::App &app, int &exitCode);
void addBench(CLI::App &app, int &exitCode);
void addCounts(CLI::App &app, int &exitCode);
void addParams(CLI::App &app, int &exitCode);

/// Prints "rilm: MESSAGE" to stderr and returns `code`.
int report(const rt::Status &status, int code);

/// Prints one line of JSON; what is not UTF-8 in it (a path may hold any byte)
/// becomes U+FFFD.
void printJson(const nlohmann::ordered_json &json);

/// --model: flat, hyp or naive.
CLI::Option *addModel(CLI::App &command, RilmKind &kind);

/// --model-file, instead of the options `builtin` that say what a built-in
/// model is. Call it after they were added.
void addModelFile(CLI::App &command, std::string &path,
                  std::initializer_list<const char *> builtin);
/// Sets `config` to the model of `path`; nothing if that is empty.
rt::Status loadModelFile(const std::string &path, RilmConfig &config);

/// --dtype: f32 or f64. For a command that reads a checkpoint, absent means the
/// checkpoint's, and another is an error.
CLI::Option *addStorage(CLI::App &command, Storage &storage);
CLI::Option *addStorage(CLI::App &command, std::optional<Storage> &storage);
rt::Status checkStorage(const std::string &checkpoint, Storage stored,
                        std::optional<Storage> asked);

/// --threads, --target, --check-points and --simt-check, for what runs compiled
/// code.
struct RunOptions {
  int threads = 0;
  std::string target = "cpu";
  bool checkPoints = true;
  bool simtCheck = false;
};
void addRunOptions(CLI::App &command, RunOptions &options);
/// For what computes one row at a time: one thread, on which it is fastest; and
/// points are not looked at for every word again, which would take as long as
/// the word (a checkpoint's are when it is read).
void setOneRowDefaults(RunOptions &options);
/// Checks them and sets the number of threads.
rt::Status apply(const RunOptions &options);

/// Of a session that runs code as they say, from the cache if it is there.
SessionOptions makeSessionOptions(const RunOptions &options);

/// Where object code is cached: $GEOC_CACHE, else $XDG_CACHE_HOME/geoc, else
/// ~/.cache/geoc; empty without a home or with an empty $GEOC_CACHE.
std::string cacheDirectory();

} // namespace geo::tools

#endif // GEOC_FRONTEND_TOOLS_RILM_H
