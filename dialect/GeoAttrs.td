// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEO_ATTRS_TD
#define GEO_ATTRS_TD

include "GeoBase.td"
include "GeoInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def Geo_ManifoldAttr : AttrDef<Geo_Dialect, "Manifold", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<Geo_ManifoldInterface>]> {
  let summary = "A manifold that a page of formulas defines";
  let description = [{
    As the encoding of a tensor it makes the rows points. A built-in page goes by
    its name, `#geo.euclidean`, `#geo.poincare<1.0>`; a page of the module by its
    symbol, `#geo.manifold<@name, 1.0>`. Each curvature is a number, or a label
    (`#geo.poincare<"c0">`) for a learnable one whose value every op takes as an
    operand: equal label, equal curvature.

    | page | points | sectional curvature |
    |---|---|---|
    | `euclidean` | R^d | 0 |
    | `poincare<c>` | c\|x\|^2 < 1, c > 0 | -c |
    | `stereographic<c>` | the ball for c > 0, R^d for c <= 0 | -c |
    | `lorentz<c>` | R^d: the space part of (sqrt(1/c + \|x\|^2), x), c > 0 | -c |
    | `sphere<c>` | R^d without 0, read as its direction, c > 0 | +c |
  }];
  let mnemonic = "manifold";
  // A StringAttr (built-in) or a FlatSymbolRefAttr.
  let parameters = (ins "::mlir::Attribute":$page,
                        ArrayRefParameter<"::mlir::Attribute">:$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    // A built-in page.
    AttrBuilder<(ins "::llvm::StringRef":$name,
                     CArg<"::llvm::ArrayRef<::mlir::Attribute>", "{}">:$values), [{
      return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, name), values);
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "double":$c), [{
      return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, name),
        ::mlir::Attribute(::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), c)));
    }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$label), [{
      return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, name),
        ::mlir::Attribute(::mlir::StringAttr::get($_ctxt, label)));
    }]>
  ];
  let extraClassDeclaration = [{
    /// The page's name, without `@`.
    ::llvm::StringRef getPageName() const;
    bool isBuiltin() const { return ::llvm::isa<::mlir::StringAttr>(getPage()); }
  }];
}

def Geo_ProductAttr : AttrDef<Geo_Dialect, "Product", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>,
    DeclareAttrInterfaceMethods<Geo_ManifoldInterface, ["getFactors"]>]> {
  let summary = "A product of manifolds, each with its own columns and curvature";
  let description = [{
    `#geo.product<#geo.poincare<1.0> x 64, #geo.euclidean x 64>`: a point is a row of
    128 coordinates whose first 64 are a point of the ball, the others of flat
    space. Squared distances and inner products add up; everything else goes
    factor by factor. The curvatures are those of the factors, in order.
  }];
  let mnemonic = "product";
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$manifolds,
                        ArrayRefParameter<"int64_t">:$widths);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // GEO_ATTRS_TD
