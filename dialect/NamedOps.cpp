// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on typed points: distances, decoders, the two doors, and folds by
// geometry.
#include "dialect/NamedOps.h"
#include "dialect/RegionSyntax.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace geo;
using namespace geo::named;

/// x [N, d] and y [V, d] are points of one manifold and dimension.
static LogicalResult verifyTwoBatches(Operation *op, StringRef xName, Value x,
                                      StringRef yName, Value y) {
  if (failed(verifyPoints(op, xName, x.getType())) ||
      failed(verifyPoints(op, yName, y.getType())))
    return failure();
  auto xType = cast<RankedTensorType>(x.getType());
  auto yType = cast<RankedTensorType>(y.getType());
  if (xType.getEncoding() != yType.getEncoding())
    return op->emitOpError("expects ")
           << xName << " and " << yName
           << " to be points of one manifold, but got " << xType.getEncoding()
           << " and " << yType.getEncoding();
  if (xType.getDimSize(1) != yType.getDimSize(1) ||
      xType.getElementType() != yType.getElementType())
    return op->emitOpError("expects ")
           << xName << " and " << yName
           << " of one dimension and element type, but got " << xType << " and "
           << yType;
  return success();
}

static LogicalResult verifyMath(Operation *op, std::optional<Type> math) {
  if (math && !math->isF32() && !math->isF64())
    return op->emitOpError("expects math f32 or f64, but got ") << *math;
  return success();
}

template <class Op> static LogicalResult verifyDistance(Op op) {
  if (failed(verifyTwoBatches(op, "x", op.getX(), "y", op.getY())) || // C1
      failed(verifyMath(op, op.getMath())))                           // C4
    return failure();
  int64_t n = getNumRows(op.getX()), v = getNumRows(op.getY());
  Builder b(op.getContext());
  LogicalResult shape = // C3
      op.getAllPairs()
          ? verifyShape(op, op.getResult().getType(), {n, v},
                        getElementTypeOrSelf(op.getX().getType()))
          : verifyShape(op, op.getResult().getType(), {n}, b.getF64Type());
  if (failed(shape))
    return failure();
  if (!op.getAllPairs() && !mayEqual(n, v))
    return op.emitOpError("expects x and y of one number of rows, but got ")
           << n << " and " << v;
  return verifyRowFormula(op, /*oneNumberOfRows=*/!op.getAllPairs()); // C2
}

LogicalResult SqDistOp::verify() { return verifyDistance(*this); }
LogicalResult GeodesicDistOp::verify() { return verifyDistance(*this); }

template <class Op> static LogicalResult verifyDecoder(Op op) {
  if (failed(verifyTwoBatches(op, "h", op.getH(), "e", op.getE()))) // C1
    return failure();
  if (failed(verifyCurvatureOperands(op, op.getManifold(),
                                     op.getCurvature())) || // C2
      failed(verifyMath(op, op.getMath())))                 // C4
    return failure();
  return verifyHasFormula(op, op.getManifold(), "pair_sqdist");
}

LogicalResult DistanceLogSoftmaxOp::verify() {
  if (failed(verifyDecoder(*this)))
    return failure();
  return verifyShape(*this, getResult().getType(), // C3
                     {getNumRows(getH()), getNumRows(getE())},
                     getElementTypeOrSelf(getH().getType()));
}

LogicalResult DistanceNllOp::verify() {
  if (failed(verifyDecoder(*this)))
    return failure();
  auto targets = cast<RankedTensorType>(getTargets().getType());
  auto want = RankedTensorType::get({getNumRows(getH())},
                                    IntegerType::get(getContext(), 32));
  if (failed(verifyCompatibleShape(targets, want))) // C3
    return emitOpError("expects targets of type ")
           << want << ", but got " << targets;
  return verifyShape(*this, getResult().getType(), {getNumRows(getH())},
                     Float64Type::get(getContext()));
}

//===----------------------------------------------------------------------===//
// The two doors
//===----------------------------------------------------------------------===//

static LogicalResult verifyDoor(Operation *op, Type points, Type plain) {
  if (!getManifold(points))
    return op->emitOpError("expects points of a manifold, but got ") << points;
  if (plain != getPlainType(points))
    return op->emitOpError("expects coordinates of type ")
           << getPlainType(points) << ", but got " << plain;
  return success();
}

LogicalResult CoordsOp::verify() {
  return verifyDoor(*this, getPoints().getType(), getResult().getType());
}
LogicalResult PointOp::verify() {
  return verifyDoor(*this, getResult().getType(), getCoords().getType());
}

OpFoldResult CoordsOp::fold(FoldAdaptor) {
  if (auto point = getPoints().getDefiningOp<PointOp>())
    return point.getCoords();
  return {};
}
OpFoldResult PointOp::fold(FoldAdaptor) {
  auto coords = getCoords().getDefiningOp<CoordsOp>();
  if (coords && coords.getPoints().getType() == getType())
    return coords.getPoints();
  return {};
}

//===----------------------------------------------------------------------===//
// Folds by geometry
//===----------------------------------------------------------------------===//

OpFoldResult LogMap0Op::fold(FoldAdaptor) {
  auto exp = getX().getDefiningOp<ExpMap0Op>();
  if (exp && exp.getCurvature() == getCurvature())
    return exp.getV(); // log0(exp0 v) = v
  return {};
}

OpFoldResult ExpMap0Op::fold(FoldAdaptor) {
  auto log = getV().getDefiningOp<LogMap0Op>();
  if (log && log.getX().getType() == getType() &&
      log.getCurvature() == getCurvature())
    return log.getX(); // exp0(log0 x) = x
  return {};
}

/// d(x, x) = 0.
template <class Op> static OpFoldResult foldDistance(Op op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (op.getAllPairs() || op.getX() != op.getY() || !type.hasStaticShape())
    return {};
  return DenseElementsAttr::get(type, 0.0);
}
OpFoldResult SqDistOp::fold(FoldAdaptor) { return foldDistance(*this); }
OpFoldResult GeodesicDistOp::fold(FoldAdaptor) { return foldDistance(*this); }

namespace {
/// x (+) 0 = x and 0 (+) y = y, where the zero is a point made of a constant.
struct AddZero : OpRewritePattern<MobiusAddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MobiusAddOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = [](Value v) {
      auto point = v.getDefiningOp<PointOp>();
      return point && matchPattern(point.getCoords(), m_AnyZeroFloat());
    };
    if (isZero(op.getY()))
      rewriter.replaceOp(op, op.getX());
    else if (isZero(op.getX()))
      rewriter.replaceOp(op, op.getY());
    else
      return rewriter.notifyMatchFailure(op, "no operand is zero");
    return success();
  }
};
} // namespace

void MobiusAddOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<AddZero>(context);
}
