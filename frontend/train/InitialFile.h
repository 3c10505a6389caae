// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_TRAIN_INITIALFILE_H
#define GEOC_FRONTEND_TRAIN_INITIALFILE_H

#include "frontend/data/Vocabulary.h"
#include "frontend/train/Session.h"

namespace geo {

/// Takes parameters from the tensors of a safetensors file that another program
/// wrote. `mapPath` is a JSON object: parameter to tensor, by name, or to an
/// object with
///   from       the tensor (F32 or F64)
///   transpose  true: its transpose
///   columns    [a, b): these columns of it, as to leave out a time coordinate
///              or to cut one matrix into two
///   words      a JSON file with the words of its rows, which come in the order
///              of `vocabulary` then
///   softplus   true: log(1 + e^x) of each number
///   inverse    true: 1 / x of each number
///   scale      each number times this
/// in this order. What it gives for a number that is stored by a map (see
/// Positive) is its value. Parameters that the map does not name keep theirs.
/// Errors name the file, the parameter or the tensor.
rt::Status loadInitial(ModelState &state, const RilmConfig &config,
                       const data::Vocabulary &vocabulary,
                       const std::string &path, const std::string &mapPath);

} // namespace geo

#endif // GEOC_FRONTEND_TRAIN_INITIALFILE_H
