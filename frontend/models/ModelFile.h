// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that exists only as a .mlir file; see docs/model-files.md. No MLIR
// here.
#ifndef GEOC_FRONTEND_MODELS_MODELFILE_H
#define GEOC_FRONTEND_MODELS_MODELFILE_H

#include "frontend/models/RilmConfig.h"
#include "runtime/Status.h"

namespace geo {

/// What the host side knows of a model file.
struct ModelFile {
  /// The file's name in messages, and its text.
  std::string name, text;
  Storage storage = Storage::f32;
  /// In the order of their first appearance in @step, @words, @loss, @decode; a
  /// leading size of -1 stands for the size of the vocabulary.
  std::vector<Parameter> parameters;
  struct State {
    std::string name;
    int64_t dim = 0;
    /// The parameter [1, d] that holds its initial value; empty: zeros.
    std::string from;
  };
  std::vector<State> states;
  /// Whether there is a decoder that gives log-probabilities.
  bool canGenerate = false;
};

/// Parses and checks a model. Errors name the line.
rt::Expected<std::shared_ptr<const ModelFile>>
parseModelFile(const std::string &text, const std::string &name);
rt::Expected<std::shared_ptr<const ModelFile>>
readModelFile(const std::string &path);

/// The configuration of a file's model: its kind, storage and dimension.
RilmConfig configOf(std::shared_ptr<const ModelFile> file);

/// An initial value as written: a number, or "zeros", "ones", "identity",
/// "constant(x)", "normal(deviation)" or "uniform(low, high)".
std::optional<Initial> parseInitial(const std::string &text);

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_MODELFILE_H
