// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_FRONTEND_DATA_NPY_H
#define GEOC_FRONTEND_DATA_NPY_H

#include "runtime/Tensor.h"

namespace geo::data {

/// Reads a NumPy .npy file (format 1.0, 2.0 or 3.0, as in NumPy Enhancement
/// Proposal 1) of one dimension, descr '<i4' or '<i8': an I32 or I64 tensor.
/// The header must be the dictionary of the format with exactly its three
/// keys, and the data as long as its shape says; whatever else the file holds
/// is a one-line error that names it.
rt::Expected<rt::Tensor> readNpy(const std::string &path);
/// The same on bytes in memory; `where` takes the path's place in errors.
rt::Expected<rt::Tensor> parseNpy(std::string_view bytes,
                                  std::string_view where);

} // namespace geo::data

#endif // GEOC_FRONTEND_DATA_NPY_H
