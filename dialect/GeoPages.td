// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages of formulas: manifolds, and row and pair programs with a name.
#ifndef GEO_PAGES_TD
#define GEO_PAGES_TD

include "GeoConstructs.td"
include "mlir/IR/OpAsmInterface.td"

def Geo_ManifoldOp : Geo_Op<"manifold", [IsolatedFromAbove, Symbol, SymbolTable,
    SingleBlock, NoTerminator]> {
  let summary = "A manifold, as one page of formulas";
  let description = [{
    Everything the compiler knows of a manifold. The built-in pages are such ops,
    too (dialect/manifolds/*.mlir). `#geo.manifold<@name, c...>` in the encoding of
    a tensor makes its rows points of the page of the same module.

    Names in parentheses are the curvatures, numbers that every formula sees;
    `> 0` demands a positive one. A formula that is not here is taken from the
    page `like`, then from the built-in page of defaults, which say what follows
    from others (the distance from the squared distance, say). Calls by name are
    resolved when the formula is used, in the page that the points name: a
    formula here also serves those that are inherited.

    The formulas that named ops use, their arguments and results are those of
    `docs/formulas.md`. Others are for calls.

    Constraints: C1 the region holds formulas only; C2 those with a standard name
    have its arguments and result; C3 curvature names differ; C4 the symbol is
    public, since types name it, which symbol-dce does not see; C5 what it is like
    is there, and not like it in turn.

    ```mlir
    // The real line, stretched: flat space measured in units of 1/s.
    geo.manifold @stretched(s > 0) {
      formula @add(x: row, y: row) = x + y
      formula @expmap0(v: row) = v / s
      formula @logmap0(x: row) = s * x
      formula @sqdist(x: row, y: row) = s * s * sqnorm(x - y)
    }
    func.func @distances(%x: tensor<?x8xf32, #geo.manifold<@stretched, 2.0>>,
                         %y: tensor<?x8xf32, #geo.manifold<@stretched, 2.0>>) -> tensor<?xf64> {
      %d = geo.geodesic_dist %x, %y : tensor<?x8xf32, #geo.manifold<@stretched, 2.0>>,
        tensor<?x8xf32, #geo.manifold<@stretched, 2.0>> -> tensor<?xf64>
      return %d : tensor<?xf64>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       StrArrayAttr:$curvatures,
                       DenseBoolArrayAttr:$positive,
                       OptionalAttr<FlatSymbolRefAttr>:$like);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumCurvatures() { return getCurvatures().size(); }
    /// The formula `name` of this page itself, or null.
    FormulaOp getFormula(::llvm::StringRef name);
  }];
}

def Geo_FormulaOp : Geo_Op<"formula", [IsolatedFromAbove, Symbol,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A formula on rows and numbers, with a name";
  let description = [{
    A program on rows (`row`) and numbers (`number`, f64) with one result. It is
    written once, for rows of every length and both storage types: a row stands as
    `vector<[1]xf32>`, which reads "of a length that is not known here", and is
    replaced by the row type of the use. `column` is a row of the second batch
    where the formula is run for all pairs (`geo.apply_pairs`).

    Two spellings give the same op. Infix, with `= expression` or a block of `let`
    and `yield` (see docs/formulas.md); or operations, as it is printed.

    `vjp` gives an own derivative: from the arguments, the curvatures and the
    cotangent of the result to the cotangents of the arguments and the
    curvatures. Without it the derivative is derived.
    `geoc --check-gradients` holds one against the other.

    Constraints: C1 the region holds only ops that a row program may hold, and
    geo.call, geo.epsilon, geo.row_length; C2 it yields one row or number; C3 the vjp
    yields one value of the argument's kind per argument; C4 the symbol is public.

    ```mlir
    geo.formula @leaky(x: row, slope: number) = select(0 < slope, slope, 1) * x
    func.func @apply(%x: tensor<?x8xf32>, %s: f64) -> tensor<?x8xf32> {
      %y = geo.apply @leaky(%x, %s) : (tensor<?x8xf32>, f64) -> tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       StrArrayAttr:$arg_names, StrArrayAttr:$kinds);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$vjp);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block &getBlock() { return getBody().front(); }
    unsigned getNumArguments() { return getKinds().size(); }
    ::llvm::StringRef getKind(unsigned i) {
      return ::llvm::cast<::mlir::StringAttr>(getKinds()[i]).getValue();
    }
    /// What the formula yields: a row or a number.
    ::mlir::Value getResult();
    bool hasOwnVjp() { return !getVjp().empty(); }
    void print(::mlir::OpAsmPrinter &printer, ::llvm::StringRef keyword);
    static ::mlir::ParseResult parseWithin(::mlir::OpAsmParser &parser,
        ::mlir::OperationState &result, const FormulaScope &scope);
    /// The type that stands for a row of any length.
    static ::mlir::VectorType getAnyRowType(::mlir::MLIRContext *context);
  }];
}

def Geo_CallOp : Geo_Op<"call", [Pure]> {
  let summary = "The value of another formula, inside a formula";
  let description = [{
    `@name` is a formula of the page that the points name (or of those it is
    like); `@page::@name` one of another page, whose curvatures follow the
    arguments.
  }];
  let arguments = (ins SymbolRefAttr:$callee, Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $callee `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
}

def Geo_EpsilonOp : Geo_Op<"epsilon", [Pure]> {
  let summary = "The spacing of a row's storage type at 1, inside a formula";
  let arguments = (ins VectorOfRankAndType<[1], [F32, F64]>:$row);
  let results = (outs F64:$result);
  let assemblyFormat = "$row attr-dict `:` type($row)";
}

def Geo_RowLengthOp : Geo_Op<"row_length", [Pure]> {
  let summary = "The number of coordinates of a row, inside a formula";
  let arguments = (ins VectorOfRankAndType<[1], [F32, F64]>:$row);
  let results = (outs F64:$result);
  let assemblyFormat = "$row attr-dict `:` type($row)";
}

def Geo_WithVjpOp : Geo_Op<"with_vjp", [Pure, IsolatedFromAbove]> {
  let summary = "A formula with its own derivative, inside a program";
  let description = [{
    Stands in a row or pair program between expansion and differentiation, which
    takes the second region for the derivative and leaves the first one's ops.
    The first region maps the arguments to the result; the second one the
    arguments and the cotangent of the result to the arguments' cotangents.

    Constraints: C1 region arguments of the operands' types, in the second one followed
    by the result's; C2 yielded types are the result's, and the operands'.
  }];
  let arguments = (ins Variadic<AnyType>:$args);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$vjp);
  let assemblyFormat = [{
    `(` $args `)` attr-dict `:` functional-type($args, $result) $body `vjp` $vjp
  }];
  let hasRegionVerifier = 1;
}

def Geo_ApplyOp : Geo_Op<"apply", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Applies a formula to every row";
  let description = [{
    The formula is `@name` of the module, `@page::@name` of a page of the module,
    or the same of a built-in page. A page's curvatures follow the arguments as f64.

    Arguments of kind `row` and `column` are [R, d] tensors, or one row `tensor<dxT>` for
    all; numbers are `tensor<Rxf64>`, or f64 for all. The result is [R, d] or
    `tensor<Rxf64>`. Points may come in, and the result may be typed as points:
    that the formula keeps them on the manifold is whoever writes it's to see.

    Constraints: C1 the formula exists and takes the arguments; C2 at least one
    argument comes per row; C3 rows of one number, length and type.
  }];
  let arguments = (ins SymbolRefAttr:$callee, Variadic<AnyType>:$args);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $callee `(` $args `)` attr-dict `:` functional-type($args, $result)
  }];
}

def Geo_ApplyPairsOp : Geo_Op<"apply_pairs", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a formula for all pairs of rows, with a reducer";
  let description = [{
    Arguments of kind `row` are [N, d] tensors, of kind `column` [V, d], numbers f64
    (or `tensor<Nxf64>` for a number per row). The formula's result is the logit of
    the pair; reducers, `targets` and `math` (f64 by default) are those of
    `geo.pairwise`, whose first result this op has.

    The pair program is derived: what depends on rows only, or on columns only, is
    computed once per row or column; what depends on both must be made of numbers
    and of the Grams sqnorm(p - q), sqnorm(p + q) and dot(p, q), with p made of rows and
    q of columns.

    Constraints: C1 the formula exists, yields a number and takes the arguments; C2 it
    splits as above; C3 `targets` iff the reducer is `nll`.
  }];
  let arguments = (ins SymbolRefAttr:$callee, Variadic<AnyType>:$args,
                       Optional<Geo_Ids>:$targets, Geo_ReducerAttr:$reducer,
                       OptionalAttr<TypeAttr>:$math);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $callee `(` $args `)` custom<ReducerName>($reducer) (`targets` `(` $targets^ `:` type($targets) `)`)?
    (`math` $math^)? attr-dict `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
}

#endif // GEO_PAGES_TD
