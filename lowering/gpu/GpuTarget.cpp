// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/GpuTarget.h"
#include "llvm/ADT/StringSwitch.h"

using namespace geo;

// Multiprocessors: A100 108, H100 and H200 132, B200 148.
static constexpr GpuTarget table[] = {
    {"sm_80", /*blocks=*/216},
    {"sm_90a", /*blocks=*/264},
    {"sm_100a", /*blocks=*/296},
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
