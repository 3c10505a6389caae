// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_SAFETENSORSHEADER_H
#define GEOC_RUNTIME_SAFETENSORSHEADER_H

#include "runtime/Tensor.h"

#include <map>
#include <string_view>

namespace geo::rt {

/// One tensor of a safetensors header; offsets are bytes from the data's start.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;
};

/// Reads the JSON text of a header. Checks its form, types and names; does not
/// look at how offsets, shapes and the data fit together. The error's "where"
/// is `where`.
Expected<SafetensorsHeader> parseSafetensorsHeader(std::string_view json,
                                                   std::string_view where);

} // namespace geo::rt

#endif // GEOC_RUNTIME_SAFETENSORSHEADER_H
