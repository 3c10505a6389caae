// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on rows: their types follow from their formulas' signatures.
#include "dialect/NamedOps.h"
#include "dialect/RegionSyntax.h"
#include "dialect/Signatures.h"

using namespace mlir;
using namespace geo;
using namespace geo::named;

LogicalResult named::verifyCurvatureOperands(Operation *op,
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

LogicalResult named::verifyPoints(Operation *op, StringRef what, Type type) {
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

int64_t named::getNumRows(Type type) {
  return cast<RankedTensorType>(type).getDimSize(0);
}

LogicalResult named::verifyShape(Operation *op, Type type,
                                 ArrayRef<int64_t> shape, Type element) {
  auto want = RankedTensorType::get(shape, element);
  if (failed(verifyCompatibleShape(type, want)) ||
      getElementTypeOrSelf(type) != element || getManifold(type))
    return op->emitOpError("expects a result of type ")
           << want << ", but got " << type;
  return success();
}

LogicalResult named::verifyHasFormula(Operation *op, ManifoldInterface manifold,
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

LogicalResult named::verifyRowFormula(RowFormulaOpInterface op,
                                      bool oneNumberOfRows) {
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

LogicalResult MatvecOp::verify() {
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
