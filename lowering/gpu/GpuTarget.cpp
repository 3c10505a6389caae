// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/GpuTarget.h"
#include "llvm/ADT/StringSwitch.h"

using namespace geo;

// CUDA C++ Programming Guide, "Compute Capabilities": registers, shared memory,
// threads and blocks of a multiprocessor. Multiprocessors: A100 108, H100 and
// H200 132, B200 148.
static constexpr GpuTarget table[] = {
    {"sm_80", "+ptx80", 65536, 167936, 2048, 32, 166912, /*blocks=*/216},
    {"sm_90a", "+ptx80", 65536, 233472, 2048, 32, 232448, /*blocks=*/264},
    {"sm_100a", "+ptx86", 65536, 233472, 2048, 32, 232448, /*blocks=*/296},
};

std::optional<GpuTarget> geo::getGpuTarget(llvm::StringRef name) {
  for (const GpuTarget &target : table)
    if (target.name == name)
      return target;
  return std::nullopt;
}

std::optional<ProductMath> geo::parseProductMath(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<ProductMath>>(name)
      .Case("3xtf32", ProductMath::tf32x3)
      .Case("tf32", ProductMath::tf32)
      .Case("bf16", ProductMath::bf16)
      .Default(std::nullopt);
}
