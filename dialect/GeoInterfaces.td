// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GEO_INTERFACES_TD
#define GEO_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Geo_ManifoldInterface : AttrInterface<"ManifoldInterface"> {
  let cppNamespace = "::geo";
  let description = [{
    One manifold as a page of formulas. Everything the compiler may ask of a
    manifold is here; no pass and no lowering knows one by name. A tensor's
    encoding that implements this interface makes the tensor a batch of points,
    one per row.

    Formulas go by name (see docs/formulas.md) and are built over `geo::Ex` handles: rows
    (`vector<dxT>`) and numbers (f64). Curvature values arrive as numbers in the
    order of `getCurvatures`. `scope` is an op of the module whose symbols an
    attribute may name.
  }];
  let methods = [
    InterfaceMethod<[{
      The curvatures of the manifold: a FloatAttr (f64) where it is a constant,
      a StringAttr label where it is learnable and comes as an operand. Equal
      label, equal curvature.
    }], "::llvm::SmallVector<::mlir::Attribute>", "getCurvatures">,
    InterfaceMethod<[{
      Emits a formula. A null Ex where the manifold has no such formula, or after
      an error was reported.
    }], "::geo::Ex", "emit",
      (ins "::llvm::StringRef":$formula, "::llvm::ArrayRef<::geo::Ex>":$args,
           "::llvm::ArrayRef<::geo::Ex>":$curvatures,
           "::mlir::Operation *":$scope)>,
    InterfaceMethod<[{
      True if the manifold has the formula.
    }], "bool", "hasFormula",
      (ins "::llvm::StringRef":$formula, "::mlir::Operation *":$scope)>,
    InterfaceMethod<[{
      The factors of a product, with the number of columns of each; none for
      other manifolds. A product has no page of its own: whoever uses a formula
      goes factor by factor, as its `Combine` (Signatures.h) says.
    }], "::llvm::SmallVector<::geo::Factor>", "getFactors", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<[{
      The name that conversions to this manifold go by: `to_<name>`.
    }], "::llvm::StringRef", "getName">
  ];
}

def Geo_PointsInterface : OpInterface<"PointsOpInterface"> {
  let cppNamespace = "::geo";
  let description = [{
    A named op that computes with points of one manifold.
  }];
  let methods = [
    InterfaceMethod<"The manifold of the points.",
      "::geo::ManifoldInterface", "getManifold">,
    InterfaceMethod<"Values of the labelled curvatures, in order.",
      "::mlir::ValueRange", "getCurvatureOperands", (ins), [{}],
      [{ return $_op.getCurvature(); }]>
  ];
}

def Geo_RowFormulaInterface
    : OpInterface<"RowFormulaOpInterface", [Geo_PointsInterface]> {
  let cppNamespace = "::geo";
  let description = [{
    A named op that applies one formula of its manifold to every row. The generic
    expansion turns it into a `geo.rowwise`.
  }];
  let methods = [
    InterfaceMethod<"The formula's name.", "::llvm::StringRef", "getFormula">,
    InterfaceMethod<"The operands, in the order of the formula's arguments.",
      "::llvm::SmallVector<::mlir::Value>", "getRowOperands">,
    InterfaceMethod<"Constant numbers that follow the rows.",
      "::llvm::SmallVector<double>", "getNumberArguments", (ins), [{}],
      [{ return {}; }]>
  ];
}

#endif // GEO_INTERFACES_TD
