// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a model file, built into those of training and generation.
#ifndef GEOC_FRONTEND_MODELS_FILEMODEL_H
#define GEOC_FRONTEND_MODELS_FILEMODEL_H

#include "frontend/models/FileLayout.h"
#include "frontend/models/Model.h"
#include "frontend/models/ModelFile.h"
#include "mlir/IR/OwningOpRef.h"

namespace geo {

class FileModel : public Model {
public:
  /// Parses the file of `config` in the graph's context, and gives the graph's
  /// module its pages and formulas. Null after an error was reported.
  static std::unique_ptr<FileModel> create(GraphBuilder &graph,
                                           const RilmConfig &config);

  llvm::SmallVector<Argument> parameterArguments() override;
  llvm::SmallVector<Argument> stepArguments() override;
  Values loss(mlir::ValueRange parameters, mlir::ValueRange batch) override;
  Values step(mlir::ValueRange parameters, mlir::ValueRange arguments) override;
  Space space(size_t index, mlir::ValueRange parameters) override;

private:
  FileModel(GraphBuilder &graph, const RilmConfig &config)
      : Model(graph, config) {}

  /// What the functions see: positive parameters after their map.
  Values visible(mlir::ValueRange parameters);
  Space spaceOf(ManifoldInterface manifold, mlir::ValueRange visible);
  mlir::Value asState(size_t state, mlir::Value coordinates);
  /// Builds the body of `function` here; `inputs` and `targets` may be absent.
  Values call(const FileFunction &function, mlir::ValueRange visible,
              mlir::ValueRange states, mlir::ValueRange inputs = {},
              mlir::Value targets = {});
  Values words(mlir::ValueRange visible);
  /// The inputs of @step for every word of `ids` [R].
  Values inputs(mlir::ValueRange tables, mlir::Value ids);
  Values initialStates(mlir::ValueRange visible, mlir::Value like);
  Values move(mlir::ValueRange visible, mlir::ValueRange states,
              mlir::ValueRange inputs, mlir::Value valid);
  mlir::Value nll(mlir::ValueRange visible, mlir::ValueRange states,
                  mlir::Value targets);
  mlir::Value tau(mlir::ValueRange visible);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  FileLayout layout;
};

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_FILEMODEL_H
