// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Poincare ball of curvature -c, cancellation-free. With w = x + y,
// a = 1 - c|x|^2, b = 1 - c|y|^2, k = c|w|^2:
//   x (+) y = (k x + a w) / (k + a b)          (every term is positive)
//   d(x, y) = (2 / sqrt c) asinh sqrt(s),  s = c|x - y|^2 / (a b)
//   log0(y) = asinhc(z / (1 - z)) / sqrt(1 - z) y,  z = c|y|^2
// where asinhc and tanhc take squared norms and are analytic at 0, so no form
// divides by a norm or by c. Source: Ungar, "A Gyrovector Space Approach to
// Hyperbolic Geometry", rearranged; see docs/numerics.md.
#include "dialect/Geo.h"

using namespace mlir;
using namespace geo;

LogicalResult PoincareAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Attribute c) {
  return verifyCurvature(emitError, c);
}

LogicalResult PoincareAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyPointTensor(shape, elementType, emitError, "the Poincare ball");
}

SmallVector<Attribute> PoincareAttr::getCurvatures() const { return {getC()}; }

/// 1 - c|x|^2, twice the inverse of the conformal factor.
static Ex alpha(Ex x, Ex c) { return 1.0 - c * sqnorm(x); }

/// 1, or where `rest` = 1 - c|z|^2 > 0 of a point z is so small that rounding z
/// to its storage type may put it onto or past the rim, a factor that moves it
/// inwards by twice the spacing there: the row as stored lies in the ball, too.
/// (Distance from the origin about 16 for f32 and c = 1: a limit of storage, no
/// radius.)
static Ex insideFactor(Ex rest, double epsilon) {
  Ex isNear = less(rest, rest.constant(4 * epsilon));
  return select(isNear, rest.constant(1 - 2 * epsilon), rest.constant(1));
}

static Ex add(Ex x, Ex y, Ex c) {
  Ex a = alpha(x, c);
  Ex b = alpha(y, c);
  Ex w = x + y;
  Ex k = c * sqnorm(w);
  Ex d = k + a * b;
  // 1 - c|x (+) y|^2 = a b / d.
  Ex factor = insideFactor(a * b / d, x.getEpsilon()) / d;
  Ex kx = factor * k * x;
  return kx + factor * a * w;
}

static Ex expmap(Ex x, Ex v, Ex c) {
  Ex a = alpha(x, c);
  Ex t = tanhc(c * sqnorm(v) / (a * a)) / a;
  return add(x, t * v, c);
}

static Ex expmap0(Ex v, Ex c) {
  Ex z = c * sqnorm(v);
  Ex t = tanhc(z);
  return insideFactor(1.0 - z * (t * t), v.getEpsilon()) * t * v;
}

static Ex logmap0(Ex y, Ex c) {
  Ex z = c * sqnorm(y);
  Ex u = 1.0 - z;
  return asinhc(z / u) / sqrt(u) * y;
}

/// With r = |x - y|^2 and the inverses of 1 - c|x|^2 and 1 - c|y|^2.
static Ex pairSqDist(Ex r, Ex invA, Ex invB, Ex c) {
  Ex m = r * (invA * invB);
  Ex q = asinhc(c * m);
  return 4.0 * m * (q * q);
}

static Ex sqdist(Ex x, Ex y, Ex c) {
  Ex r = sqnorm(x - y);
  Ex invA = 1.0 / alpha(x, c);
  Ex invB = 1.0 / alpha(y, c);
  return pairSqDist(r, invA, invB, c);
}

static Ex project(Ex x, Ex fraction, Ex c) {
  Ex n = sqrt(sqnorm(x));
  Ex limit = fraction / sqrt(c);
  Ex outside = less(limit, n);
  // A norm of 0 is never outside; the select keeps 0/0 out of the gradient.
  Ex factor = limit / select(outside, n, limit);
  return select(outside, factor * x, x);
}

Ex PoincareAttr::emit(Formula formula, ArrayRef<Ex> args,
                      ArrayRef<Ex> curvatures) const {
  Ex c = curvatures[0];
  switch (formula) {
  case Formula::add:
    return add(args[0], args[1], c);
  case Formula::expmap0:
    return expmap0(args[0], c);
  case Formula::logmap0:
    return logmap0(args[0], c);
  case Formula::expmap:
    return expmap(args[0], args[1], c);
  case Formula::sqdist:
    return sqdist(args[0], args[1], c);
  case Formula::dist:
    return sqrt(sqdist(args[0], args[1], c));
  case Formula::conformal_factor:
    return 2.0 / alpha(args[0], c);
  case Formula::project:
    return project(args[0], args[1], c);
  }
  return {};
}

SmallVector<GramKind> PoincareAttr::getGrams() const {
  return {GramKind::sqdiff};
}

SmallVector<Ex> PoincareAttr::emitSide(Ex x, ArrayRef<Ex> curvatures) const {
  return {1.0 / alpha(x, curvatures[0])};
}

Ex PoincareAttr::emitPairSqDist(ArrayRef<Ex> grams, ArrayRef<Ex> rowScalars,
                                ArrayRef<Ex> columnScalars,
                                ArrayRef<Ex> curvatures) const {
  return pairSqDist(grams[0], rowScalars[0], columnScalars[0], curvatures[0]);
}
