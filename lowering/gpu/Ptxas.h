// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's assembler, run as a program.
#ifndef GEOC_LOWERING_GPU_PTXAS_H
#define GEOC_LOWERING_GPU_PTXAS_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace geo {

/// The path of NVIDIA's libdevice (nvvm/libdevice/libdevice.10.bc), or empty.
/// Looks where Ptxas::find does, and beside the ptxas in PATH.
std::string findLibdevice(llvm::StringRef cudaHome);

class Ptxas {
public:
  /// Looks in `cudaHome`/bin, or else, where that is empty, in $CUDA_HOME/bin
  /// and PATH. Errors, in one message: there is none, or an older one than 13.0
  /// (which knows all targets of the table).
  static mlir::FailureOr<Ptxas> find(llvm::StringRef cudaHome,
                                     std::string &message);

  struct Output {
    std::string cubin;
    /// What -v prints: registers, spills and memory of each kernel.
    std::string log;
  };
  /// Assembles for `chip`. Errors: what ptxas says, and its warnings about
  /// instructions that it had to serialize or ignore (C75xx).
  mlir::FailureOr<Output> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                   std::string &message) const;

private:
  explicit Ptxas(std::string path) : path(std::move(path)) {}
  /// Runs it; both of its outputs go to `output`.
  bool run(llvm::ArrayRef<llvm::StringRef> arguments,
           std::string &output) const;

  std::string path;
};

} // namespace geo

#endif // GEOC_LOWERING_GPU_PTXAS_H
