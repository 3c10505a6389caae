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

// Applies one formula to every row. `operands` and `manifoldFrom` are C++
// expressions.
class Geo_RowFormulaOp<string mnemonic, string formula, string operands,
                       string manifoldFrom, list<Trait> traits = []>
    : Geo_Op<mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Geo_PointsInterface>, DeclareOpInterfaceMethods<Geo_RowFormulaInterface>], traits)> {
  let hasVerifier = 1;
  code formulaDefinition = "::llvm::StringRef $cppClass::getFormula() { return \"" # formula # "\"; }\n"
    # "::geo::ManifoldInterface $cppClass::getManifold() { return ::geo::getManifold(" # manifoldFrom # ".getType()); }\n"
    # "::llvm::SmallVector<::mlir::Value> $cppClass::getRowOperands() { return {" # operands # "}; }\n";
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

//===----------------------------------------------------------------------===//
// One formula of the same name each
//===----------------------------------------------------------------------===//

// A plain use of a formula: every operand is printed with its type.
class Geo_PlainFormulaOp<string mnemonic, string formula, dag operands,
                         string getters, string names, string types,
                         string manifoldFrom = "getX()">
    : Geo_RowFormulaOp<mnemonic, formula, getters, manifoldFrom> {
  let arguments = !con(operands, (ins Variadic<F64>:$curvature));
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = names # " (`curvature` `(` $curvature^ `)`)? attr-dict `:` " # types # " `->` type($result)";
}
class Geo_UnaryFormulaOp<string mnemonic, string formula = mnemonic>
    : Geo_PlainFormulaOp<mnemonic, formula, (ins Geo_Tensor:$x), "getX()", "$x", "type($x)">;
class Geo_BinaryFormulaOp<string mnemonic, string second, string formula = mnemonic>
    : Geo_PlainFormulaOp<mnemonic, formula, !dag(ins, [Geo_Tensor, Geo_Tensor], ["x", second]),
        "getX(), get" # !toupper(second) # "()", "$x `,` $" # second, "type($x) `,` type($" # second # ")">;
class Geo_TernaryFormulaOp<string mnemonic, string second, string third, string formula = mnemonic>
    : Geo_PlainFormulaOp<mnemonic, formula, !dag(ins, [Geo_Tensor, Geo_Tensor, Geo_Tensor], ["x", second, third]),
        "getX(), get" # !toupper(second) # "(), get" # !toupper(third) # "()",
        "$x `,` $" # second # " `,` $" # third, "type($x) `,` type($" # second # ") `,` type($" # third # ")">;

def Geo_NegOp : Geo_UnaryFormulaOp<"neg"> {
  let summary = "The inverse of a point under the addition";
  let description = [{ Constraints: C1 x and the result are one batch of points; C2 one curvature operand per label. }];
}
def Geo_ScalarMulOp : Geo_PlainFormulaOp<"scalar_mul", "scalar_mul",
    (ins AnyTypeOf<[F64, RankedTensorOf<[F64]>]>:$r, Geo_Tensor:$x),
    "getR(), getX()", "$r `,` $x", "type($r) `,` type($x)"> {
  let summary = "r times a point along its geodesic from the origin";
  let description = [{
    r (x) x = exp0(r log0(x)).

    Constraints: C1 x and the result are one batch of points, r f64 or
    `tensor<Nxf64>`; C2 one curvature operand per label.
  }];
}
def Geo_GyrationOp : Geo_TernaryFormulaOp<"gyration", "y", "w"> {
  let summary = "The gyration gyr[x, y] w";
  let description = [{
    The defect of associativity: x (+) (y (+) w) = (x (+) y) (+) gyr[x, y] w.

    Constraints: C1 x, y, w and the result are one batch of points; C2 one
    curvature operand per label.
  }];
}
def Geo_LogMapOp : Geo_BinaryFormulaOp<"logmap", "y"> {
  let summary = "Logarithmic map at x: the tangent vector whose geodesic reaches y at 1";
  let description = [{
    Constraints: C1 x and y are points of one batch type, the result plain and of
    its shape; C2 one curvature operand per label.
  }];
}
def Geo_RetractOp : Geo_BinaryFormulaOp<"retract", "v"> {
  let summary = "A step from x along v that agrees with the exponential map to first order";
  let description = [{
    Cheaper than `geo.expmap` where the manifold has such a form, and equal to it
    otherwise.

    Constraints: C1 x and the result are one batch of points, v plain and of its
    shape; C2 one curvature operand per label.
  }];
}
def Geo_GeodesicOp : Geo_PlainFormulaOp<"geodesic", "geodesic",
    (ins Geo_Tensor:$x, Geo_Tensor:$y, AnyTypeOf<[F64, RankedTensorOf<[F64]>]>:$t),
    "getX(), getY(), getT()", "$x `,` $y `,` $t", "type($x) `,` type($y) `,` type($t)"> {
  let summary = "The point at t of the geodesic from x (t = 0) to y (t = 1)";
  let description = [{
    Constraints: C1 x, y and the result are one batch of points, t f64 or
    `tensor<Nxf64>`; C2 one curvature operand per label.
  }];
}
def Geo_EGrad2RGradOp : Geo_BinaryFormulaOp<"egrad2rgrad", "g"> {
  let summary = "The Riemannian gradient at x of a Euclidean one";
  let description = [{
    The tangent vector v with <v, u>_x = <g, u> for every tangent vector u.

    Constraints: C1 x is a batch of points, g and the result plain and of its
    shape; C2 one curvature operand per label.
  }];
}
def Geo_Transport0Op : Geo_BinaryFormulaOp<"transport0", "v"> {
  let summary = "Parallel transport of v from the origin to x";
  let description = [{
    Constraints: C1 x is a batch of points, v and the result plain and of its
    shape; C2 one curvature operand per label.
  }];
}
def Geo_TransportOp : Geo_TernaryFormulaOp<"transport", "y", "v"> {
  let summary = "Parallel transport of v from x to y along their geodesic";
  let description = [{
    Constraints: C1 x and y are points of one batch type, v and the result plain
    and of its shape; C2 one curvature operand per label.
  }];
}
def Geo_WrappedNormalOp : Geo_BinaryFormulaOp<"wrapped_normal", "z"> {
  let summary = "A normal draw in the tangent space at the origin, wrapped around x";
  let description = [{
    z has independent normal coordinates (of whatever deviation), measured by the
    metric at the origin: exp_x(transport0(x, v)) with |v| at the origin = |z|.
    Around the origin itself it makes random points.

    Constraints: C1 x and the result are one batch of points, z plain and of its
    shape; C2 one curvature operand per label.
  }];
}
def Geo_Dist0Op : Geo_UnaryFormulaOp<"dist0"> {
  let summary = "Geodesic distance from the origin; its gradient there is taken as zero";
  let description = [{
    Constraints: C1 x is a batch of points, the result `tensor<Nxf64>`; C2 one
    curvature operand per label.
  }];
}
def Geo_InnerOp : Geo_TernaryFormulaOp<"inner", "u", "v"> {
  let summary = "The inner product <u, v>_x of tangent vectors at x";
  let description = [{
    Constraints: C1 x is a batch of points, u and v plain and of its shape, the
    result `tensor<Nxf64>`; C2 one curvature operand per label.
  }];
}
def Geo_NormOp : Geo_BinaryFormulaOp<"norm", "v"> {
  let summary = "The norm |v|_x of a tangent vector at x";
  let description = [{
    Constraints: C1 x is a batch of points, v plain and of its shape, the result
    `tensor<Nxf64>`; C2 one curvature operand per label.
  }];
}
def Geo_PlaneDistOp : Geo_TernaryFormulaOp<"plane_dist", "p", "a"> {
  let summary = "Signed distance of x from the hyperplane through p with normal a";
  let description = [{
    The hyperplane is the union of the geodesics through p that are orthogonal to
    the tangent vector a at p; positive on the side that a points to.

    Constraints: C1 x and p are points of one batch type, a plain and of its
    shape, the result `tensor<Nxf64>`; C2 one curvature operand per label.
  }];
}

def Geo_ConvertOp : Geo_Op<"convert", [Pure,
    DeclareOpInterfaceMethods<Geo_PointsInterface>, DeclareOpInterfaceMethods<Geo_RowFormulaInterface>]> {
  let summary = "The same point in the coordinates of another manifold";
  let description = [{
    An isometry by the formula `to_<name>` of the operand's page, `name` being the
    result's.

    Constraints: C1 x and the result are batches of points of one shape and equal
    curvatures; C2 one curvature operand per label; C3 the page has the formula.
  }];
  let arguments = (ins Geo_Tensor:$x, Variadic<F64>:$curvature);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

#endif // GEO_NAMED_OPS_TD
