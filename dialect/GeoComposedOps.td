// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named ops on points that are made of several formulas.
#ifndef GEO_COMPOSED_OPS_TD
#define GEO_COMPOSED_OPS_TD

include "GeoNamedOps.td"

class Geo_PointsOp<string mnemonic> : Geo_Op<mnemonic, [Pure, Geo_PointsInterface]> {
  let results = (outs Geo_Tensor:$result);
  let hasVerifier = 1;
  code pointsDeclaration = [{
    ::geo::ManifoldInterface getManifold() {
      return ::geo::getManifold(getX().getType());
    }
  }];
  let extraClassDeclaration = pointsDeclaration;
}

def Geo_MatvecOp : Geo_PointsOp<"matvec"> {
  let summary = "A matrix applied in the tangent space at the origin";
  let description = [{
    exp0(M log0(x)) for every row x.

    Constraints: C1 x [N, d] and the result [N, e] are points of one manifold, M a
    plain [e, d]; C2 one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$m, Geo_Tensor:$x, Variadic<F64>:$curvature);
  let assemblyFormat = [{
    $m `,` $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($m) `,`
    type($x) `->` type($result)
  }];
}

def Geo_FnApplyOp : Geo_PointsOp<"fn_apply"> {
  let summary = "A formula applied in the tangent space at the origin";
  let description = [{
    exp0(f(log0(x))) for every row x; f is a formula from one row to a row, as in
    `geo.apply`. `@functions` holds the common ones (`@functions::@relu`).

    Constraints: C1 x and the result are one batch of points; C2 one curvature
    operand per label; C3 f maps one row to a row.
  }];
  let arguments = (ins SymbolRefAttr:$callee, Geo_Tensor:$x, Variadic<F64>:$curvature);
  let assemblyFormat = [{
    $callee `(` $x `)` (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->`
    type($result)
  }];
}

def Geo_MidpointOp : Geo_PointsOp<"midpoint"> {
  let summary = "Weighted midpoints of points";
  let description = [{
    result[i] = midpoint of the rows x[j] with weights w[i, j], in closed form: the
    gyromidpoint on the ball, the centroid on the hyperboloid, the direction of
    the mean on the sphere. Weights need not sum to 1.

    Constraints: C1 x [V, d] and the result [N, d] are points of one manifold, w is
    plain [N, V] with static V; C2 one curvature operand per label.
  }];
  let arguments = (ins Geo_Tensor:$w, Geo_Tensor:$x, Variadic<F64>:$curvature);
  let assemblyFormat = [{
    $w `,` $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($w) `,`
    type($x) `->` type($result)
  }];
}

def Geo_LiftOp : Geo_PointsOp<"lift"> {
  let summary = "Points in ambient coordinates: the time coordinate first";
  let description = [{
    From the space coordinates that points of a hyperboloid are stored in, [N, d],
    to (x_0, x) in [N, d + 1], by the formula `lift_time`.

    Constraints: C1 x is a batch of points, the result plain and one column wider;
    C2 one curvature operand per label; C3 the page has the formula.
  }];
  let arguments = (ins Geo_Tensor:$x, Variadic<F64>:$curvature);
  let assemblyFormat = [{
    $x (`curvature` `(` $curvature^ `)`)? attr-dict `:` type($x) `->` type($result)
  }];
}

def Geo_DropOp : Geo_Op<"drop", [Pure]> {
  let summary = "Points from ambient coordinates, whose time coordinate goes";
  let description = [{
    The inverse of `geo.lift`. The first coordinate follows from the others, so rows
    that are off the sheet are moved onto it along the time axis.

    Constraints: C1 the result is a batch of points of a page with the formula
    `lift_time`, x plain and one column wider.
  }];
  let arguments = (ins Geo_Tensor:$x);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

#endif // GEO_COMPOSED_OPS_TD
