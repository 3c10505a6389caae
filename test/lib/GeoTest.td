// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect of the tests: it shows that a manifold needs nothing but a page of
// formulas, and no change to the compiler.
#ifndef GEO_TEST_TD
#define GEO_TEST_TD

include "GeoInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "mlir/IR/TensorEncoding.td"

def GeoTest_Dialect : Dialect {
  let name = "geo_test";
  let cppNamespace = "::geo::test";
  let dependentDialects = ["::geo::GeoDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def GeoTest_SphereAttr : AttrDef<GeoTest_Dialect, "Sphere", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<Geo_ManifoldInterface>]> {
  let mnemonic = "sphere";
  let summary = "The unit sphere of R^d, whose points are rows x != 0 read as x / |x|";
}

#endif // GEO_TEST_TD
