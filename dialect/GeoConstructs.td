// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five constructs, and the ops that stand inside their regions.
#ifndef GEO_CONSTRUCTS_TD
#define GEO_CONSTRUCTS_TD

include "GeoAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
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

//===----------------------------------------------------------------------===//
// Pair programs
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Product, gather, scan
//===----------------------------------------------------------------------===//

def Geo_MatmulOp : Geo_Op<"matmul", [Pure]> {
  let summary = "Matrix product, without an output operand";
  let description = [{
    op(a) op(b), where op transposes if so flagged: a is [M, K] or [K, M], b is
    [K, N] or [N, K], the result [M, N].

    Constraints: C1 rank 2, one element type, no encodings; C2 equal K; C3 the
    result's shape is [M, N].

    ```mlir
    func.func @product(%a: tensor<?x8xf32>, %b: tensor<4x8xf32>) {
      %c = geo.matmul %a, %b transpose_b : tensor<?x8xf32>, tensor<4x8xf32> -> tensor<?x4xf32>
      return
    }
    ```
  }];
  let arguments = (ins Geo_Tensor:$a, Geo_Tensor:$b, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Geo_GatherOp : Geo_Op<"gather", [Pure]> {
  let summary = "Rows of a table, by id";
  let description = [{
    result[i] = table[ids[i]]. Ids outside [0, V) are undefined; whoever feeds
    data checks them. Rows of points stay points.

    Constraints: C1 table [V, d], ids [N] of i32, result [N, d] with the table's
    element type and encoding.
  }];
  let arguments = (ins Geo_Tensor:$table, Geo_Ids:$ids);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $table `[` $ids `]` attr-dict `:` type($table) `,` type($ids) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def Geo_ScatterAddOp : Geo_Op<"scatter_add", [Pure]> {
  let summary = "Sums rows into a table, by id: the adjoint of gather";
  let description = [{
    result[v] = sum of rows[i] over i with ids[i] = v, added in the order of i, so
    the result does not depend on the number of threads. The result's leading
    dimension V is static, or given by the operand `size`.

    Constraints: C1 rows [N, d], ids [N] of i32, result [V, d] without encodings;
    C2 `size` iff V is dynamic.
  }];
  let arguments = (ins Geo_Tensor:$rows, Geo_Ids:$ids, Optional<Index>:$size);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $rows `[` $ids `]` (`size` $size^)? attr-dict `:` type($rows) `,`
    type($ids) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Geo_ColumnsOp : Geo_Op<"columns", [Pure]> {
  let summary = "A block of columns";
  let description = [{
    Columns [offset, offset + w) of a [R, d] tensor, as [R, w]; or one column as
    a tensor of numbers [R], rounded once where its element type is narrower.
    Its adjoint is a `geo.concat_columns` with that block only.

    Constraints: C1 x plain, of rank 2; C2 the result plain, [R, w] with static w
    and x's element type, or [R]; C3 the columns are columns of x.

    ```mlir
    func.func @parts(%x: tensor<?x8xf32>) {
      %a = geo.columns %x[3] : tensor<?x8xf32> -> tensor<?x5xf32>
      %t = geo.columns %x[0] : tensor<?x8xf32> -> tensor<?xf64>
      return
    }
    ```
  }];
  let arguments = (ins Geo_Tensor:$x, I64Attr:$offset);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $offset `]` attr-dict `:` type($x) `->` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let builders = [
    // Columns [offset, offset + width).
    OpBuilder<(ins "::mlir::Value":$x, "int64_t":$offset, "int64_t":$width)>
  ];
  let extraClassDeclaration = [{
    /// The number of columns.
    int64_t getWidth();
  }];
}

def Geo_ConcatColumnsOp : Geo_Op<"concat_columns", [Pure]> {
  let summary = "Blocks of columns, side by side";
  let description = [{
    A [R, d] tensor whose columns from offsets[k] on are piece k: a [R, w]
    tensor, or a tensor of numbers [R], which is one column, rounded once to the
    result's element type. Columns that no piece covers are zero.

    Constraints: C1 at least one piece, as many offsets, and equal static R; C2
    pieces plain, [R, w] with static w and the result's element type, or [R]; C3
    the result plain, [R, d] with static d; C4 pieces in order, apart and inside
    of the result.

    ```mlir
    func.func @join(%t: tensor<?xf64>, %a: tensor<?x5xf32>) {
      %x = geo.concat_columns %t, %a at [0, 1] : tensor<?xf64>, tensor<?x5xf32> -> tensor<?x6xf32>
      return
    }
    ```
  }];
  let arguments = (ins Variadic<Geo_Tensor>:$pieces,
                       DenseI64ArrayAttr:$offsets);
  let results = (outs Geo_Tensor:$result);
  let assemblyFormat = [{
    $pieces `at` $offsets attr-dict `:` type($pieces) `->` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let builders = [
    // The pieces one after the other; `element` null is that of the first.
    OpBuilder<(ins "::mlir::ValueRange":$pieces,
                   CArg<"::mlir::Type", "{}">:$element)>
  ];
  let extraClassDeclaration = [{
    /// The number of columns that `piece` takes.
    static int64_t getWidth(::mlir::Value piece);
  }];
}

def Geo_ScanOp : Geo_Op<"scan", [Pure, AttrSizedOperandSegments,
    IsolatedFromAbove, SingleBlock]> {
  let summary = "A recurrence over time";
  let description = [{
    Runs the region for t = 0..T-1 (`reverse`: T-1..0). Region arguments: one per
    state, of the type of `init`; one per input, the slice t of `tensor<Tx...>`;
    one per shared operand, as itself. The region yields the new states, then
    outputs, which are stacked along a new leading dimension T (output t stands at
    index t, also under `reverse`). Results: the final states, then the stacked
    outputs.

    `truncate = k > 0` cuts the gradient: the state that enters step t is detached
    where t > 0 and t mod k = 0. Under `reverse`, where the op is itself the
    adjoint of such a scan, the state is set to zero after such a step instead.
    k = 0 is full backpropagation. T need not be a multiple of k.

    Constraints: C1 one region argument per operand, of the type above; C2 inputs
    of one T, at least one; C3 yielded types match the results, whose stacks have T steps; C4 `truncate` is
    not negative; C5 (checked once named ops are expanded) the region holds only `geo.matmul` with a row
    operand and a shared one, `geo.rowwise` without sums, `geo.gather`, `geo.columns`,
    `geo.concat_columns` and number arithmetic.

    ```mlir
    func.func @run(%h0: tensor<?x8xf32>, %U: tensor<?x?x8xf32>, %W: tensor<8x8xf32>) {
      %end, %all = geo.scan init(%h = %h0 : tensor<?x8xf32>)
          inputs(%u = %U : tensor<?x?x8xf32>) shared(%w = %W : tensor<8x8xf32>) truncate 4 {
        %a = geo.matmul %h, %w : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
        %n = geo.rowwise rows(%ar = %a : tensor<?x8xf32>, %ur = %u : tensor<?x8xf32>) {
          %s = arith.addf %ar, %ur : vector<8xf32>
          %y = math.tanh %s : vector<8xf32>
          geo.yield %y : vector<8xf32>
        } -> (tensor<?x8xf32>)
        geo.yield %n, %h : tensor<?x8xf32>, tensor<?x8xf32>
      } -> (tensor<?x8xf32>, tensor<?x?x8xf32>)
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$init,
                       Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyType>:$shared,
                       DefaultValuedAttr<I64Attr, "0">:$truncate,
                       UnitAttr:$reverse);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // Creates the op with an empty block that has its arguments.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$init,
                   "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$shared,
                   "int64_t":$truncate, CArg<"bool", "false">:$reverse)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    YieldOp getYield();
    unsigned getNumStates() { return getInit().size(); }
    /// The type of the slice t of an input, or of an output before stacking.
    static ::mlir::RankedTensorType getSliceType(::mlir::Type stacked);
    ::mlir::ArrayRef<::mlir::BlockArgument> getStateArgs();
    ::mlir::ArrayRef<::mlir::BlockArgument> getInputArgs();
    ::mlir::ArrayRef<::mlir::BlockArgument> getSharedArgs();
  }];
}

def Geo_ReportOutsideOp : Geo_Op<"report_outside", [MemoryEffects<[MemWrite]>]> {
  let summary = "Counts rows that are not on their manifold";
  let description = [{
    A row with norm < limit is inside; every other one, NaN included, is counted by
    the runtime, which keeps the site, row, norm and limit of the first one (see
    runtime/PointReport.h). `geo-guard-points` makes them.

    Constraints: C1 two tensors of numbers of equal length.
  }];
  let arguments = (ins RankedTensorOf<[F64]>:$norm, RankedTensorOf<[F64]>:$limit,
                       StrAttr:$site);
  let assemblyFormat = "$site $norm `,` $limit attr-dict `:` type($norm) `,` type($limit)";
  let hasVerifier = 1;
}

def Geo_GradientOp : Geo_Op<"gradient", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Calls a function and its gradient";
  let description = [{
    Calls `callee` on `operands` and returns its results, followed by the gradients
    of its first result, an f64, with respect to the arguments listed in `wrt`.
    `geo-differentiate` replaces it. Gradients of points are plain tensors.

    Constraints: C1 the callee is a function of the module whose argument types
    match; C2 its first result is f64; C3 `wrt` holds distinct indices of floating-point
    arguments; C4 result types are the callee's, then the plain types of the
    arguments.

    ```mlir
    func.func private @loss(tensor<4x4xf32>, tensor<?x4xf32>) -> f64
    func.func @step(%W: tensor<4x4xf32>, %x: tensor<?x4xf32>) {
      %loss, %dW = geo.gradient @loss(%W, %x) wrt [0]
          : (tensor<4x4xf32>, tensor<?x4xf32>) -> (f64, tensor<4x4xf32>)
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args,
                       DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $args `)` `wrt` $wrt attr-dict `:`
    functional-type($args, $results)
  }];
}

#endif // GEO_CONSTRUCTS_TD
