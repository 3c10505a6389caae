// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEO_ATTRS_TD
#define GEO_ATTRS_TD

include "GeoBase.td"
include "GeoInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Geo_Manifold<string name, string attrMnemonic>
    : AttrDef<Geo_Dialect, name, [
        DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
        DeclareAttrInterfaceMethods<Geo_ManifoldInterface>]> {
  let mnemonic = attrMnemonic;
}

// A manifold with one curvature: a number, or a label for a learnable one.
class Geo_CurvedManifold<string name, string attrMnemonic>
    : Geo_Manifold<name, attrMnemonic> {
  let parameters = (ins "::mlir::Attribute":$c);
  let assemblyFormat = "`<` custom<Curvature>($c) `>`";
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "double":$c), [{
      return $_get($_ctxt, ::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), c));
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$label), [{
      return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, label));
    }]>
  ];
}

def Geo_EuclideanAttr : Geo_Manifold<"Euclidean", "euclidean"> {
  let summary = "Flat space R^d";
}

def Geo_PoincareAttr : Geo_CurvedManifold<"Poincare", "poincare"> {
  let summary = "The Poincare ball of sectional curvature -c";
  let description = [{
    Points x of R^d with c|x|^2 < 1. The parameter is c > 0 as a number
    (`#geo.poincare<1.0>`), or a label (`#geo.poincare<"c0">`) for a learnable
    curvature whose value every op takes as an operand.
  }];
}

#endif // GEO_ATTRS_TD
