// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on typed points: constraints, and folds by geometry.
#include "dialect/Geo.h"
#include "dialect/RegionSyntax.h"
#include "dialect/Signatures.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace geo;

static LogicalResult verifyCurvatureOperands(Operation *op,
                                             ManifoldInterface manifold,
                                             ValueRange curvature) {
  unsigned want = getNumCurvatureLabels(manifold);
  if (curvature.size() != want)
    return op->emitOpError("expects ")
           << want << " curvature operand" << (want == 1 ? "" : "s")
           << ", one per label of " << manifold << ", but got "
           << curvature.size();
  return success();
}

/// `type` is a batch of points [N, d] with static d.
static LogicalResult verifyPoints(Operation *op, StringRef what, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!getManifold(type))
    return op->emitOpError("expects ")
           << what << " to be points of a manifold, but got " << type;
  if (tensor.getRank() != 2 || tensor.isDynamicDim(1))
    return op->emitOpError("expects ")
           << what << " to be [N, d] with static d, but got " << type;
  return success();
}

static LogicalResult verifyPlainLike(Operation *op, StringRef what, Type type,
                                     Type points) {
  if (type != getPlainType(points))
    return op->emitOpError("expects ")
           << what << " to be a plain tensor of type " << getPlainType(points)
           << ", but got " << type;
  return success();
}

static int64_t getNumRows(Type type) {
  return cast<RankedTensorType>(type).getDimSize(0);
}
static int64_t getNumRows(Value v) { return getNumRows(v.getType()); }

static LogicalResult verifyShape(Operation *op, Type type,
                                 ArrayRef<int64_t> shape, Type element) {
  auto want = RankedTensorType::get(shape, element);
  if (failed(verifyCompatibleShape(type, want)) ||
      getElementTypeOrSelf(type) != element || getManifold(type))
    return op->emitOpError("expects a result of type ")
           << want << ", but got " << type;
  return success();
}

/// A page of the module is looked at by geo-check-points, which sees it.
static LogicalResult verifyHasFormula(Operation *op, ManifoldInterface manifold,
                                      StringRef formula) {
  if (needsModule(manifold) || manifold.hasFormula(formula, op))
    return success();
  return op->emitOpError("expects a manifold with the formula ")
         << formula << ", but got " << manifold;
}

/// An operand or result `type` has the role that the formula gives it. `points`
/// is the type of the op's points.
static LogicalResult verifyRole(Operation *op, Role role, StringRef what,
                                Type type, RankedTensorType points) {
  switch (role) {
  case Role::point:
    if (failed(verifyPoints(op, what, type)))
      return failure();
    if (getManifold(type) != getManifold(points))
      return op->emitOpError("expects points of one manifold, but got ")
             << getManifold(points) << " and " << getManifold(type);
    [[fallthrough]];
  case Role::vector: {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (role == Role::vector && tensor && tensor.getEncoding())
      return verifyPlainLike(op, what, type, points);
    auto want = RankedTensorType::get(
        {points.getDimSize(0), points.getDimSize(1)}, points.getElementType());
    if (!tensor || failed(verifyCompatibleShape(tensor, want)) ||
        tensor.getElementType() != points.getElementType())
      return role == Role::vector
                 ? verifyPlainLike(op, what, type, points)
                 : LogicalResult(op->emitOpError("expects ")
                                 << what << " to have shape and elements of "
                                 << points << ", but got " << type);
    return success();
  }
  case Role::number:
    if (type.isF64())
      return success();
    return verifyShape(op, type, {points.getDimSize(0)},
                       Float64Type::get(op->getContext()));
  }
  llvm_unreachable("unknown role");
}

/// The types of the op are those of its formula's signature.
static LogicalResult verifyRowFormula(RowFormulaOpInterface op,
                                      bool oneNumberOfRows = true) {
  const Signature *signature = getSignature(op.getFormula());
  SmallVector<std::tuple<Role, StringRef, Type>> parts;
  for (auto [argument, v] :
       llvm::zip(signature->arguments, op.getRowOperands()))
    parts.emplace_back(argument.role, argument.name, v.getType());
  parts.emplace_back(signature->result, "the result",
                     op->getResult(0).getType());
  RankedTensorType points;
  for (auto [role, what, type] : parts) {
    if (role != Role::point || points)
      continue;
    if (failed(verifyPoints(op, what, type)))
      return failure();
    points = cast<RankedTensorType>(type);
  }
  for (auto [role, what, type] : parts)
    if (oneNumberOfRows && failed(verifyRole(op, role, what, type, points)))
      return failure();
  ManifoldInterface manifold = op.getManifold();
  if (failed(verifyCurvatureOperands(op, manifold, op.getCurvatureOperands())))
    return failure();
  return verifyHasFormula(op, manifold, op.getFormula());
}

#define GEO_VERIFY(Op)                                                         \
  LogicalResult Op::verify() { return verifyRowFormula(*this); }
GEO_VERIFY(MobiusAddOp)
GEO_VERIFY(ExpMap0Op)
GEO_VERIFY(LogMap0Op)
GEO_VERIFY(ExpMapOp)
GEO_VERIFY(ConformalFactorOp)
GEO_VERIFY(NegOp)
GEO_VERIFY(ScalarMulOp)
GEO_VERIFY(GyrationOp)
GEO_VERIFY(LogMapOp)
GEO_VERIFY(RetractOp)
GEO_VERIFY(GeodesicOp)
GEO_VERIFY(EGrad2RGradOp)
GEO_VERIFY(Transport0Op)
GEO_VERIFY(TransportOp)
GEO_VERIFY(WrappedNormalOp)
GEO_VERIFY(Dist0Op)
GEO_VERIFY(InnerOp)
GEO_VERIFY(NormOp)
GEO_VERIFY(PlaneDistOp)
#undef GEO_VERIFY

