// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_SAFETENSORS_H
#define GEOC_RUNTIME_SAFETENSORS_H

#include "runtime/Tensor.h"

#include <map>
#include <string_view>
#include <utility>

namespace geo::rt {

/// The contents of a safetensors file: named tensors and string metadata.
struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::vector<std::pair<std::string, Tensor>> tensors;

  const Tensor *find(std::string_view name) const;
  Tensor *find(std::string_view name);
  /// Null when absent.
  const std::string *findMetadata(const std::string &key) const;
};

/// Reads a file of F32, F64, I32 and I64 tensors. Whatever the file holds, the
/// result is its contents or a one-line error that names it: the header must be
/// JSON of the format's form without duplicate names, and the tensors must
/// cover the data exactly, without overlaps, holes or a rest.
Expected<Safetensors> readSafetensors(const std::string &path);
/// The same on bytes in memory; `where` takes the path's place in errors.
Expected<Safetensors> parseSafetensors(std::string_view bytes,
                                       std::string_view where);

/// A tensor to be written, owned elsewhere.
struct TensorToWrite {
  std::string name;
  const Tensor *tensor;
};

/// Writes to a temporary name, then renames. Names and metadata must be UTF-8
/// and names distinct.
Status writeSafetensors(const std::string &path,
                        const std::vector<TensorToWrite> &tensors,
                        const std::map<std::string, std::string> &metadata);

} // namespace geo::rt

#endif // GEOC_RUNTIME_SAFETENSORS_H
