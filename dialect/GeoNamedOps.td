// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on typed points: what people write and read. They expand into the
// constructs by the formulas of their manifold.
#ifndef GEO_NAMED_OPS_TD
#define GEO_NAMED_OPS_TD

include "GeoConstructs.td"

def Geo_CoordsOp : Geo_Op<"coords", [Pure]> {
  let summary = "The coordinates of points, as a plain tensor";
  let description = [{
    Free: the only way out of a point type.

    Constraints: C1 the operand is a batch of points, the result the same tensor type
    without its encoding.
  }];
  let arguments = (ins Geo_Tensor:$points);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = "$points attr-dict `:` type($points) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Geo_PointOp : Geo_Op<"point", [Pure]> {
  let summary = "Asserts that the rows of a plain tensor are points";
  let description = [{
    The only way into a point type. Rows outside the manifold are undefined.

    Constraints: C1 the result is a batch of points, the operand the same tensor type
    without its encoding.
  }];
  let arguments = (ins Geo_Tensor:$coords);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = "$coords attr-dict `:` type($coords) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

// Applies one formula to every row. `rowOperands` and `manifoldFrom` are C++
// expressions.
class Geo_RowFormulaOp<string mnemonic, string formula, string rowOperands,
                       string manifoldFrom, list<Trait> traits = []>
    : Geo_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Geo_RowFormulaInterface, ["getFormula", "getManifold", "getRowOperands"]>], traits)> {
  let hasVerifier = 1;
  code formulaDefinition = "::geo::Formula $cppClass::getFormula() { return ::geo::Formula::" # formula # "; }\n"
    # "::geo::ManifoldInterface $cppClass::getManifold() { return ::geo::getManifold(" # manifoldFrom # ".getType()); }\n"
    # "::llvm::SmallVector<::mlir::Value> $cppClass::getRowOperands() { return {" # rowOperands # "}; }\n";
  let extraClassDefinition = formulaDefinition;
}

def Geo_MobiusAddOp : Geo_RowFormulaOp<"mobius_add", "add", "getX(), getY()", "getX()",
    [AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "Moebius addition x (+) y of points";
  let description = [{
    With w = x + y, a = 1 - c|x|^2, b = 1 - c|y|^2, k = c|w|^2:
    x (+) y = (k x + a w) / (k + a b); in flat space x + y.

    Constraints: C1 one batch of points, whose manifold has an addition; C2 one
    curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$x, Geo_Tensor:$y, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $y (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($result)
  }];
  let hasCanonicalizer = 1;
}

def Geo_ExpMap0Op : Geo_RowFormulaOp<"expmap0", "expmap0", "getV()", "getResult()"> {
  let summary = "Exponential map at the origin";
  let description = [{
    Takes tangent vectors at the origin (a plain tensor) to points; the identity's
    derivative at v = 0.

    Constraints: C1 the result is a batch of points, v plain and of its shape; C2
    one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$v, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $v (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($v) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def Geo_LogMap0Op : Geo_RowFormulaOp<"logmap0", "logmap0", "getX()", "getX()"> {
  let summary = "Logarithmic map at the origin";
  let description = [{
    The inverse of `geo.expmap0`: points to tangent vectors at the origin (a plain
    tensor). `logmap0(expmap0(v))` folds to v.

    Constraints: C1 x is a batch of points, the result plain and of its shape; C2
    one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$x, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->`
    type($result)
  }];
  let hasFolder = 1;
}

def Geo_ExpMapOp : Geo_RowFormulaOp<"expmap", "expmap", "getX(), getV()", "getX()",
    [AllTypesMatch<["x", "result"]>]> {
  let summary = "Exponential map at x";
  let description = [{
    Constraints: C1 x and the result are one batch of points, v plain and of its
    shape; C2 one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$x, Geo_Tensor:$v, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $v (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `,`
    type($v)
  }];
}

def Geo_ConformalFactorOp : Geo_RowFormulaOp<"conformal_factor", "conformal_factor",
    "getX()", "getX()"> {
  let summary = "The conformal factor lambda_x of the metric at x";
  let description = [{
    2 / (1 - c|x|^2) on the ball, 1 in flat space, per row.

    Constraints: C1 x is a batch of points [N, d], the result `tensor<Nxf64>`; C2
    one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$x, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->`
    type($result)
  }];
}

def Geo_ProjectOp : Geo_RowFormulaOp<"project", "project", "getX()", "getResult()"> {
  let summary = "Clips rows into the manifold";
  let description = [{
    On the ball: rows with |x| > fraction / sqrt(c) are scaled to that norm, others
    kept bit for bit; the norm is decided in f64. In flat space the identity.

    Constraints: C1 the result is a batch of points, x plain and of its shape; C2
    one curvature operand per label; C3 0 < fraction < 1.
  }];
  let arguments = (ins Geo_Tensor:$x, Variadic<F64>:$curvature,
                       DefaultValuedAttr<F64Attr, "0.999">:$fraction);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<double> getNumberArguments() {
      return {getFraction().convertToDouble()};
    }
  }];
}

// The float type of the pair arithmetic: the attribute `math`, f64 by default.
defvar Geo_mathTypeDeclaration = [{
    ::mlir::FloatType getMathType() {
      if (auto math = getMath())
        return ::llvm::cast<::mlir::FloatType>(*math);
      return ::mlir::Float64Type::get(getContext());
    }
}];

class Geo_DistanceOp<string mnemonic, string formula>
    : Geo_RowFormulaOp<mnemonic, formula, "getX(), getY()", "getX()"> {
  let extraClassDeclaration = Geo_mathTypeDeclaration;
  let arguments = (ins Geo_Tensor:$x, Geo_Tensor:$y, Variadic<F64>:$curvature,
                       UnitAttr:$all_pairs,
                       OptionalAttr<TypeAttr>:$math);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $y (`curvature` `(` $curvature^ `)`)? (`all_pairs` $all_pairs^)?
    (`math` $math^)? attr-dict `:` type($x) `,` type($y) `->` type($result)
  }];
  let hasFolder = 1;
  let description = [{
    Per row `tensor<Nxf64>`; with `all_pairs` for every row of x and every row of y,
    `tensor<NxVxT>` with the element type T of x, where `math` (f64, the default, or f32) is the
    type of the pair arithmetic.

    Constraints: C1 x and y are points of one manifold and dimension; C2 one
    curvature operand per label; C3 the result's shape as above; C4 `math` is f32
    or f64.
  }];
}

def Geo_SqDistOp : Geo_DistanceOp<"sqdist", "sqdist"> {
  let summary = "Squared geodesic distance";
}

def Geo_GeodesicDistOp : Geo_DistanceOp<"geodesic_dist", "dist"> {
  let summary = "Geodesic distance; its gradient at x = y is taken as zero";
}

class Geo_DecoderOp<string mnemonic> : Geo_Op<mnemonic, [Pure]> {
  let hasVerifier = 1;
  let extraClassDeclaration = Geo_mathTypeDeclaration # [{
    ::geo::ManifoldInterface getManifold() {
      return ::geo::getManifold(getH().getType());
    }
  }];
}

