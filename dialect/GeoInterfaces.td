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

    Every formula is built over `geo::Ex` handles: rows (`vector<dxf32>`) and
    numbers (f64, in a pair term the pair's float type). Curvature values arrive
    as numbers in the order of `getCurvatures`.
  }];
  let methods = [
    InterfaceMethod<[{
      The curvatures of the manifold: a FloatAttr (f64) where it is a constant,
      a StringAttr label where it is learnable and comes as an operand. Equal
      label, equal curvature.
    }], "::llvm::SmallVector<::mlir::Attribute>", "getCurvatures">,
    InterfaceMethod<[{
      Emits a formula. Arguments by formula: add(x, y), expmap0(v), logmap0(x),
      expmap(x, v), sqdist(x, y), dist(x, y), conformal_factor(x),
      project(x, fraction). Returns a null Ex where the manifold has no such
      formula.
    }], "::geo::Ex", "emit",
      (ins "::geo::Formula":$formula, "::llvm::ArrayRef<::geo::Ex>":$args,
           "::llvm::ArrayRef<::geo::Ex>":$curvatures)>,
    InterfaceMethod<[{
      The contractions of two rows that the squared distance of a pair needs.
    }], "::llvm::SmallVector<::geo::GramKind>", "getGrams">,
    InterfaceMethod<[{
      The row scalars (f64) of one point that the pair term needs.
    }], "::llvm::SmallVector<::geo::Ex>", "emitSide",
      (ins "::geo::Ex":$x, "::llvm::ArrayRef<::geo::Ex>":$curvatures)>,
    InterfaceMethod<[{
      The squared distance of a pair from its Grams, the row's scalars, the
      column's scalars and the curvatures.
    }], "::geo::Ex", "emitPairSqDist",
      (ins "::llvm::ArrayRef<::geo::Ex>":$grams,
           "::llvm::ArrayRef<::geo::Ex>":$rowScalars,
           "::llvm::ArrayRef<::geo::Ex>":$columnScalars,
           "::llvm::ArrayRef<::geo::Ex>":$curvatures)>
  ];
}

def Geo_RowFormulaInterface : OpInterface<"RowFormulaOpInterface"> {
  let cppNamespace = "::geo";
  let description = [{
    A named op that applies one formula of a manifold to every row. The generic
    expansion turns it into a `geo.rowwise`.
  }];
  let methods = [
    InterfaceMethod<"The formula.", "::geo::Formula", "getFormula">,
    InterfaceMethod<"The manifold that the formula is taken from.",
      "::geo::ManifoldInterface", "getManifold">,
    InterfaceMethod<"The row operands, in the order of the formula's arguments.",
      "::llvm::SmallVector<::mlir::Value>", "getRowOperands">,
    InterfaceMethod<"Constant numbers that follow the rows.",
      "::llvm::SmallVector<double>", "getNumberArguments", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<"Values of the labelled curvatures, in order.",
      "::mlir::ValueRange", "getCurvatureOperands", (ins), [{}],
      [{ return $_op.getCurvature(); }]>
  ];
}

#endif // GEO_INTERFACES_TD
