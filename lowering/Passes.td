// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that lower geo, in alphabetical order.
#ifndef GEO_LOWERING_PASSES_TD
#define GEO_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def GeoCreateEntries : Pass<"geo-create-entries", "::mlir::ModuleOp"> {
  let summary = "Give every public function an entry with packed arguments";
  let description = [{
    For a public function @f of buffers creates
    `llvm.func @geo_entry_f(!llvm.ptr)`, which takes an array of pointers: to the
    descriptor of each memref, to each number. @f itself becomes internal, and
    its memref arguments noalias. Example: test/lowering/entries.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def GeoLowerToCpu : Pass<"geo-lower-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Lower the constructs to vectors and threads over buffers";
  let description = [{
    Turns functions of tensors into functions of memrefs, results last, and
    emits every construct as loops over vectors, split among threads. Example:
    test/lowering/cpu.mlir.
  }];
  let options = [
    Option<"machine", "machine", "std::string", "\"\"",
           "Entry of the table of CPUs (avx2, avx512); default: this machine's">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def GeoLowerToGpu : Pass<"geo-lower-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lower the constructs to kernels over buffers of a GPU";
  let description = [{
    Turns functions of tensors into functions of memrefs, results last, which hold
    device buffers and launches only, and emits every construct as kernels
    (`gpu.func`) of one `gpu.module`. Example: test/lowering/gpu/pairwise.mlir.
  }];
  let options = [
    Option<"device", "device", "std::string", "\"sm_90a\"",
           "Entry of the table of GPUs: sm_80, sm_90a or sm_100a">,
    Option<"math", "math", "std::string", "\"3xtf32\"",
           "Factors of f32 products: 3xtf32, tf32 or bf16">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def GeoLowerToLoops : Pass<"geo-lower-to-loops", "::mlir::ModuleOp"> {
  let summary = "Lower the constructs to scalar loops over buffers";
  let description = [{
    Turns functions of tensors into functions of memrefs, results last, and
    emits every construct as scalar loops with sums in f64: slow and obviously
    right, the oracle of the other targets. Example: test/lowering/loops.mlir.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def GeoMathToLibm : Pass<"geo-math-to-libm", "::mlir::ModuleOp"> {
  let summary = "Call libm for math ops that LLVM would expand or lose";
  let description = [{
    Like upstream's convert-math-to-libm, but keeps the ops that are single
    instructions (sqrt, fma, floor, ...), also on vectors, and writes rsqrt as
    1 / sqrt. It runs before convert-math-to-llvm, which would turn log1p(x)
    into log(1 + x). Example: test/lowering/math-to-libm.mlir.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def GeoMarkNoAlias : Pass<"geo-mark-noalias", "::mlir::ModuleOp"> {
  let summary = "Carry noalias over the conversion of memrefs to pointers";
  let description = [{
    The conversion of functions to LLVM drops attributes of memref arguments.
    This pass marks the pointers that geo-create-entries named, and the result
    of the allocator.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def GeoSimt : Pass<"geo-simt", "::mlir::ModuleOp"> {
  let summary = "Run kernels on the host: one fiber for each GPU thread";
  let description = [{
    Makes functions of the host out of `gpu.func` kernels, and calls of the
    machine in runtime/simt out of `gpu.launch_func`, barriers, shuffles and
    what else threads do together. It takes what is about to become PTX, so
    that the very same kernels run, and are checked, without a GPU. An op that
    the machine does not know is an error. Example: test/lowering/simt/simt.mlir.
  }];
  let options = [
    Option<"check", "check", "bool", "false",
           "Report races, accesses outside of buffers, reads of what nobody "
           "wrote and missing waits">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // GEO_LOWERING_PASSES_TD
