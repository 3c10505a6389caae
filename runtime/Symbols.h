// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEOC_RUNTIME_SYMBOLS_H
#define GEOC_RUNTIME_SYMBOLS_H

#include <string>
#include <vector>

namespace geo::rt {

struct RuntimeSymbol {
  std::string name; ///< C name, unmangled
  void *address;
};

/// What generated code may call, for a JIT to define as absolute symbols: a
/// statically linked program exports none of them by itself.
std::vector<RuntimeSymbol> runtimeSymbols();

} // namespace geo::rt

#endif // GEOC_RUNTIME_SYMBOLS_H
