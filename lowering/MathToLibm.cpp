// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace geo {

#define GEN_PASS_DEF_GEOMATHTOLIBM
#include "lowering/Passes.h.inc"

namespace {

/// libm has no rsqrt.
struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TypedAttr one = rewriter.getOneAttr(op.getType());
    Value numerator = arith::ConstantOp::create(rewriter, loc, one);
    Value root = math::SqrtOp::create(rewriter, loc, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, numerator, root);
    return success();
  }
};

struct MathToLibm : impl::GeoMathToLibmBase<MathToLibm> {
  void runOnOperation() override {
    // A vector becomes one call for each element.
    constexpr int64_t mostElements = 1 << 16;
    WalkResult walked = getOperation()->walk([&](Operation *op) {
      auto type = op->getNumResults() == 1
                      ? dyn_cast<VectorType>(op->getResult(0).getType())
                      : VectorType();
      if (!type || !isa_and_present<math::MathDialect>(op->getDialect()) ||
          type.getNumElements() <= mostElements)
        return WalkResult::advance();
      op->emitOpError("expects vectors of at most ")
          << mostElements << " elements, but got " << type;
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    patterns.add<ExpandRsqrt>(&getContext(), /*benefit=*/2);
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, func::FuncDialect,
                           vector::VectorDialect>();
    target.addIllegalDialect<math::MathDialect>();
    target.addLegalOp<math::SqrtOp, math::FmaOp, math::AbsFOp, math::FloorOp,
                      math::CeilOp, math::RoundEvenOp, math::TruncOp,
                      math::CopySignOp, math::AbsIOp, math::CtPopOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace geo
