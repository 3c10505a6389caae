// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_IDS_H
#define GEOC_FRONTEND_DATA_IDS_H

#include "frontend/data/Corpus.h"

namespace geo::data {

/// Reads streams of word numbers from .npy files (see Npy.h) instead of a text:
/// `ids` is one file, split 90/5/5 by position, or a folder with ids.train.npy,
/// ids.valid.npy and ids.test.npy. Each split is one line. `targets` (empty:
/// none) is a file as long as `ids`, or a folder with targets.SPLIT.npy:
/// element i is what is to be predicted after reading ids[i], which is
/// ids[i + 1] without it.
///
/// The vocabulary is numbered, of `size` rows; without, of as many as the
/// largest number asks for.
/// Errors: what readNpy() refuses, numbers outside 0 .. size - 1 or of 2^24 or
/// more, lengths that differ, fewer than 100 numbers to train on or 2 in
/// another split.
rt::Expected<Corpus> loadIds(const std::string &ids, const std::string &targets,
                             std::optional<int64_t> size);

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_IDS_H
