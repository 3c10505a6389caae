// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_CHECKPOINTMETADATA_H
#define GEOC_FRONTEND_TRAIN_CHECKPOINTMETADATA_H

#include "frontend/train/Checkpoint.h"
#include "runtime/Safetensors.h"

namespace geo {

/// Fills all but the tensors. Errors name the entry of the metadata.
rt::Status readMetadata(const rt::Safetensors &file, const std::string &path,
                        Checkpoint &checkpoint);
std::map<std::string, std::string> makeMetadata(const Checkpoint &checkpoint);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_CHECKPOINTMETADATA_H
