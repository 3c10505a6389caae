// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEO_OPS_TD
#define GEO_OPS_TD
include "GeoComposedOps.td"
include "GeoConstructs.td"
include "GeoDistances.td"
include "GeoNamedOps.td"
include "GeoPages.td"
#endif // GEO_OPS_TD
