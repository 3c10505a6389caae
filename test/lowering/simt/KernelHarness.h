// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles functions and kernels given as text for the simt machine, and calls
// them on arrays.
#ifndef GEOC_TEST_LOWERING_SIMT_KERNELHARNESS_H
#define GEOC_TEST_LOWERING_SIMT_KERNELHARNESS_H

#include "runtime/simt/Report.h"
#include "test/lowering/Harness.h"

namespace geo::test {

class Kernels {
public:
  /// `text` is a module, or what is in one. `distribute` runs
  /// convert-vector-to-gpu on the kernels first, which spreads contractions
  /// over the lanes of a warp.
  explicit Kernels(const std::string &text, bool check = false,
                   bool distribute = false);

  explicit operator bool() const { return executable != nullptr; }

  template <class... Args> void operator()(const char *name, Args &...args) {
    void *pointers[] = {pack(args)...};
    auto entry = executable->lookup(name);
    ASSERT_NE(entry, nullptr) << name;
    entry(pointers);
  }

  std::string errors;
  std::unique_ptr<Executable> executable;
};

/// The text of a file in Inputs/.
std::string readInput(const std::string &name);

/// The messages of all reports since the last call.
std::string takeMessages();

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to);

} // namespace geo::test

#endif // GEOC_TEST_LOWERING_SIMT_KERNELHARNESS_H
