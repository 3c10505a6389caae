// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/GeoTest.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace geo;
using namespace geo::test;

#include "test/lib/GeoTestDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "test/lib/GeoTestAttrs.cpp.inc"

void GeoTestDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "test/lib/GeoTestAttrs.cpp.inc"
      >();
}
