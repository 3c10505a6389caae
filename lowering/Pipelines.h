// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes from a module that people write to the LLVM dialect.
#ifndef GEOC_LOWERING_PIPELINES_H
#define GEOC_LOWERING_PIPELINES_H

#include "lowering/Compiler.h"
#include "mlir/Pass/PassManager.h"

namespace geo {

/// How far a module goes, and what `geoc --emit=` prints.
enum class Stage {
  geo,      ///< checked and simplified
  expanded, ///< the five constructs on plain tensors
  gradient, ///< with gradients, inlined
  fused,    ///< after the fusion passes of the target: still constructs
  linalg,   ///< loops over buffers, or kernels and launches
  llvm,     ///< the LLVM dialect
};

std::optional<Stage> parseStage(llvm::StringRef name);

/// Adds the passes of all stages up to and including `last`. `machine`,
/// `checkPoints`, `batch` and `device` as in CompileOptions. Target::gpu ends
/// in the NVVM dialect.
void buildPipeline(mlir::OpPassManager &pm, Target target, Stage last,
                   llvm::StringRef machine = {}, bool checkPoints = false,
                   BatchOptions batch = {}, const DeviceOptions &device = {});

/// Adds the passes from functions of buffers to the LLVM dialect, the last part
/// of every pipeline that ends on the host.
void addLowerToLLVM(mlir::OpPassManager &pm, Target target);

/// Registers what the pipeline's passes and the translation to LLVM IR need.
void registerPipelineDialects(mlir::DialectRegistry &registry);

} // namespace geo

#endif // GEOC_LOWERING_PIPELINES_H