LogicalResult ProjectOp::verify() {
  double fraction = getFraction().convertToDouble();
  if (!(fraction > 0 && fraction < 1)) // C3
    return emitOpError("expects 0 < fraction < 1, but got ") << fraction;
  return verifyRowFormula(*this);
}

StringRef ConvertOp::getFormula() {
  std::string name = "to_" + geo::getManifold(getType()).getName().str();
  return StringAttr::get(getContext(), name).getValue();
}
ManifoldInterface ConvertOp::getManifold() {
  return geo::getManifold(getX().getType());
}
SmallVector<Value> ConvertOp::getRowOperands() { return {getX()}; }

LogicalResult ConvertOp::verify() {
  if (failed(verifyPoints(*this, "x", getX().getType())) ||
      failed(verifyPoints(*this, "the result", getType())))
    return failure();
  if (getPlainType(getX().getType()) != getPlainType(getType()))
    return emitOpError("expects a result of shape and elements of ")
           << getX().getType() << ", but got " << getType();
  ManifoldInterface from = getManifold();
  if (from.getCurvatures() != geo::getManifold(getType()).getCurvatures())
    return emitOpError("expects equal curvatures, but got ")
           << from << " and " << geo::getManifold(getType());
  if (failed(verifyCurvatureOperands(*this, from, getCurvature())))
    return failure();
  return verifyHasFormula(*this, from, getFormula());
}

/// x and the result are points of one manifold; `width` is the result's d.
template <class Op>
static LogicalResult verifyPointsOp(Op op, int64_t rows, int64_t width,
                                    ArrayRef<StringRef> formulas) {
  Type x = op.getX().getType();
  if (failed(verifyPoints(op, "x", x)) ||
      failed(verifyPoints(op, "the result", op.getType())))
    return failure();
  ManifoldInterface manifold = op.getManifold();
  auto want =
      RankedTensorType::get({rows, width}, getElementTypeOrSelf(x), manifold);
  if (getManifold(op.getType()) != manifold ||
      failed(verifyCompatibleShape(op.getType(), want)) ||
      getElementTypeOrSelf(op.getType()) != want.getElementType())
    return op.emitOpError("expects a result of type ")
           << want << ", but got " << op.getType();
  if (failed(verifyCurvatureOperands(op, manifold, op.getCurvature())))
    return failure();
  for (StringRef formula : formulas)
    if (failed(verifyHasFormula(op, manifold, formula)))
      return failure();
  return success();
}

/// `type` is a plain tensor of the element type of `like`, of rank 2.
static LogicalResult verifyPlainMatrix(Operation *op, StringRef what, Type type,
                                       Type like) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() == 2 && !tensor.getEncoding() &&
      tensor.getElementType() == getElementTypeOrSelf(like))
    return success();
  return op->emitOpError("expects ")
         << what << " to be a plain matrix of " << getElementTypeOrSelf(like)
         << ", but got " << type;
}

LogicalResult MobiusMatvecOp::verify() {
  if (failed(
          verifyPlainMatrix(*this, "m", getM().getType(), getX().getType())) ||
      failed(verifyPoints(*this, "x", getX().getType())))
    return failure();
  ArrayRef<int64_t> m = cast<RankedTensorType>(getM().getType()).getShape();
  int64_t d = cast<RankedTensorType>(getX().getType()).getDimSize(1);
  if (ShapedType::isDynamicShape(m) || m[1] != d)
    return emitOpError("expects m of shape [e, ")
           << d << "], static, but got " << getM().getType();
  return verifyPointsOp(*this, getNumRows(getX()), m[0],
                        {"logmap0", "expmap0"});
}

LogicalResult FnApplyOp::verify() {
  if (failed(verifyPoints(*this, "x", getX().getType())))
    return failure();
  auto x = cast<RankedTensorType>(getX().getType());
  return verifyPointsOp(*this, x.getDimSize(0), x.getDimSize(1),
                        {"logmap0", "expmap0"});
}

/// Ambient coordinates have one column more than the points.
static LogicalResult verifyAmbient(Operation *op, StringRef what, Type ambient,
                                   Type points) {
  if (failed(verifyPoints(op, "x", points)))
    return failure();
  auto type = cast<RankedTensorType>(points);
  auto want = RankedTensorType::get(
      {type.getDimSize(0), type.getDimSize(1) + 1}, type.getElementType());
  if (ambient != want)
    return op->emitOpError("expects ")
           << what << " of type " << want << ", but got " << ambient;
  return verifyHasFormula(op, getManifold(points), "lift_time");
}

LogicalResult LiftOp::verify() {
  if (failed(verifyAmbient(*this, "a result", getType(), getX().getType())))
    return failure();
  return verifyCurvatureOperands(*this, getManifold(), getCurvature());
}

LogicalResult DropOp::verify() {
  return verifyAmbient(*this, "ambient coordinates", getX().getType(),
                       getType());
}

LogicalResult MidpointOp::verify() {
  if (failed(
          verifyPlainMatrix(*this, "w", getW().getType(), getX().getType())) ||
      failed(verifyPoints(*this, "x", getX().getType())))
    return failure();
  ArrayRef<int64_t> w = cast<RankedTensorType>(getW().getType()).getShape();
  auto x = cast<RankedTensorType>(getX().getType());
  if (ShapedType::isDynamic(w[1]) || !mayEqual(w[1], x.getDimSize(0)))
    return emitOpError("expects w of shape [N, V] with static V, for x [V, d], "
                       "but got ")
           << getW().getType() << " and " << getX().getType();
  return verifyPointsOp(*this, w[0], x.getDimSize(1),
                        {"midpoint_lift", "midpoint_weight", "midpoint_drop"});
}

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
