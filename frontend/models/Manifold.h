// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_MODELS_MANIFOLD_H
#define GEOC_FRONTEND_MODELS_MANIFOLD_H

#include "dialect/Geo.h"
#include "frontend/models/RilmConfig.h"
#include "runtime/Status.h"

namespace geo {

/// Reads config.manifold, a manifold made of built-in pages that has d =
/// config.dim coordinates, whose curvatures are numbers: its text becomes the
/// one that the dialect prints, and config.curvatures are set. Does nothing for
/// an empty one. Errors name `where`, a flag or a file.
rt::Status readManifold(RilmConfig &config, const std::string &where);

/// `manifold` with its curvatures, in order, mapped by `change`.
ManifoldInterface
withCurvatures(ManifoldInterface manifold,
               llvm::function_ref<mlir::Attribute(mlir::Attribute)> change);

} // namespace geo

#endif // GEOC_FRONTEND_MODELS_MANIFOLD_H
