// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arguments of a model file's functions stand for.
#ifndef GEOC_FRONTEND_MODELS_FILELAYOUT_H
#define GEOC_FRONTEND_MODELS_FILELAYOUT_H

#include "dialect/Geo.h"
#include "frontend/models/RilmConfig.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace geo {

struct FileRole {
  enum Kind { parameter, state, input, targets } kind;
  /// Of the parameter, state or input.
  size_t index = 0;
};

/// A function, or null, and what its arguments are.
struct FileFunction {
  mlir::func::FuncOp op;
  llvm::SmallVector<FileRole> roles;

  explicit operator bool() const { return static_cast<bool>(op); }
  bool uses(FileRole::Kind kind, size_t index) const;
};

struct FileParameter {
  std::string name;
  mlir::Type type;
  mlir::Location loc;
  std::optional<Initial> initial;
  Positive positive = Positive::no;
};

struct FileState {
  std::string name;
  mlir::RankedTensorType type;
  std::string from;
};

/// The decoder by distance: state against parameter, with a temperature that is
/// a number or the parameter `tauName`.
struct FileDecoder {
  size_t state = 0, table = 0;
  double tau = 1;
  std::string tableName, tauName;
  std::optional<mlir::Location> loc; ///< of the mark
};

struct FileLayout {
  FileFunction words, step, loss, decode;
  std::vector<FileParameter> parameters;
  std::vector<FileState> states;
  /// Types of the inputs of @step: ids, then rows of the results of @words.
  llvm::SmallVector<mlir::Type> inputs;
  /// The result of @words that each input is a row of; -1: the word's id.
  llvm::SmallVector<int> inputTables;
  std::optional<FileDecoder> decoder;
  mlir::FloatType storage;

  std::optional<size_t> findParameter(llvm::StringRef name) const;
};

/// Reads and checks a module. Errors are reported at the argument or function
/// that is at fault.
mlir::FailureOr<FileLayout> readLayout(mlir::ModuleOp module);

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_FILELAYOUT_H
