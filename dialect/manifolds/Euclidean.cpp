// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat space: every formula is the vector space's own.
#include "dialect/Geo.h"

using namespace mlir;
using namespace geo;

LogicalResult EuclideanAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyPointTensor(shape, elementType, emitError, "flat space");
}

SmallVector<Attribute> EuclideanAttr::getCurvatures() const { return {}; }

Ex EuclideanAttr::emit(Formula formula, ArrayRef<Ex> args, ArrayRef<Ex>) const {
  switch (formula) {
  case Formula::add:
  case Formula::expmap:
    return args[0] + args[1];
  case Formula::expmap0:
  case Formula::logmap0:
  case Formula::project:
    return args[0];
  case Formula::sqdist:
    return sqnorm(args[0] - args[1]);
  case Formula::dist:
    return sqrt(sqnorm(args[0] - args[1]));
  case Formula::conformal_factor:
    return args[0].number(1.0);
  }
  return {};
}

SmallVector<GramKind> EuclideanAttr::getGrams() const {
  return {GramKind::sqdiff};
}

SmallVector<Ex> EuclideanAttr::emitSide(Ex, ArrayRef<Ex>) const { return {}; }

Ex EuclideanAttr::emitPairSqDist(ArrayRef<Ex> grams, ArrayRef<Ex>, ArrayRef<Ex>,
                                 ArrayRef<Ex>) const {
  return grams[0];
}
