// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Row programs, and the ops that stand inside the regions of constructs.
#ifndef GEO_PROGRAMS_TD
#define GEO_PROGRAMS_TD

include "GeoAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Inside regions
//===----------------------------------------------------------------------===//

def Geo_YieldOp : Geo_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["RowwiseOp", "PairwiseOp", "PairwiseGradOp", "ScanOp",
                 "FormulaOp", "WithVjpOp"]>]> {
  let summary = "Ends the region of a construct";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

def Geo_DotOp : Geo_Op<"dot", [Pure, SameTypeOperands]> {
  let summary = "Inner product of two rows, accumulated in f64";
  let description = [{
    <x, y> of two rows of f32, as f64: products and sum in f64. The adjoint is
    f32: the cotangent is rounded once and scales the other row, which costs
    half of an f64 row pass and loses nothing (the rows are f32 anyway).
  }];
  let arguments = (ins VectorOfRankAndType<[1], [F32, F64]>:$x,
                       VectorOfRankAndType<[1], [F32, F64]>:$y);
  let results = (outs F64:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def Geo_ScaleOp : Geo_Op<"scale", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "A row times an f64 number, rounded once to the row's type";
  let arguments = (ins F64:$s, VectorOfRankAndType<[1], [F32, F64]>:$x);
  let results = (outs VectorOfRankAndType<[1], [F32, F64]>:$result);
  let assemblyFormat = "$s `,` $x attr-dict `:` type($x)";
}

def Geo_EvenOp : Geo_Op<"even", [Pure, AllTypesMatch<["z", "result"]>]> {
  let summary = "An even function of the norm, given the squared norm";
  let description = [{
    With n = sqrt(z): tanhc = tanh(n)/n, artanhc = artanh(n)/n (z < 1), asinhc =
    asinh(n)/n (z >= -1), sinhc = sinh(n)/n, coshq = cosh(n), sinc = sin(n)/n, cosq =
    cos(n), asinc = asin(n)/n (z <= 1). Each is analytic in z at 0, so neither value
    nor derivative meets 0/0 there, and goes on for z < 0 as its trigonometric or
    hyperbolic twin: tanhc(-n^2) = tan(n)/n, asinhc(-n^2) = asin(n)/n. Outside the
    domain the result is NaN. `order` is the order of the derivative in z. The type
    is f32 or f64, or a vector of them once lowered.

    Constraints: C1 `order` is 0, 1 or 2.
  }];
  let arguments = (ins Geo_EvenFnAttr:$fn, AnyTypeOf<[F32, F64,
                         VectorOfNonZeroRankOf<[F32, F64]>]>:$z,
                       DefaultValuedAttr<I64Attr, "0">:$order);
  let results = (outs AnyTypeOf<[F32, F64,
                         VectorOfNonZeroRankOf<[F32, F64]>]>:$result);
  let assemblyFormat = "custom<EvenName>($fn) $z attr-dict `:` type($z)";
  let hasVerifier = 1;
}

def Geo_DetachOp : Geo_Op<"detach", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "The identity, whose gradient is zero";
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

//===----------------------------------------------------------------------===//
// Row programs
//===----------------------------------------------------------------------===//

def Geo_RowwiseOp : Geo_Op<"rowwise", [Pure, AttrSizedOperandSegments,
    IsolatedFromAbove, SingleBlock]> {
  let summary = "A region run for every row";
  let description = [{
    Row operands share their leading dimension R: `tensor<RxdxT>` arrives in the
    region as a row `vector<dxT>`, `tensor<RxT>` as a number. Shared operands are
    seen whole by every row: `tensor<dxT>` as `vector<dxT>`, a number as itself.
    The first results are per row (`tensor<RxdxT>` or `tensor<RxT>`); the last
    `num_sums` are sums over all rows (`tensor<dxT>` or f64), added in an
    order that depends on R and the number of threads only.

    Constraints: C1 one region argument per operand, of the type above; C2 at
    least one row operand, and equal static R; C3 one row length d for the op;
    C4 the region holds only ops that have a derivative rule and a lowering, and
    constant rows of equal elements; C5 yielded types match the results; C6 number
    sums are f64.

    ```mlir
    func.func @norms(%X: tensor<?x8xf32>, %S: f64) {
      %z, %n = geo.rowwise rows(%x = %X : tensor<?x8xf32>) shared(%s = %S : f64) {
        %y = geo.scale %s, %x : vector<8xf32>
        %q = geo.dot %y, %y : vector<8xf32>
        geo.yield %y, %q : vector<8xf32>, f64
      } -> (tensor<?x8xf32>) sums (f64)
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$rows,
                       Variadic<AnyType>:$shared,
                       DefaultValuedAttr<I64Attr, "0">:$num_sums);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates the op with an empty block that has its arguments.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$rows,
                   "::mlir::ValueRange":$shared, CArg<"int64_t", "0">:$numSums)>
  ];
  let extraClassDeclaration = [{
    /// Row length d, or 0 where the region has no vectors.
    int64_t getRowLength();
    unsigned getNumRowResults() { return getNumResults() - getNumSums(); }
    ::mlir::Block &getBlock() { return getBody().front(); }
    YieldOp getYield();
    /// The region type of a row operand or result of type `type`.
    static ::mlir::Type getRowType(::mlir::Type type);
    /// The region type of a shared operand or a sum of type `type`.
    static ::mlir::Type getSharedType(::mlir::Type type);
    /// True for the ops that a row program may hold.
    static bool isAllowed(::mlir::Operation *op);
  }];
}

#endif // GEO_PROGRAMS_TD
