// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances, and decoders by them.
#ifndef GEO_DISTANCES_TD
#define GEO_DISTANCES_TD

include "GeoNamedOps.td"

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

class Geo_DecoderOp<string mnemonic> : Geo_Op<mnemonic, [Pure, Geo_PointsInterface]> {
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

#endif // GEO_DISTANCES_TD
