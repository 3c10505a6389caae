// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifold that only tests know: `#geo_test.sphere`.
#ifndef GEOC_TEST_LIB_GEOTEST_H
#define GEOC_TEST_LIB_GEOTEST_H

#include "dialect/Geo.h"
#include "mlir/IR/Dialect.h"

#include "test/lib/GeoTestDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "test/lib/GeoTestAttrs.h.inc"

#endif // GEOC_TEST_LIB_GEOTEST_H