def Geo_DistanceLogSoftmaxOp : Geo_DecoderOp<"distance_log_softmax"> {
  let summary = "Log-probabilities of a decoder by squared distance";
  let description = [{
    log softmax_j(-d(h_i, e_j)^2 / tau), `tensor<NxVxT>` with h's element type T.

    Constraints: C1 h [N, d] and e [V, d] are points of one manifold; C2 one
    curvature operand per label; C3 the result is [N, V]; C4 `math` is f32 or f64.
  }];
  let arguments = (ins Geo_Tensor:$h, Geo_Tensor:$e, F64:$tau,
                       Variadic<F64>:$curvature,
                       OptionalAttr<TypeAttr>:$math);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $h `,` $e `tau` `(` $tau `)` (`curvature` `(` $curvature^ `)`)?
    (`math` $math^)? attr-dict `:` type($h) `,` type($e) `->` type($result)
  }];
}

def Geo_DistanceNllOp : Geo_DecoderOp<"distance_nll"> {
  let summary = "Negative log-likelihood of targets under the distance decoder";
  let description = [{
    -log softmax_t(i)(-d(h_i, e_j)^2 / tau) per row, `tensor<Nxf64>`, without the
    N x V table ever being stored.

    Constraints: C1 h [N, d] and e [V, d] are points of one manifold; C2 one
    curvature operand per label; C3 the targets are [N] of i32, the result [N] of f64; C4
    `math` is f32 or f64.
  }];
  let arguments = (ins Geo_Tensor:$h, Geo_Tensor:$e, Geo_Ids:$targets, F64:$tau,
                       Variadic<F64>:$curvature,
                       OptionalAttr<TypeAttr>:$math);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $h `,` $e `targets` `(` $targets `:` type($targets) `)` `tau` `(` $tau `)`
    (`curvature` `(` $curvature^ `)`)? (`math` $math^)? attr-dict `:` type($h)
    `,` type($e) `->` type($result)
  }];
}

#endif // GEO_NAMED_OPS_TD
