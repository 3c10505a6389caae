// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the interpreter; not a public header.
#ifndef GEOC_DIALECT_INTERPRETER_DETAIL_H
#define GEOC_DIALECT_INTERPRETER_DETAIL_H

#include "dialect/Geo.h"
#include "dialect/interpreter/Interpreter.h"

namespace geo::interpreter {

/// What one op gives, one datum per result.
using Results = mlir::FailureOr<llvm::SmallVector<Datum>>;

class Interpreter {
public:
  explicit Interpreter(FrozenValues *frozen) : frozen(frozen) {}

  /// Runs a block whose arguments have the values `arguments` and which uses
  /// nothing from above; gives the operands of its terminator.
  Results run(mlir::Block &block, llvm::ArrayRef<Datum> arguments);
  Results call(mlir::func::FuncOp function, llvm::ArrayRef<Datum> arguments);

private:
  using Operands = llvm::ArrayRef<const Datum *>;
  Results evaluate(mlir::Operation *op, Operands operands);

  Results rowwise(RowwiseOp op, Operands operands);
  Results pairwise(PairwiseOp op, Operands operands);
  Results pairwiseGrad(PairwiseGradOp op, Operands operands);
  Results scan(ScanOp op, Operands operands);
  /// What the region of a pair program yields for the pair (i, j).
  template <class Op>
  Results runPair(Op op, Operands operands, int64_t i, int64_t j);

  FrozenValues *frozen;
  int depth = 0;
};

/// The id at `i` if it names one of `count` rows.
mlir::FailureOr<int64_t> getId(mlir::Operation *op, const Datum &ids, int64_t i,
                               int64_t count);
mlir::LogicalResult expectEqual(mlir::Operation *op, llvm::StringRef what,
                                int64_t want, int64_t got);

Results matmul(MatmulOp op, const Datum &a, const Datum &b);
Results gather(GatherOp op, const Datum &table, const Datum &ids);
Results scatterAdd(ScatterAddOp op, const Datum &rows, const Datum &ids,
                   const Datum *size);
Results columns(ColumnsOp op, const Datum &x);
Results concatColumns(ConcatColumnsOp op, llvm::ArrayRef<const Datum *> pieces);

/// Number ops of arith, math, vector and geo, element by element; nothing if
/// `op` is none of them.
std::optional<Datum> evaluateNumberOp(mlir::Operation *op,
                                      llvm::ArrayRef<const Datum *> operands);

} // namespace geo::interpreter

#endif // GEOC_DIALECT_INTERPRETER_DETAIL_H
