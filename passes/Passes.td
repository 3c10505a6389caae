// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from geo to geo, in alphabetical order.
#ifndef GEO_PASSES_TD
#define GEO_PASSES_TD

include "mlir/Pass/PassBase.td"

def GeoCheckPoints : Pass<"geo-check-points", "::mlir::ModuleOp"> {
  let summary = "Check that points are not mixed with plain tensors";
  let description = [{
    Upstream keeps a tensor's encoding but checks nothing: it would add two ball
    points, or cast one manifold to another. This pass, first in every pipeline,
    allows points (tensors whose encoding is a manifold) only on geo ops, func,
    scf, return, and slices and reshapes that keep whole rows. It names the op and
    what was mixed. Example: test/passes/check-points.mlir.
  }];
}

def GeoDifferentiate : Pass<"geo-differentiate", "::mlir::ModuleOp"> {
  let summary = "Replace geo.gradient by calls of derived functions";
  let description = [{
    For every `geo.gradient @f(...) wrt [...]` a function `@f_gradient_...` is derived
    in reverse mode, once per callee and `wrt`, which returns the results of
    @f and the gradients. Runs after `geo-expand`: rules exist for the constructs and
    for the arith, math and vector ops of their regions, never for a named op.
    With `function` and `wrt` a function is differentiated without an op that
    asks for it; with `cotangents` the derived function takes a cotangent for each
    floating-point result of @f after its arguments, in place of 1 for the first
    one, an f64. Example: test/passes/differentiate.mlir.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"",
           "Differentiate this function even if no op asks for it">,
    ListOption<"wrt", "wrt", "int64_t", "Argument indices for `function`">,
    Option<"cotangents", "cotangents", "bool", "false",
           "Let the gradient of `function` take the cotangents of its results">
  ];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

def GeoExpand : Pass<"geo-expand", "::mlir::ModuleOp"> {
  let summary = "Expand named ops to the constructs, and drop point types";
  let description = [{
    Every named op becomes a `geo.rowwise` or `geo.pairwise` by the formulas of its
    manifold; `geo.coords` and `geo.point` disappear; and all types lose their
    encodings, so that no later pass meets one. Example: test/passes/expand.mlir.
  }];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def GeoFuseDecoder : Pass<"geo-fuse-decoder", "::mlir::ModuleOp"> {
  let summary = "Merge a pair program with its adjoint";
  let description = [{
    A `geo.pairwise nll` and the `geo.pairwise_grad` that reads its lse become one
    op, which computes every Gram once, in place of twice. That takes a cotangent of
    the loss that does not depend on the loss: for a mean it is one over the number of
    rows that count. What it is computed from moves before the op; a row program
    that adds up losses and counts rows is split in two. Otherwise the two stay
    apart, and the adjoint recomputes. Example: test/passes/fuse-decoder.mlir.
  }];
  let dependentDialects = ["::geo::GeoDialect"];
}

def GeoFuseRowwise : Pass<"geo-fuse-rowwise", "::mlir::ModuleOp"> {
  let summary = "Merge a row program into the one that reads its rows";
  let description = [{
    A `geo.rowwise` whose row results another one reads becomes part of it, so that
    rows between them are never stored: one read and one write per row. Results
    that other ops use stay results. Two are merged only if their rows have one
    length and every other user comes later. CSE inside the merged region
    afterwards shares dots. Example: test/passes/fuse-rowwise.mlir.
  }];
}

def GeoGuardPoints : Pass<"geo-guard-points", "::mlir::ModuleOp"> {
  let summary = "Report points that are not on their manifold at run time";
  let description = [{
    Before every named op outside of a recurrence, its points are measured by the
    formulas `domain_norm` and `domain_limit` of their manifold, where it has them,
    and `geo.report_outside` counts the rows that are not inside, naming the op. Each
    batch is looked at once per function. Runs after `geo-check-points`, before
    `geo-expand`. Example: test/passes/guard-points.mlir.
  }];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::arith::ArithDialect"];
}

def GeoHoistInputs : Pass<"geo-hoist-inputs", "::mlir::ModuleOp"> {
  let summary = "Do products of a recurrence's inputs before its loop";
  let description = [{
    A `geo.matmul` in a `geo.scan` whose left operand comes from the inputs of the step
    alone, through row programs or a `geo.gather`, and whose right one is the same at
    every step, waits for no state: it becomes one product of the rows of all
    steps, and an input of the scan. Where these rows were gathered,
    `geo-move-gathers` takes it on to the table. Example: test/passes/hoist-inputs.mlir.

    ```mlir
    geo.scan init(%h ...) inputs(%x = %X : tensor<?x?x8xf32>) shared(%u = %U ...) {
      %p = geo.matmul %x, %u ...
    ```
    becomes
    ```mlir
    %P = geo.matmul %rows_of_X, %U : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
    geo.scan init(%h ...) inputs(%p = %P_of_steps : tensor<?x?x8xf32>) ... {
    ```
  }];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::tensor::TensorDialect"];
}

def GeoKeepSteps : Pass<"geo-keep-steps", "::mlir::ModuleOp"> {
  let summary = "Keep what the steps of a recurrence computed for its gradient";
  let description = [{
    The adjoint of a `geo.scan` computes its body again, for the rows of all steps at
    once. What the body has computed already becomes one more result of the scan
    instead, and the second computation goes away: same numbers, no products twice.

    Kept results live from the recurrence to its adjoint, through everything
    between. `limit` bounds their bytes: the dearest per element are kept first
    (products, then programs with functions), and what does not fit is computed
    again as before. Where shapes are dynamic, `rows` tells how many rows all steps have
    together; without it nothing of dynamic size is kept under a limit. Remarks say what was
    kept and what was not. Example: test/passes/keep-steps.mlir.

    ```mlir
    %h, %s = geo.scan init(...) inputs(%x ...) shared(%W ...) {  // s: states
      %p = geo.matmul %state, %W ...
      ...
    }
    %q = geo.matmul %rows_of_s, %W ...      // = p of all steps
    ```
    becomes
    ```mlir
    %h, %s, %p = geo.scan ...
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "-1",
           "Bytes that kept results may take; negative: no limit">,
    Option<"rows", "rows", "int64_t", "0",
           "Rows of all steps together, for shapes that do not tell">
  ];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::tensor::TensorDialect"];
}

def GeoMoveGathers : Pass<"geo-move-gathers", "::mlir::ModuleOp"> {
  let summary = "Compute on a table, or on what was gathered of it";
  let description = [{
    `geo.gather` commutes with what acts row by row: a `geo.matmul` by its left
    operand, and a `geo.rowwise` without sums. This pass computes where there are fewer
    rows: products (with the row programs before them) move from the gathered rows to
    the table, gather(E) W to gather(E W), if there are more ids than rows of the
    table; products and row programs that only gathers of the same ids read move
    from the table to the gathered rows if there are fewer. Runs before
    `geo-differentiate`, so that the gradient has as few.

    The rows of a table have to be static. `rows` tells the number of ids where
    that is dynamic, in functions that a `geo.gradient` differentiates: training
    has batches, what else the module has may be called with one row. Without it such
    ops stay as they were written. Example: test/passes/move-gathers.mlir.

    ```mlir
    %x = geo.gather %E[%ids] : tensor<100x8xf32>, tensor<512xi32> -> tensor<512x8xf32>
    %u = geo.matmul %x, %W : tensor<512x8xf32>, tensor<8x8xf32> -> tensor<512x8xf32>
    ```
    becomes
    ```mlir
    %t = geo.matmul %E, %W : tensor<100x8xf32>, tensor<8x8xf32> -> tensor<100x8xf32>
    %u = geo.gather %t[%ids] : tensor<100x8xf32>, tensor<512xi32> -> tensor<512x8xf32>
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "0",
           "Ids of a batch, for shapes that do not tell">
  ];
  let dependentDialects = ["::geo::GeoDialect"];
}

def GeoSplitPrepared : Pass<"geo-split-prepared", "::mlir::ModuleOp"> {
  let summary = "Compute what depends on fixed arguments alone once for many calls";
  let description = [{
    Splits a function in two. `@f.prepare` takes its first arguments, which stay the same
    from call to call (the parameters of a model that generates), and returns what
    constructs compute from them alone; `@f` takes that as further arguments, behind the
    others. Values whose size no type tells stay where they are. It runs on constructs
    (after `geo-expand`). Example: test/passes/split-prepared.mlir.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "The function to split">,
    Option<"fixed", "fixed", "unsigned", /*default=*/"0",
           "How many of its first arguments are fixed">
  ];
  let dependentDialects = ["::geo::GeoDialect"];
}

def GeoUnrollScan : Pass<"geo-unroll-scan", "::mlir::ModuleOp"> {
  let summary = "Unroll geo.scan over time, for inspection";
  let description = [{
    Replaces each `geo.scan` of static length by its steps, with `geo.detach` where
    `truncate` cuts the gradient. Code size grows with the length: a pass to look
    at what a recurrence means, not part of any pipeline.
    Example: test/passes/unroll-scan.mlir.
  }];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def GeoWidenPairs : Pass<"geo-widen-pairs", "::mlir::ModuleOp"> {
  let summary = "Give pair programs of f64 arithmetic rows of f64";
  let description = [{
    The gradient by a row has a part from the Grams of a `geo.pairwise` and one from
    the row scalars, which may cancel, for rows that are read as directions always. With `math = f64` this
    pass lets both end in one copy of the rows in f64, which is rounded once. Runs
    before `geo-differentiate`. Example: test/passes/widen-pairs.mlir.
  }];
  let dependentDialects = ["::geo::GeoDialect", "::mlir::arith::ArithDialect"];
}

def GeoWidenRows : Pass<"geo-widen-rows", "::mlir::ModuleOp"> {
  let summary = "Compute the rows of a row program in f64";
  let description = [{
    Rows are f32 where they are read and written. Between, formulas and above all
    their adjoints subtract rows that nearly cancel, each rounded on its own: a
    gradient along a flat direction would lose most of its digits. This pass makes
    the arithmetic of rows f64, in programs that scale rows or take their products;
    functions of every element (math) stay f32. Costs no memory traffic, and half
    of the vector width for adds. Example: test/passes/widen-rows.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // GEO_PASSES_TD
