// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies and approximate instructions.
#include "lowering/simt/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace geo::simt;

static Value bytesOf(ImplicitLocOpBuilder &b, Gen &gen, Value elements,
                     int64_t bytes) {
  Value words = arith::IndexCastOp::create(b, b.getI64Type(), elements);
  return arith::MulIOp::create(b, words, gen.i64(b, bytes));
}

FailureOr<bool> KernelLowering::lowerCopyOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (auto copy = dyn_cast<nvgpu::DeviceAsyncCopyOp>(op)) {
    int64_t element = byteSize(copy.getSrc().getType().getElementType());
    Value bytes = gen.i64(b, copy.getDstElements().getSExtValue() * element);
    Value sourceBytes = copy.getSrcElements()
                            ? bytesOf(b, gen, copy.getSrcElements(), element)
                            : bytes;
    gen.call(b, "geo_simt_copy", Type(),
             {gen.site(b, op),
              gen.address(b, copy.getDst(), copy.getDstIndices()),
              gen.address(b, copy.getSrc(), copy.getSrcIndices()), bytes,
              sourceBytes});
  } else if (isa<nvgpu::DeviceAsyncCreateGroupOp>(op)) {
    gen.call(b, "geo_simt_group", Type(), ValueRange());
  } else if (auto wait = dyn_cast<nvgpu::DeviceAsyncWaitOp>(op)) {
    gen.call(b, "geo_simt_wait", Type(),
             gen.i32(b, wait.getNumGroups().value_or(0)));
  } else {
    return false;
  }
  // Tokens order nothing: groups are counted.
  for (Value token : op->getResults())
    token.replaceAllUsesWith(gen.i32(b, 0));
  op->erase();
  return true;
}

/// The runtime's model of an intrinsic, or nothing.
static StringRef getApproximation(StringRef intrinsic) {
  return llvm::StringSwitch<StringRef>(intrinsic)
      .Case("llvm.nvvm.div.full", "geo_simt_div_full_f32")
      .Case("llvm.nvvm.rcp.approx.f", "geo_simt_rcp_f32")
      .Case("llvm.nvvm.rcp.approx.ftz.f", "geo_simt_rcp_ftz_f32")
      .Case("llvm.nvvm.rcp.approx.ftz.d", "geo_simt_rcp_ftz_f64")
      .Case("llvm.nvvm.rsqrt.approx.f", "geo_simt_rsqrt_f32")
      .Case("llvm.nvvm.rsqrt.approx.ftz.f", "geo_simt_rsqrt_ftz_f32")
      .Case("llvm.nvvm.rsqrt.approx.d", "geo_simt_rsqrt_f64")
      .Case("llvm.nvvm.rsqrt.approx.ftz.d", "geo_simt_rsqrt_ftz_f64")
      .Case("llvm.nvvm.sqrt.approx.f", "geo_simt_sqrt_f32")
      .Case("llvm.nvvm.sqrt.approx.ftz.f", "geo_simt_sqrt_ftz_f32")
      .Cases({"llvm.nvvm.ex2.approx.f", "llvm.nvvm.ex2.approx.f32"},
             "geo_simt_ex2_f32")
      .Cases({"llvm.nvvm.ex2.approx.ftz.f", "llvm.nvvm.ex2.approx.ftz.f32"},
             "geo_simt_ex2_ftz_f32")
      .Case("llvm.nvvm.lg2.approx.f", "geo_simt_lg2_f32")
      .Case("llvm.nvvm.lg2.approx.ftz.f", "geo_simt_lg2_ftz_f32")
      .Cases({"llvm.nvvm.sin.approx.f", "llvm.nvvm.sin.approx.ftz.f"},
             "geo_simt_sin_f32")
      .Cases({"llvm.nvvm.cos.approx.f", "llvm.nvvm.cos.approx.ftz.f"},
             "geo_simt_cos_f32")
      .Cases({"llvm.nvvm.tanh.approx.f", "llvm.nvvm.tanh.approx.f32"},
             "geo_simt_tanh_f32")
      .Default("");
}

FailureOr<bool> KernelLowering::lowerIntrinsic(Operation *op) {
  StringRef intrinsic;
  if (isa<NVVM::RcpApproxFtzF32Op>(op))
    intrinsic = "llvm.nvvm.rcp.approx.ftz.f";
  else if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    intrinsic = call.getIntrin();
  else
    return false;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (intrinsic == "llvm.nvvm.fma.rn.f" || intrinsic == "llvm.nvvm.fma.rn.d") {
    Value result = LLVM::FMAOp::create(b, op->getOperand(0), op->getOperand(1),
                                       op->getOperand(2));
    op->getResult(0).replaceAllUsesWith(result);
  } else {
    StringRef callee = getApproximation(intrinsic);
    if (callee.empty())
      return op->emitOpError("expects an intrinsic that the simt target knows, "
                             "but got ")
             << intrinsic;
    op->getResult(0).replaceAllUsesWith(
        gen.call(b, callee, op->getResult(0).getType(), op->getOperands()));
  }
  op->erase();
  return true;
}
