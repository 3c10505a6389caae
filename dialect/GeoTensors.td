// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products, gathers and columns of whole tensors.
#ifndef GEO_TENSORS_TD
#define GEO_TENSORS_TD

include "GeoPrograms.td"

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

#endif // GEO_TENSORS_TD
