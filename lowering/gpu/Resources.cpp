// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/gpu/Resources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace geo;

static double getOccupancy(const KernelResources &kernel,
                           const GpuTarget &target) {
  if (kernel.threads == 0)
    return 0;
  int64_t warps = llvm::divideCeil(kernel.threads, 32);
  int64_t ofWarp =
      llvm::alignTo(std::max<int64_t>(kernel.registers, 1) * 32, 256);
  // A quarter of the registers belongs to each of four schedulers.
  int64_t byRegisters = target.registers / 4 / ofWarp * 4 / warps;
  int64_t shared =
      llvm::alignTo(kernel.staticShared + kernel.dynamicShared + 1024, 128);
  int64_t blocks =
      std::min({byRegisters, target.shared / shared,
                target.threads / 32 / warps, target.residentBlocks});
  return double(blocks * warps) / double(target.threads / 32);
}

/// The number that `pattern` finds in `line`, or 0.
static int64_t findNumber(StringRef line, StringRef pattern) {
  SmallVector<StringRef> matches;
  int64_t number = 0;
  if (llvm::Regex(pattern).match(line, &matches))
    matches[1].getAsInteger(10, number);
  return number;
}

SmallVector<KernelResources> geo::readResources(ModuleOp module, StringRef log,
                                                const GpuTarget &target) {
  llvm::MapVector<StringRef, KernelResources> kernels;
  module.walk([&](gpu::LaunchFuncOp launch) {
    StringRef name = launch.getKernelName().getValue();
    KernelResources &kernel = kernels[name];
    kernel.name = name.str();
    APInt number;
    if (matchPattern(launch.getBlockSizeX(), m_ConstantInt(&number)))
      kernel.threads = number.getSExtValue();
    Value dynamic = launch.getDynamicSharedMemorySize();
    if (dynamic && matchPattern(dynamic, m_ConstantInt(&number)))
      kernel.dynamicShared =
          std::max(kernel.dynamicShared, number.getSExtValue());
  });
  KernelResources *current = nullptr;
  SmallVector<StringRef> lines, matches;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (llvm::Regex("Compiling entry function '([^']*)'")
            .match(line, &matches)) {
      auto *found = kernels.find(matches[1]);
      current = found == kernels.end() ? nullptr : &found->second;
    }
    if (!current)
      continue;
    if (line.contains("stack frame")) {
      current->stack = findNumber(line, "([0-9]+) bytes stack frame");
      current->spillStores = findNumber(line, "([0-9]+) bytes spill stores");
      current->spillLoads = findNumber(line, "([0-9]+) bytes spill loads");
    }
    if (line.contains("registers")) {
      current->registers = findNumber(line, "Used ([0-9]+) registers");
      current->staticShared = findNumber(line, "([0-9]+) bytes smem");
    }
  }
  SmallVector<KernelResources> result;
  for (auto &[name, kernel] : kernels) {
    kernel.occupancy = getOccupancy(kernel, target);
    result.push_back(kernel);
  }
  return result;
}

std::string geo::printResources(ArrayRef<KernelResources> kernels,
                                const GpuTarget &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", target.name);
    json.attributeArray("kernels", [&] {
      for (const KernelResources &kernel : kernels)
        json.object([&] {
          json.attribute("name", kernel.name);
          json.attribute("threads", kernel.threads);
          json.attribute("registers", kernel.registers);
          json.attribute("spills", kernel.spillStores + kernel.spillLoads);
          json.attribute("stack", kernel.stack);
          json.attribute("static_smem", kernel.staticShared);
          json.attribute("dynamic_smem", kernel.dynamicShared);
          json.attribute("occupancy", kernel.occupancy);
        });
    });
  });
  stream << '\n';
  return text;
}
