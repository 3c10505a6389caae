// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five constructs; here the recurrence, and what uses functions and reports.
#ifndef GEO_CONSTRUCTS_TD
#define GEO_CONSTRUCTS_TD

include "GeoPairs.td"
include "GeoPrograms.td"
include "GeoTensors.td"
include "mlir/IR/SymbolInterfaces.td"

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
