// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unit sphere. A point is a row x != 0, read as n = x / |x|; the origin is
// the point o = (1, ..., 1) / sqrt d. With A = |n - m|^2 and B = |n + m|^2 the
// angle is 2 asin(sqrt(A) / 2) where A < B, and pi - 2 asin(sqrt(B) / 2) near
// the antipode, where the first form loses half of its digits.
#include "test/lib/GeoTest.h"
#include <cmath>

using namespace mlir;
using namespace geo;
using namespace geo::test;

LogicalResult
SphereAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  return verifyPointTensor(shape, elementType, emitError, "the sphere");
}

SmallVector<Attribute> SphereAttr::getCurvatures() const { return {}; }

static Ex unit(Ex x) { return 1.0 / geo::sqrt(sqnorm(x)) * x; }

static Ex origin(Ex like) {
  auto row = cast<VectorType>(like.get().getType());
  double d = static_cast<double>(row.getDimSize(0));
  return like.constant(1.0 / std::sqrt(d));
}

/// The part of v that is tangent at the unit vector n.
static Ex tangent(Ex n, Ex v) { return v - geo::dot(n, v) * n; }

static Ex expmap(Ex n, Ex v) {
  Ex t = tangent(n, v);
  Ex z = sqnorm(t);
  Ex along = cosq(z) * n;
  return along + sinc(z) * t;
}

static Ex logmap(Ex n, Ex m) {
  Ex z = 0.25 * sqnorm(n - m); // sin^2 of half the angle
  Ex scale = asinc(z) / geo::sqrt(1.0 - z);
  return scale * (m - (1.0 - 2.0 * z) * n);
}

static Ex atLeastZero(Ex x) {
  Ex zero = x.number(0);
  return select(less(zero, x), x, zero);
}

static Ex sqdist(Ex a, Ex b) {
  Ex isNear = less(a, b);
  // Both sides are evaluated, so each gets an argument in its domain.
  Ex z = select(isNear, 0.25 * a, a.number(0.25));
  Ex f = asinc(z);
  Ex nearby = 4.0 * z * (f * f);
  Ex half = geo::asin(geo::sqrt(select(isNear, b.number(0.25), 0.25 * b)));
  Ex far = M_PI - 2.0 * half;
  return select(isNear, nearby, far * far);
}

/// A and B of rows with norms u and v: |x -+ y|^2 without the part along the
/// ray, over u v. Differences and sums of the rows as they are lose nothing
/// where they are small; those of rounded unit vectors would.
static Ex overProduct(Ex r, Ex u, Ex v) {
  Ex along = u - v;
  return atLeastZero((r - along * along) / (u * v));
}

static Ex rowSqDist(Ex x, Ex y) {
  Ex u = geo::sqrt(sqnorm(x));
  Ex v = geo::sqrt(sqnorm(y));
  Ex a = overProduct(sqnorm(x - y), u, v);
  return sqdist(a, overProduct(sqnorm(x + y), u, v));
}

/// A = (|x - y|^2 - (|x| - |y|)^2) / (|x| |y|), and B = 4 - A.
static Ex pairSqDist(Ex x, Ex y) {
  Ex u = geo::sqrt(sqnorm(x));
  Ex v = geo::sqrt(sqnorm(y));
  Ex difference = u - v;
  Ex inverse = (1.0 / u) * (1.0 / v);
  Ex a = atLeastZero((sqnorm(x - y) - difference * difference) * inverse);
  return ::sqdist(a, atLeastZero(4.0 - a));
}

static StringLiteral formulas[] = {"add",     "expmap0",    "logmap0",
                                   "expmap",  "sqdist",     "dist",
                                   "project", "pair_sqdist"};

bool SphereAttr::hasFormula(StringRef formula, Operation *) const {
  return llvm::is_contained(formulas, formula);
}

Ex SphereAttr::emit(StringRef formula, ArrayRef<Ex> args, ArrayRef<Ex>,
                    Operation *) const {
  if (formula == "add") {
    Ex n = unit(args[0]);
    return unit(n + unit(args[1]));
  }
  if (formula == "expmap0")
    return expmap(origin(args[0]), args[0]);
  if (formula == "logmap0")
    return logmap(origin(args[0]), unit(args[0]));
  if (formula == "expmap")
    return expmap(unit(args[0]), args[1]);
  if (formula == "sqdist")
    return rowSqDist(args[0], args[1]);
  if (formula == "dist")
    return geo::sqrt(rowSqDist(args[0], args[1]));
  if (formula == "project")
    return unit(args[0]);
  if (formula == "pair_sqdist")
    return pairSqDist(args[0], args[1]);
  return {}; // These coordinates are not conformal.
}

StringRef SphereAttr::getName() const { return "test_sphere"; }
