// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/cpu/CpuTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace geo;

static const CpuTarget targets[] = {
    // name, lanes, tile rows, tile vectors, unroll, depth, block rows, pair
    // vectors, strip rows, strip bytes, kept bytes
    {"avx2", 8, 4, 2, 4, 256, 192, 2, 96, 512 << 10, 16 << 20},
    {"avx512", 16, 8, 2, 4, 256, 256, 2, 128, 512 << 10, 16 << 20},
};

std::optional<CpuTarget> geo::getCpuTarget(llvm::StringRef name) {
  for (const CpuTarget &target : targets)
    if (target.name == name)
      return target;
  return std::nullopt;
}

CpuTarget geo::getHostCpuTarget() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  bool wide = features.lookup("avx512f") && features.lookup("avx512vl") &&
              features.lookup("avx512dq");
  return *getCpuTarget(wide ? "avx512" : "avx2");
}
