// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module of the geo dialect to machine code in this process.
#ifndef GEOC_LOWERING_COMPILER_H
#define GEOC_LOWERING_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace geo {

/// `loops`: scalar loops, slow and obviously right. `cpu`: vectors and threads.
/// `simt`: kernels of a GPU, run on the host. `gpu`: the same kernels as code
/// for a GPU.
enum class Target { loops, cpu, simt, gpu };

/// The target named `name`, or nothing. GPUs have names of their own: see
/// getGpuTarget.
std::optional<Target> parseTarget(llvm::StringRef name);

/// What batches of training are like, where shapes do not tell.
struct BatchOptions {
  /// Of all steps of a recurrence together, and ids that are gathered; 0:
  /// unknown. See the passes geo-move-gathers and geo-keep-steps.
  int64_t rows = 0;
  /// What these steps may keep for the gradient instead of computing it again;
  /// negative: no limit.
  int64_t keepBytes = -1;
};

/// Of the targets with kernels.
struct DeviceOptions {
  /// Factors of f32 products: see geo-lower-to-gpu.
  std::string productMath = "3xtf32";
  /// `simt`: report races, accesses outside of buffers and the like
  /// (runtime/simt/Report.h, docs/simt.md).
  bool simtCheck = false;
};

struct CompileOptions {
  Target target = Target::cpu;
  /// `cpu`: an entry of the table of CPUs ("avx2", "avx512"); empty: this
  /// machine's. The code needs that machine's instructions. `gpu`, `simt`: an
  /// entry of the table of GPUs ("sm_90a"); empty: that.
  std::string machine;
  /// Count points that are not on their manifold (runtime/PointReport.h).
  bool checkPoints = false;
  BatchOptions batch;
  DeviceOptions device;
  /// Folder of the object cache; empty: no cache.
  std::string cacheDirectory;
};

/// Compiled functions of one module. Every public function `f` has an entry
/// `void f(void **args)`: one pointer per argument, then one per result. A
/// tensor's pointer leads to a strided memref descriptor {base, aligned,
/// offset, sizes[rank], strides[rank]}; results are written into buffers that
/// the caller sized, row-major. A number's pointer leads to the number.
class Executable {
public:
  using Entry = void (*)(void **);
  virtual ~Executable() = default;
  /// The entry of function `name`, or null.
  virtual Entry lookup(llvm::StringRef name) const = 0;
  /// True if the object code came out of the cache.
  virtual bool isFromCache() const = 0;
};

/// Brings `module` to constructs and splits `function` in two, to call
/// `<function>.prepare` once and `function` many times: see
/// geo-split-prepared. What further arguments `function` takes, its type tells.
/// To be followed by compile() with the same options.
mlir::LogicalResult splitPrepared(mlir::ModuleOp module,
                                  llvm::StringRef function, unsigned fixed,
                                  const CompileOptions &options);

/// Runs the whole pipeline on a module that may hold named ops, points and
/// geo.gradient, and loads the object code. The module is consumed. Diagnostics
/// go to the context's handler; the result is null on failure.
std::unique_ptr<Executable> compile(mlir::ModuleOp module,
                                    const CompileOptions &options);

/// The same for a module of functions of the host and GPU kernels, as they are
/// before they become PTX: the kernels run on the machine in runtime/simt, with
/// all its checks if `simtCheck`.
std::unique_ptr<Executable> compileKernels(mlir::ModuleOp module,
                                           bool simtCheck);

} // namespace geo

#endif // GEOC_LOWERING_COMPILER_H
