// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on all pairs of rows, and their adjoints.
#ifndef GEO_PAIRS_TD
#define GEO_PAIRS_TD

include "GeoPrograms.td"

class Geo_PairOp<string mnemonic> : Geo_Op<mnemonic, [Pure,
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock]> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code pairDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    YieldOp getYield();
    unsigned getNumGrams() { return getGrams().size(); }
    GramKind getGramKind(unsigned k) {
      return ::llvm::cast<GramKindAttr>(getGrams()[k]).getValue();
    }
    /// The float type of the pair arithmetic: f32 or f64.
    ::mlir::FloatType getMathType() {
      return ::llvm::cast<::mlir::FloatType>(getMath());
    }
  }];
}

def Geo_PairwiseOp : Geo_PairOp<"pairwise"> {
  let summary = "A scalar region over all pairs of rows, with a reducer";
  let description = [{
    For every pair (i, j) of a row of the x's and a row of the y's the region
    maps g_1..g_K, the Grams |x_i - y_j|^2 (`sqdiff`) or <x_i, y_j> (`dot`); the
    row scalars u_i; the column scalars w_j; and shared numbers, to a logit z_ij.
    All region values have the float type `math`. Row and column scalars are
    tensors of f64, computed once per row and rounded once.

    Reducers, with lse_i = log sum_j exp z_ij:
    `none`: z as `tensor<NxVxT>`, where T is f64 if an x is of f64, else f32;
    `softmax`: z_ij - lse_i as `tensor<NxVxT>`, and lse as `tensor<Nxf64>`;
    `nll` with targets t: lse_i - z_i,t(i) and lse, both `tensor<Nxf64>`.

    Where `math` is the element type of the rows, the Grams come out of a matrix
    product, and the op recomputes by differences the pairs with |x_i - y_j|^2 <
    (|x_i|^2 + |y_j|^2) / 4, where the product cancels. Otherwise (`math = f64`
    over rows of f32) they are taken by differences in f64.

    Targets outside [0, V) are undefined; whoever feeds data checks them.

    Constraints: C1 as many y's as x's and Gram kinds, at least one; C2 x's of one
    N, y's of one V, x_k and y_k of one row length d_k and one element type; C3 one region argument per Gram, row
    scalar, column scalar and shared number, of type `math`, which is not narrower than the
    rows; C4 one yielded value
    of type `math`; C5 `targets` iff the reducer is `nll`; C6 results as above; C7
    the region holds only scalar ops that have a derivative rule and a lowering.

    ```mlir
    func.func @nll(%x: tensor<?x8xf32>, %y: tensor<50x8xf32>, %tau: f64,
                    %ids: tensor<?xi32>) {
      %nll, %lse = geo.pairwise nll grams(%g = sqdiff %x, %y : tensor<?x8xf32>, tensor<50x8xf32>)
          shared(%t = %tau : f64) targets(%ids : tensor<?xi32>) math f32 {
        %q = arith.divf %g, %t : f32
        %z = arith.negf %q : f32
        geo.yield %z : f32
      } -> (tensor<?xf64>, tensor<?xf64>)
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$xs,
                       Variadic<AnyRankedTensor>:$ys,
                       Variadic<AnyRankedTensor>:$row_scalars,
                       Variadic<AnyRankedTensor>:$column_scalars,
                       Variadic<F64>:$shared,
                       Optional<AnyRankedTensor>:$targets,
                       Geo_ReducerAttr:$reducer,
                       TypedArrayAttrBase<Geo_GramKindAttr, "Gram kinds">:$grams,
                       TypeAttr:$math);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates the op with an empty block that has its arguments; the result
    // types follow from the operands and the reducer.
    OpBuilder<(ins "::geo::Reducer":$reducer,
                   "::llvm::ArrayRef<::geo::GramKind>":$grams,
                   "::mlir::FloatType":$math, "::mlir::ValueRange":$xs,
                   "::mlir::ValueRange":$ys, "::mlir::ValueRange":$rowScalars,
                   "::mlir::ValueRange":$columnScalars,
                   "::mlir::ValueRange":$shared,
                   CArg<"::mlir::Value", "{}">:$targets)>
  ];
  let extraClassDeclaration = pairDeclaration;
}

def Geo_PairwiseGradOp : Geo_PairOp<"pairwise_grad"> {
  let summary = "The adjoint of a pair program";
  let description = [{
    Takes the operands of a `geo.pairwise`, its `lse` (reducers softmax and nll)
    and the cotangent of its first result. The region maps the same arguments to
    the logit and its partial derivatives by every argument, in order. With
    G_ij = dL/dz_ij (`none`: the cotangent; `softmax`: ct_ij - p_ij sum_j ct_ij;
    `nll`: ct_i (p_ij - [j = t_i])) and A = G dz/dg_k:

    sqdiff: dX += 2 (rowsum(A) X - A Y), dY += 2 (colsum(A) Y - A^T X);
    dot: dX += A Y, dY += A^T X; du = rowsum(G dz/du); dw = colsum(G dz/dw);
    ds = sum(G dz/ds).

    Results, in order: dX_k and dY_k (types of the x's and y's), du
    (`tensor<Nxf64>`), dw (`tensor<Vxf64>`), ds (f64).

    With the reducer `nll` and no `lse` the op is fused with its primal: nll and lse
    (both `tensor<Nxf64>`) follow as its last results, and the cotangent must not
    depend on them. What the two have in common is then computed once.

    Constraints: C1..C3, C5, C7 as in `geo.pairwise`; C4 the region yields the logit and
    one partial per argument, of type `math`; C6 `lse` iff the reducer has one, or
    none where `nll` is fused, and the results as above; C8 the cotangent and `lse` of the types of the
    results of `geo.pairwise`.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$xs,
                       Variadic<AnyRankedTensor>:$ys,
                       Variadic<AnyRankedTensor>:$row_scalars,
                       Variadic<AnyRankedTensor>:$column_scalars,
                       Variadic<F64>:$shared,
                       Optional<AnyRankedTensor>:$targets,
                       Optional<AnyRankedTensor>:$lse,
                       AnyRankedTensor:$cotangent,
                       Geo_ReducerAttr:$reducer,
                       TypedArrayAttrBase<Geo_GramKindAttr, "Gram kinds">:$grams,
                       TypeAttr:$math);
  let results = (outs Variadic<AnyType>:$results);
  let skipDefaultBuilders = 1;
  let builders = [
    // The adjoint of `primal`, with an empty block that has its arguments.
    // Without `lse`, of a primal whose reducer is nll: fused with it.
    OpBuilder<(ins "::geo::PairwiseOp":$primal, "::mlir::ValueRange":$operands,
                   "::mlir::Value":$lse, "::mlir::Value":$cotangent)>
  ];
  let extraClassDeclaration = pairDeclaration # [{
    /// True if the op yields nll and lse, too.
    bool isFused() {
      return getReducer() == ::geo::Reducer::nll && !getLse();
    }
  }];
}

#endif // GEO_PAIRS_TD
